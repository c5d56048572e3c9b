import * as z from "zod/mini";
import { type Snapshot, StateVersion, stateVersion } from "../../../schema/state.ts";
import type { Linked } from "../chain.ts";
import { refuseNewer } from "../checkpoint.ts";
import { decodeLine } from "../journal.ts";
import { State } from "../state.ts";
import { StateProblem } from "../store.ts";
import { takeNext } from "../take-next.ts";
import {
  type Deed,
  HeaderSchema,
  type Held,
  LockSchema,
  headerOf,
  heldOf,
  writtenLock,
} from "./log-object.ts";
import { type Where, logKey, shownObject } from "./names.ts";
import { open } from "./sealed.ts";

/** All of it but the state, as derived objects hold it. */
export const PlaceSchema = z.object({
  version: StateVersion,
  environment: z.string(),
  number: z.int(),
  /** The sum of the log's object of that number. */
  log: z.string(),
  session: z.string(),
  lock: z.nullable(LockSchema),
  moved_to: z.nullable(z.string()),
});
export type Place = z.infer<typeof PlaceSchema>;

/** Where a log stands after one of its objects: made of nothing but the objects up to that. */
export class Standing {
  readonly where: Where;
  #number = 0;
  #sum = "";
  #held: Held | null = null;
  #movedTo: string | null = null;
  #state = new State();

  constructor(where: Where) {
    this.where = where;
  }

  /** The last object's; 0 where there is none. */
  get number(): number {
    return this.#number;
  }

  /** Of all objects up to this one. */
  get sum(): string {
    return this.#sum;
  }

  get held(): Held | null {
    return this.#held;
  }

  /** Where the state goes on, if no more here. */
  get movedTo(): string | null {
    return this.#movedTo;
  }

  get state(): State {
    return this.#state;
  }

  /** The next object of the log, which was found there; the entries in it. */
  follow(bytes: Buffer): readonly Linked[] {
    const number = this.#number + 1;
    const key = logKey(this.where, number);
    const found = open(bytes);
    const content = found && headerOf(found.lines);
    refuseNewer(content, shownObject(this.where, key));
    const read = HeaderSchema.safeParse(content);
    if (found === undefined || !read.success || !found.follows(this.#sum)) {
      throw damaged(this.where, key, "is not what ivrctl wrote there");
    }
    const header = read.data;
    const { environment, session } = header;
    if (environment !== this.where.environment || header.number !== number) {
      throw damaged(this.where, key, `is object ${header.number} of another log, ${environment}`);
    }
    const linked = this.#takeAll(found.lines.slice(1), key);
    this.#moveOn(
      header.kind === "locked"
        ? { kind: header.kind, held: heldOf(session, header.lock) }
        : header.kind === "entries"
          ? { kind: header.kind, linked }
          : header,
      found.sum,
    );
    return linked;
  }

  /** The next object, which was made from here. */
  add(deed: Deed, sum: string): void {
    if (deed.kind === "entries") {
      for (const { entry, head } of deed.linked) this.#state.take(entry, head);
    }
    this.#moveOn(deed, sum);
  }

  /** From a snapshot; null: of a state that never began. */
  begin(place: Place, snapshot: Snapshot | null): void {
    this.#state = snapshot === null ? new State() : State.of(snapshot);
    this.#stand(place);
  }

  /** Over many objects at once, whose entries stand in another one. */
  leap(place: Place, lines: readonly string[], key: string): readonly Linked[] {
    const linked = this.#takeAll(lines, key);
    this.#stand(place);
    return linked;
  }

  place(): Place {
    return {
      version: stateVersion,
      environment: this.where.environment,
      number: this.#number,
      log: this.#sum,
      session: this.#held?.session ?? "",
      lock: this.#held && writtenLock(this.#held),
      moved_to: this.#movedTo,
    };
  }

  #stand({ number, log, session, lock, moved_to }: Place): void {
    this.#number = number;
    this.#sum = log;
    this.#held = lock && heldOf(session, lock);
    this.#movedTo = moved_to;
  }

  #moveOn(deed: Deed, sum: string): void {
    this.#number += 1;
    this.#sum = sum;
    switch (deed.kind) {
      case "locked":
        this.#held = deed.held;
        break;
      case "released":
        this.#held = null;
        break;
      case "moved":
        this.#movedTo = deed.to;
        break;
      case "entries":
        break;
    }
  }

  #takeAll(lines: readonly string[], key: string): readonly Linked[] {
    const how = (what: string) => damaged(this.where, key, what);
    return lines.map((line) => {
      const kept = decodeLine(line);
      if (kept === undefined) throw how("has a line that is no event");
      return takeNext(kept, this.#state, shownObject(this.where, key), how);
    });
  }
}

export function damaged(where: Where, key: string, how: string): StateProblem {
  return new StateProblem(
    "IVR603",
    `${shownObject(where, key)} ${how}.`,
    "Bring its first version back (docs/state.md, Backup and restore of an object store); ivrctl never changes an object.",
  );
}
