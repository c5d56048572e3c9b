import { type Ref, isOld, menuRef, nameIn, refText, subjectRef } from "../../schema/ref.ts";
import {
  type AppliedCommit,
  type Confirmed,
  type Entry,
  type FollowUp,
  type Intent,
  type MenuRecord,
  type NumberRecord,
  type StateOrigin,
  type RecordedOutcome,
  type Recorded,
  type RecordingText,
  type Snapshot,
  type StateEvent,
  emptySnapshot,
} from "../../schema/state.ts";
import {
  type Confirmation,
  type SentContent,
  Contradiction,
  type MenuRequest,
  boundBy,
  confirmed,
  created,
  movedRecord,
  needsId,
  pointedBefore,
  recordRef,
  renamed,
  toConfirmation,
  updated,
  recordWithId,
} from "./records.ts";
import { isAboutRecording, takeRecording } from "./made-recording.ts";
import { pointed, pointedFrom, unbound } from "./pointed.ts";
import {
  type StateView,
  followUpRecord,
  menuRecord,
  numberRecord,
  openText,
  withoutFollowUp,
} from "./view.ts";

export type { StateView } from "./view.ts";

/** The state. Only `take` changes it. */
export class State implements StateView {
  origin: StateOrigin | null;
  serial: number;
  head: string;
  opened: number;
  readonly records: Map<Ref, Recorded>;
  readonly recordings: Map<string, RecordingText>;
  readonly absent: Set<string>;
  applied: AppliedCommit | null;

  /** Starts from an independent copy of a state, from a snapshot of it, or from nothing. */
  constructor(from: StateView | Snapshot = emptySnapshot) {
    const { origin, serial, head, opened, records, recordings, absent, applied } = from;
    this.origin = origin;
    this.serial = serial;
    this.head = head;
    this.opened = opened;
    this.records = new Map([...records.values()].map((one) => [recordRef(one), one]));
    this.recordings = new Map([...recordings.values()].map((one) => [one.id, one]));
    this.absent = new Set(absent);
    this.applied = applied;
  }

  /** Returns the whole state as plain data. */
  snapshot(): Snapshot {
    const { origin, serial, head, opened, applied } = this;
    const records = [...this.records.values()];
    const [recordings, absent] = [[...this.recordings.values()], [...this.absent]];
    return { origin, serial, head, records, recordings, opened, absent, applied };
  }

  /**
   * Applies the next event. `head` is the head of the history that ends with it. A contradiction
   * changes nothing. Only events that are rare in a history look at all records.
   */
  take(entry: Entry, head: string): void {
    if (entry.seq !== this.serial + 1) {
      throw new Contradiction(`event ${entry.seq} follows event ${this.serial}`);
    }
    if ((entry.event.kind === "begun") !== (this.origin === null)) {
      throw new Contradiction(
        this.origin === null
          ? `the first event is \`${entry.event.kind}\`, not \`begun\``
          : `event ${entry.seq} begins the state a second time`,
      );
    }
    this.#apply(entry, entry.event);
    this.serial = entry.seq;
    this.head = head;
  }

  #apply(entry: Entry, event: StateEvent): void {
    if (isAboutRecording(event)) return takeRecording(this.records, entry, event);
    switch (event.kind) {
      case "begun": {
        const { kind: _, version: __, ...origin } = event;
        this.origin = origin;
        break;
      }
      case "rebound":
        if (this.origin !== null) this.origin = { ...this.origin, address: event.address };
        break;
      case "intent": {
        this.#refuseIntent(event);
        const { kind: _, ...request } = event;
        return this.#place({ ...request, intent: entry.seq, sent_at: entry.at, seen: null });
      }
      case "outcome":
        return this.#end(entry, event);
      case "created-after-all": {
        const { key, status, message, sent_at: sentAt } = event;
        const how = { how: "answered", status, message } as const;
        if (event.as === "current") {
          this.#withoutPending(key);
          this.#confirm(entry, key, event, sentAt, how);
        } else {
          if (menuRecord(this, key) === undefined)
            throw new Contradiction(`${key} has no record, so it cannot have a second menu`);
          this.#followUp(entry, key, "duplicate", created(event, sentAt, how));
        }
        break;
      }
      case "moved":
        return this.#move(event.from, event.key);
      case "named":
        return this.#live(event.key, renamed(this.#current(event.key), event));
      case "text":
        return this.#takeText(entry, event);
      case "removed":
        this.#followUp(entry, event.key, "removed", this.#current(event.key));
        this.records.delete(menuRef(event.key));
        break;
      case "restored": {
        const { key } = event;
        const followUp = this.#openFollowUp(event.follow_up, key);
        if (followUp.pending) throw new Contradiction(`follow-up ${followUp.id} is pending`);
        const newer = this.#withoutPending(key);
        this.records.delete(recordRef(followUp));
        if (newer !== null) this.#followUp(entry, key, "replaced", newer);
        return this.#live(key, followUp.current);
      }
      case "done": {
        const text = openText(this, event.follow_up);
        if (text) return this.#putText({ ...text, open: null });
        // A person can close a follow-up whose outcome is unknown.
        const followUp = this.#openFollowUp(event.follow_up);
        this.records.delete(recordRef(followUp));
        return this.#putAll(pointedFrom(this, followUp));
      }
      case "adopted": {
        this.#refuseTaken(event.key);
        const how = { how: "adopted", by: entry.by, evidence: event.evidence } as const;
        return this.#live(event.key, confirmed(event, entry.at, how));
      }
      case "absent":
        this.#refuseTaken(event.key);
        if (this.origin?.recovered === undefined) throw new Contradiction("nothing was lost");
        this.absent.add(event.key);
        break;
      case "applied":
        this.applied = { commit: event.commit, modified: event.modified, at: entry.at };
        break;
      case "completed": {
        if (this.origin?.recovered === undefined) throw new Contradiction("nothing was lost");
        const { recovered, ...origin } = this.origin;
        this.origin = origin;
        this.absent.clear();
        break;
      }
      case "changed-on-console": {
        const { key, evidence, by_hand: byHand, ...content } = event;
        const how = { how: "resolved", by: entry.by, evidence } as const;
        const before = pointedBefore(this.#current(key), byHand);
        return this.#live(key, updated(before, content, entry.at, how));
      }
      case "dropped":
        this.#current(event.key);
        this.records.delete(menuRef(event.key));
        break;
      case "identified":
        return this.#identify(entry, event);
      case "number-seen":
        return this.#seeNumber(event);
      case "pointed":
        return this.#putAll(pointed(this, event.key, event.number));
    }
  }

