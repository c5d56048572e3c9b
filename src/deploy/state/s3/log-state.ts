import { stateVersion } from "../../../schema/state.ts";
import { validate } from "../../../schema/validate.ts";
import type { Linked } from "../entries.ts";
import { decodeLine } from "../file/journal.ts";
import { takeNext } from "../read-entry.ts";
import { State } from "../state.ts";
import type { Filling } from "../store.ts";
import {
  type Operation,
  type Header,
  HeaderSchema,
  type LogLock,
  type SnapshotContent,
  type Where,
  damaged,
  logKey,
  open,
  shownObject,
} from "./objects.ts";

/** A fill that has not ended. */
interface Fill {
  readonly mark: Filling;
  readonly staged: readonly Linked[];
  /** The state with the staged entries. */
  readonly ahead: State;
}

/** The result of a log up to one of its objects: the state, the lock, the marks, and the end of the log. */
export class LogState {
  readonly where: Where;
  #number = 0;
  #sum = "";
  #held: LogLock | null = null;
  #movedTo: string | null = null;
  #fill: Fill | null = null;
  #state = new State();

  constructor(where: Where) {
    this.where = where;
  }

  static of(content: SnapshotContent, where: Where): LogState {
    const result = new LogState(where);
    const { number, log, session, lock, moved_to, state } = content;
    result.#number = number;
    result.#sum = log;
    result.#held = lock && { session, lock };
    result.#movedTo = moved_to;
    if (state !== null) result.#state = State.fromSnapshot(state);
    return result;
  }

  /** The number of the last object, or 0 if the log is empty. */
  get number(): number {
    return this.#number;
  }

  /** The sum of the last object, which covers all objects before it. */
  get sum(): string {
    return this.#sum;
  }

  get held(): LogLock | null {
    return this.#held;
  }

  /** The store that the state was moved to, or null if it is here. */
  get movedTo(): string | null {
    return this.#movedTo;
  }

  get filling(): Filling | null {
    return this.#fill?.mark ?? null;
  }

  /** Staged entries. They do not count yet, but are verified against the state. */
  get staged(): readonly Linked[] {
    return this.#fill?.staged ?? [];
  }

  get state(): State {
    return this.#state;
  }

  /** Verifies and applies the next log object, as it was read. Returns the entries that count from now on. */
  follow(bytes: Buffer): readonly Linked[] {
    const number = this.#number + 1;
    const key = logKey(this.where, number);
    const found = open(bytes, shownObject(this.where, key));
    if (found === undefined || !found.follows(this.#sum)) {
      throw damaged(this.where, key, "was changed after ivrctl wrote it");
    }
    const read = validate(HeaderSchema, found.header);
    if (!read.success) throw damaged(this.where, key, `is invalid: ${read.problem}`);
    const header = read.data;
    const { environment } = header;
    if (environment !== this.where.environment || header.number !== number) {
      const other = `does not belong here: it is object ${header.number} of ${environment}`;
      throw damaged(this.where, key, other);
    }
    return this.#advance(this.#operationOf(header, found.lines, key), found.sum);
  }

  /** Applies the next log object, which this process wrote. Returns the entries that count from now on. */
  add(operation: Operation, sum: string): readonly Linked[] {
    if (operation.kind === "entries") takeAll(this.#state, operation.linked);
    if (operation.kind === "staged" && this.#fill !== null)
      takeAll(this.#fill.ahead, operation.linked);
    return this.#advance(operation, sum);
  }

  /** Returns the content of a snapshot. Do not call it during a fill: a snapshot cannot contain one. */
  snapshot(): SnapshotContent {
    return {
      version: stateVersion,
      environment: this.where.environment,
      number: this.#number,
      log: this.#sum,
      session: this.#held?.session ?? "",
      lock: this.#held?.lock ?? null,
      moved_to: this.#movedTo,
      kind: "snapshot",
      state: this.#state.snapshot() ?? null,
    };
  }

  #operationOf(header: Header, lines: readonly string[], key: string): Operation {
    switch (header.kind) {
      case "locked":
        return { kind: header.kind, held: { session: header.session, lock: header.lock } };
      case "entries":
        return { kind: header.kind, linked: this.#verified(lines, key, this.#state) };
      case "staged": {
        if (this.#fill === null)
          throw damaged(this.where, key, "does not belong to a copy in progress");
        return { kind: header.kind, linked: this.#verified(lines, key, this.#fill.ahead) };
      }
      case "filled":
      case "discarded":
        return { kind: header.kind };
      default:
        return header;
    }
  }

  /** Verifies entries and applies them to this state. */
  #verified(lines: readonly string[], key: string, state: State): readonly Linked[] {
    const how = (what: string) => damaged(this.where, key, what);
    return lines.map((line) => {
      const kept = decodeLine(line);
      if (kept === undefined) throw how("has a line that is not an event");
      return takeNext(kept, state, shownObject(this.where, key), how);
    });
  }

  #advance(operation: Operation, sum: string): readonly Linked[] {
    this.#number += 1;
    this.#sum = sum;
    switch (operation.kind) {
      case "locked":
        this.#held = operation.held;
        break;
      case "released":
        this.#held = null;
        break;
      case "moved":
        this.#movedTo = operation.to;
        break;
      case "entries":
        return operation.linked;
      case "filling":
        this.#fill = { mark: operation.filling, staged: [], ahead: this.#state.copy() };
        break;
      case "staged":
        if (this.#fill !== null) {
          this.#fill = { ...this.#fill, staged: [...this.#fill.staged, ...operation.linked] };
        }
        break;
      case "sealed":
        if (this.#fill !== null) this.#fill = { ...this.#fill, mark: operation.filling };
        break;
      case "discarded":
        this.#fill = null;
        break;
      case "filled": {
        const { staged } = this;
        // Sessions have a reference to `#state`, so `ahead` cannot replace it.
        takeAll(this.#state, staged);
        this.#fill = null;
        this.#movedTo = null;
        return staged;
      }
    }
    return [];
  }
}

function takeAll(state: State, linked: readonly Linked[]): void {
  for (const { entry, head } of linked) state.take(entry, head);
}
