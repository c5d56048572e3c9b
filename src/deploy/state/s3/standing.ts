import * as z from "zod/mini";
import { type Snapshot, StateVersion, stateVersion } from "../../../schema/state.ts";
import type { Linked } from "../chain.ts";
import { refuseNewer } from "../checkpoint.ts";
import { decodeLine } from "../journal.ts";
import { State } from "../state.ts";
import { type Filling, StateProblem } from "../store.ts";
import { takeNext } from "../take-next.ts";
import {
  type Deed,
  type Header,
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

/** A fill that has not ended. */
interface Fill {
  readonly mark: Filling;
  readonly staged: readonly Linked[];
  /** What the state will be with the staged entries. */
  readonly ahead: State;
}

/** Where a log stands after one of its objects: made of nothing but the objects up to that. */
export class Standing {
  readonly where: Where;
  #number = 0;
  #sum = "";
  #held: Held | null = null;
  #movedTo: string | null = null;
  #fill: Fill | null = null;
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

  get filling(): Filling | null {
    return this.#fill?.mark ?? null;
  }

  /** Entries that do not count yet, verified against the state. */
  get staged(): readonly Linked[] {
    return this.#fill?.staged ?? [];
  }

  get state(): State {
    return this.#state;
  }

  /** Takes the next object of the log, which was found there, and returns the entries that count from now on. */
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
    const { environment } = header;
    if (environment !== this.where.environment || header.number !== number) {
      throw damaged(this.where, key, `is object ${header.number} of another log, ${environment}`);
    }
    return this.#moveOn(this.#deedOf(header, found.lines.slice(1), key), found.sum);
  }

  /** Takes the next object, which was made from here, and returns the entries that count from now on. */
  add(deed: Deed, sum: string): readonly Linked[] {
    if (deed.kind === "entries") takeIn(this.#state, deed.linked);
    if (deed.kind === "staged" && this.#fill !== null) takeIn(this.#fill.ahead, deed.linked);
    return this.#moveOn(deed, sum);
  }

  /** From a snapshot; null: of a state that never began. */
  begin(place: Place, snapshot: Snapshot | null): void {
    this.#state = snapshot === null ? new State() : State.of(snapshot);
    this.#stand(place);
  }

  /** Over many objects at once, whose entries stand in another one. */
  leap(place: Place, lines: readonly string[], key: string): readonly Linked[] {
    const linked = this.#takeAll(lines, key, this.#state);
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
    // Nothing is derived during a fill.
    this.#fill = null;
  }

  #deedOf(header: Header, lines: readonly string[], key: string): Deed {
    switch (header.kind) {
      case "locked":
        return { kind: header.kind, held: heldOf(header.session, header.lock) };
      case "entries":
        return { kind: header.kind, linked: this.#takeAll(lines, key, this.#state) };
      case "staged": {
        if (this.#fill === null) throw damaged(this.where, key, "belongs to no fill");
        return { kind: header.kind, linked: this.#takeAll(lines, key, this.#fill.ahead) };
      }
      case "filled":
      case "discarded":
        return { kind: header.kind };
      default:
        return header;
    }
  }

  #moveOn(deed: Deed, sum: string): readonly Linked[] {
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
        return deed.linked;
      case "filling":
        this.#fill = { mark: deed.filling, staged: [], ahead: this.#state.copy() };
        break;
      case "staged":
        if (this.#fill !== null) {
          this.#fill = { ...this.#fill, staged: [...this.#fill.staged, ...deed.linked] };
        }
        break;
      case "sealed":
        if (this.#fill !== null) this.#fill = { ...this.#fill, mark: deed.filling };
        break;
      case "discarded":
        this.#fill = null;
        break;
      case "filled": {
        const { staged } = this;
        // Not `ahead`: sessions hold on to this state.
        takeIn(this.#state, staged);
        this.#fill = null;
        this.#movedTo = null;
        return staged;
      }
    }
    return [];
  }

  #takeAll(lines: readonly string[], key: string, state: State): readonly Linked[] {
    const how = (what: string) => damaged(this.where, key, what);
    return lines.map((line) => {
      const kept = decodeLine(line);
      if (kept === undefined) throw how("has a line that is no event");
      return takeNext(kept, state, shownObject(this.where, key), how);
    });
  }
}

function takeIn(state: State, linked: readonly Linked[]): void {
  for (const { entry, head } of linked) state.take(entry, head);
}

export function damaged(where: Where, key: string, how: string): StateProblem {
  return new StateProblem(
    "IVR603",
    `${shownObject(where, key)} ${how}.`,
    "Bring its first version back (docs/state.md, Backup and restore of an object store); ivrctl never changes an object.",
  );
}