  /** Refuses an intent that does not fit what is recorded. */
  #refuseIntent(event: Exclude<Intent, { action: "record" }>): void {
    const { key, action } = event;
    const ref = subjectRef(event);
    if (event.action === "bind") {
      const id = menuRecord(this, key)?.current?.identified?.id;
      if (id === undefined || event.after.kind !== "menu" || event.after.id !== id) {
        throw new Contradiction(`${key} is not the menu that ${event.number} is bound to`);
      }
    }
    const old = isOld(ref) ? this.#openFollowUp(nameIn(ref), key) : undefined;
    const name = refText(ref);
    if (this.records.get(ref)?.pending) throw new Contradiction(`${name} is already pending`);
    if (action === "bind") return;
    const current = old ? old.current : menuRecord(this, key)?.current;
    if (action === "create" && current) throw new Contradiction(`${name} already has a record`);
    if (action !== "create" && !current) {
      throw new Contradiction(`${name} has no record to ${action}`);
    }
    if (old && action !== "delete" && !(action === "update" && old.reason === "trial"))
      throw new Contradiction(`${name} can only be deleted`);
    if (needsId(event) && !current?.identified) {
      throw new Contradiction(`${name} has no id to ${action}`);
    }
  }

  /** Keeps an open request with the record of what it is about. */
  #place(request: MenuRequest): void {
    if (request.action === "bind") {
      const { number } = request;
      const { current = null } = numberRecord(this, number) ?? {};
      this.#put({ kind: "number", number, current, pending: request });
    } else if (request.follow_up !== undefined) {
      this.#put({ ...this.#openFollowUp(request.follow_up), pending: request });
    } else {
      const { key } = request;
      const { current = null } = menuRecord(this, key) ?? {};
      this.#put({ kind: "menu", key, current, pending: request });
    }
  }

  /** Takes the outcome of a request. Only `unknown` leaves it open. */
  #end(entry: Entry, outcome: RecordedOutcome): void {
    const ref = subjectRef(outcome);
    const record = this.records.get(ref);
    if (!record || record.kind === "recording" || record.pending?.intent !== outcome.intent) {
      throw new Contradiction(`${outcome.key} is not pending`);
    }
    const { pending: request } = record;
    if (request.key !== outcome.key || request.action !== outcome.action) {
      throw new Contradiction(`the outcome of ${outcome.key} does not fit its request`);
    }
    if (outcome.as === "unknown") {
      const { status, message } = outcome;
      return this.#place({ ...request, until: entry.at, seen: { status, message } });
    }
    if (record.kind === "number") return this.#endBind(record, outcome);
    if (outcome.as === "not-done") return this.#put({ ...record, pending: null });
    if (request.action === "bind" || request.action === "delete") {
      this.records.delete(ref);
      return;
    }
    const at = outcome.how === "answer" ? entry.at : request.sent_at;
    const how = toConfirmation(outcome, entry.by);
    if (record.kind === "menu") this.#confirm(entry, request.key, request, at, how);
    else
      this.#put({ ...record, current: updated(record.current, request, at, how), pending: null });
  }

  #endBind(record: NumberRecord, { key, as, how }: RecordedOutcome): void {
    const { number, current: last, pending } = record;
    const isDone = as === "done";
    if (!isDone && how === "person") return this.#deny(key, number);
    // If the service refused the request, the number points to what it did before.
    const isLast = pending === null || (!isDone && how === "answer");
    const current = isLast ? last : boundBy(pending, last, isDone);
    this.#put({ ...record, current, pending: null });
    if (isDone) this.#putAll(unbound(this, key, number, "old"));
  }

  #seeNumber({ key, number, as }: Extract<StateEvent, { kind: "number-seen" }>): void {
    const record = numberRecord(this, number);
    if (record?.pending) throw new Contradiction(`${number} is pending`);
    if (as === "not-bound") return this.#deny(key, number);
    if (record?.current?.key !== key) {
      throw new Contradiction(`${number} was not bound to ${key}`);
    }
    this.#putAll(unbound(this, key, number, "old"));
  }

  /** A person says that a number does not point to the menu, or has left the account. */
  #deny(key: string, number: string): void {
    this.records.delete(`number:${number}`);
    this.#putAll(unbound(this, key, number, "menu", "old"));
  }

  #identify(entry: Entry, event: Extract<StateEvent, { kind: "identified" }>): void {
    const { key, follow_up: id } = event;
    const record = id === null ? withoutFollowUp(this, key) : this.#openFollowUp(id, key);
    if (!record?.current) throw new Contradiction(`${key} has no confirmed record`);
    this.#put({ ...record, current: recordWithId(record.current, entry, event) });
  }

  /**
   * Makes the content the current record of the key. The record before it becomes a follow-up,
   * unless it was updated: then it is the same menu.
   */
  #confirm(
    entry: Entry,
    key: string,
    content: SentContent,
    createdAt: string,
    how: Confirmation,
  ): void {
    const before = menuRecord(this, key)?.current ?? null;
    if (content.trial) {
      this.records.delete(menuRef(key));
      return this.#followUp(entry, key, "trial", created(content, createdAt, how));
    }
    if (before !== null && content.action === "update") {
      const prior = pointedBefore(before, content.by_hand);
      return this.#live(key, updated(prior, content, createdAt, how));
    }
    if (before !== null) this.#followUp(entry, key, "replaced", before);
    this.#live(key, created(content, createdAt, how));
  }

  #takeText({ at }: Entry, event: Extract<StateEvent, { kind: "text" }>): void {
    const { recording: id, says, was = says, alias } = event;
    const { says: last, open } = this.recordings.get(id) ?? { says: was, open: null };
    const about = { id, ...(alias !== undefined && { alias }), says };
    if (last === says) return this.#putText({ ...about, open });
    if (open?.was === says) return this.#putText({ ...about, open: null });
    const opened = open ?? { follow_up: this.#nextFollowUp(), was: last, created_at: at };
    this.#putText({ ...about, open: opened });
  }

  #putText(text: RecordingText): void {
    this.recordings.set(text.id, text);
  }

  #nextFollowUp(): string {
    this.opened += 1;
    return `F${this.opened}`;
  }

  #followUp({ at }: Entry, key: string, reason: FollowUp["reason"], current: Confirmed): void {
    const id = this.#nextFollowUp();
    this.#put({ kind: "old", id, key, reason, created_at: at, current, pending: null });
  }

  /** Moves the record, and what moves with it: its follow-ups, phone numbers and open requests. */
  #move(from: string, key: string): void {
    if (menuRecord(this, from) === undefined) {
      throw new Contradiction(`${from} has no record to move`);
    }
    this.#refuseTaken(key);
    for (const record of this.records.values()) this.#put(movedRecord(record, from, key));
    this.records.delete(menuRef(from));
  }

  #putAll(records: readonly Recorded[]): void {
    for (const record of records) this.#put(record);
  }

  /** Keeps a record, unless nothing is known and nothing was requested. */
  #put(record: Recorded): void {
    const ref = recordRef(record);
    if (record.current || record.pending) this.records.set(ref, record);
    else this.records.delete(ref);
  }

  /** The menu of the key exists, and has no open request. */
  #live(key: string, current: Confirmed): void {
    this.#put({ kind: "menu", key, current, pending: null });
  }

  #openFollowUp(id: string, key?: string): FollowUp {
    const followUp = followUpRecord(this, id);
    if (followUp === undefined) throw new Contradiction(`follow-up ${id} is not open`);
    if (key !== undefined && followUp.key !== key) {
      throw new Contradiction(`follow-up ${id} does not belong to ${key}`);
    }
    return followUp;
  }

  #refuseTaken(key: string): void {
    if (menuRecord(this, key)) throw new Contradiction(`${key} already has a record`);
  }

  #withoutPending(key: string): MenuRecord["current"] {
    const { current = null, pending = null } = menuRecord(this, key) ?? {};
    if (pending) throw new Contradiction(`${key} is already pending`);
    return current;
  }

  #current(key: string): Confirmed {
    const record = menuRecord(this, key);
    if (record?.current && record.pending === null) return record.current;
    throw new Contradiction(`${key} has no confirmed record`);
  }
}
