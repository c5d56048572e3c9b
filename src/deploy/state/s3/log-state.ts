import { stateVersion } from "../../../schema/state.ts";
import { validate } from "../../../schema/validate.ts";
import type { Linked } from "../entries.ts";
import { decodeLine } from "../file/journal.ts";
import { takeNext } from "../read-entry.ts";
import { type Operation, StoredState } from "../operations.ts";
import { State } from "../state.ts";
import {
  type Header,
  HeaderSchema,
  type SnapshotContent,
  type Where,
  damaged,
  logKey,
  open,
  shownObject,
} from "./objects.ts";

/** The result of a log up to one of its objects: the state, the lock, the marks, and the end of the log. */
export class LogState extends StoredState {
  readonly where: Where;
  #number: number;
  #sum: string;

  /** Starts from a snapshot, or from an empty log. */
  constructor(where: Where, content?: SnapshotContent) {
    const { session = "", lock = null, moved_to: movedTo = null, state = null } = content ?? {};
    super(state ? State.fromSnapshot(state) : new State(), lock && { session, lock }, movedTo);
    this.where = where;
    this.#number = content?.number ?? 0;
    this.#sum = content?.log ?? "";
  }

  /** The number of the last object, or 0 if the log is empty. */
  get number(): number {
    return this.#number;
  }

  /** The sum of the last object, which covers all objects before it. */
  get sum(): string {
    return this.#sum;
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
    return this.advance(this.#operationOf(header, found.lines, key), found.sum);
  }

  /** Applies the next log object. Returns the entries that count from now on. */
  advance(operation: Operation, sum: string): readonly Linked[] {
    const counted =
      operation.kind === "entries"
        ? operation.linked
        : operation.kind === "filled"
          ? this.staged
          : [];
    this.apply(operation);
    this.#number += 1;
    this.#sum = sum;
    return counted;
  }

  /** Returns the content of a snapshot. Do not call it during a fill: a snapshot cannot contain one. */
  snapshot(): SnapshotContent {
    return {
      version: stateVersion,
      environment: this.where.environment,
      number: this.#number,
      log: this.#sum,
      session: this.held?.session ?? "",
      lock: this.held?.lock ?? null,
      moved_to: this.movedTo,
      kind: "snapshot",
      state: this.state.snapshot() ?? null,
    };
  }

  #operationOf(header: Header, lines: readonly string[], key: string): Operation {
    switch (header.kind) {
      case "locked":
        return { kind: header.kind, held: { session: header.session, lock: header.lock } };
      case "entries":
        return { kind: header.kind, linked: this.#verified(lines, key, this.state) };
      case "staged": {
        if (this.filling === null)
          throw damaged(this.where, key, "does not belong to a copy in progress");
        return { kind: header.kind, linked: this.#verified(lines, key, this.ahead) };
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
}
