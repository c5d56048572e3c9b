import {
  type Confirmed,
  type Entry,
  type FollowUp,
  type KeyRecord,
  type Origin,
  type Pending,
  type BoundNumber,
  type PendingBind,
  type Snapshot,
  type StateEvent,
  stateVersion,
} from "../../schema/state.ts";
import { type BindEvent, Binds, isDenial } from "./binds.ts";
import { Contradiction, OpenFollowUps } from "./open-follow-ups.ts";
import {
  type Confirmation,
  type Content,
  type ResolvedAs,
  changedOnConsole,
  confirmed,
  fits,
  isRequest,
  needsId,
  onlyOrigin,
  pendingRequest,
  updated,
  withId,
  withoutNumber,
} from "./records.ts";

/** A state that can be read but not changed. */
export interface StateView {
  /** Null before anything was ever recorded. */
  readonly origin: Origin | null;
  /** The number of events. */
  readonly serial: number;
  /** A hash of all events in their order; "" before the first. */
  readonly head: string;
  readonly keys: ReadonlyMap<string, KeyRecord>;
  /** The open follow-ups, by id. */
  readonly followUps: ReadonlyMap<string, FollowUp>;
  /** How many follow-ups were ever opened. */
  readonly opened: number;
  /** The phone numbers with an unknown outcome, by number. */
  readonly binds: ReadonlyMap<string, PendingBind>;
  /** What phone numbers were bound to, by number. */
  readonly bound: ReadonlyMap<string, BoundNumber>;
  /** In a recovered state, the keys that the service does not have. */
  readonly absent: ReadonlySet<string>;
}

/** The state. Only events change it. */
export class State implements StateView {
  #origin: Origin | null = null;
  #serial = 0;
  #head = "";
  readonly #keys = new Map<string, KeyRecord>();
  readonly #followUps = new OpenFollowUps();
  #opened = 0;
  #binds = new Binds();
  #absent = new Set<string>();

  static fromSnapshot({ serial, head, ...content }: Snapshot): State {
    const { pending, bound } = new Binds(content.binds, content.bound);
    return State.copyOf({
      origin: onlyOrigin(content),
      serial,
      head,
      keys: new Map(content.keys.map(({ key, record }) => [key, record])),
      followUps: new Map(content.follow_ups.map((followUp) => [followUp.id, followUp])),
      opened: content.opened,
      binds: pending,
      bound,
      absent: new Set(content.absent),
    });
  }

  /** Returns an independent copy of a state. */
  static copyOf(view: StateView): State {
    const { origin, serial, head, keys, followUps, opened, binds, bound, absent } = view;
    const state = new State();
    state.#origin = origin;
    state.#serial = serial;
    state.#head = head;
    for (const [key, record] of keys) state.#keys.set(key, record);
    for (const followUp of followUps.values()) state.#followUps.open(followUp);
    state.#opened = opened;
    state.#binds = new Binds(binds.values(), bound.values());
    state.#absent = new Set(absent);
    return state;
  }

  copy(): State {
    return State.copyOf(this);
  }

  get origin(): Origin | null {
    return this.#origin;
  }

  get serial(): number {
    return this.#serial;
  }

  get head(): string {
    return this.#head;
  }

  get keys(): ReadonlyMap<string, KeyRecord> {
    return this.#keys;
  }

  get followUps(): ReadonlyMap<string, FollowUp> {
    return this.#followUps.all;
  }

  get opened(): number {
    return this.#opened;
  }

  get binds(): ReadonlyMap<string, PendingBind> {
    return this.#binds.pending;
  }

  get bound(): ReadonlyMap<string, BoundNumber> {
    return this.#binds.bound;
  }

  get absent(): ReadonlySet<string> {
    return this.#absent;
  }

  /** Returns the whole state as plain data. Undefined before the first event. */
  snapshot(): Snapshot | undefined {
    if (this.#origin === null) return undefined;
    return {
      version: stateVersion,
      ...this.#origin,
      serial: this.#serial,
      head: this.#head,
      keys: [...this.#keys].map(([key, record]) => ({ key, record })),
      follow_ups: [...this.#followUps.all.values()],
      opened: this.#opened,
      ...(this.binds.size === 0 ? {} : { binds: [...this.binds.values()] }),
      ...(this.bound.size === 0 ? {} : { bound: [...this.bound.values()] }),
      ...(this.absent.size === 0 ? {} : { absent: [...this.absent] }),
    };
  }

  /**
   * Applies the next event. `head` is the head of the history that ends with it. The cost
   * does not depend on the size of the state. A contradiction changes nothing.
   */
  take(entry: Entry, head: string): void {
    if (entry.seq !== this.#serial + 1) {
      throw new Contradiction(`event ${entry.seq} follows event ${this.#serial}`);
    }
    if ((entry.event.kind === "begun") !== (this.#origin === null)) {
      throw new Contradiction(
        this.#origin === null
          ? `the first event is \`${entry.event.kind}\`, not \`begun\``
          : `event ${entry.seq} begins the state a second time`,
      );
    }
    this.#apply(entry, entry.event);
    this.#serial = entry.seq;
    this.#head = head;
  }

  #apply(entry: Entry, event: StateEvent): void {
    if (isRequest(event) && event.follow_up !== undefined) {
      return this.#followUps.request(entry, event, event.follow_up);
    }
    switch (event.kind) {
      case "begun":
        this.#origin = onlyOrigin(event);
        break;
      case "rebound":
        if (this.#origin !== null) this.#origin = { ...this.#origin, address: event.address };
        break;
      case "intent": {
        const current = this.#withoutPending(event.key);
        if ((event.action === "create") !== (current === null)) {
          throw new Contradiction(
            current === null
              ? `${event.key} has no record to replace`
              : `${event.key} already has a record`,
          );
        }
        if (needsId(event) && current?.identified === undefined) {
          throw new Contradiction(`${event.key} has no id to ${event.action}`);
        }
        this.#keys.set(event.key, { current, pending: pendingRequest(entry, event) });
        break;
      }
      case "created":
      case "updated": {
        const { status, message } = event;
        const pending = this.#pendingFor(event.key, event.kind);
        this.#confirm(entry, event.key, pending, entry.at, { how: "answered", status, message });
        break;
      }
      case "deleted":
        this.#pendingFor(event.key, event.kind);
        this.#keys.delete(event.key);
        break;
      case "failed":
      case "not-processed":
        return this.#withdraw(event.key);
      case "unknown": {
        const { current, pending } = this.#pending(event.key);
        const seen = { status: event.status, message: event.message };
        this.#keys.set(event.key, { current, pending: { ...pending, until: entry.at, seen } });
        break;
      }
      case "resolved": {
        const pending = this.#pendingFor(event.key, event.as);
        if (event.as === "deleted") this.#keys.delete(event.key);
        else if (event.as !== "created" && event.as !== "updated") this.#withdraw(event.key);
        else {
          const how = { how: "resolved", by: entry.by, evidence: event.evidence } as const;
          this.#confirm(entry, event.key, pending, pending.sent_at, how);
        }
        break;
      }
      case "created-after-all": {
        const { key, status, message, sent_at: sentAt } = event;
        const how = { how: "answered", status, message } as const;
        if (event.as === "current") {
          this.#withoutPending(key);
          this.#confirm(entry, key, event, sentAt, how);
        } else {
          if (!this.#keys.has(key))
            throw new Contradiction(`${key} has no record, so it cannot have a second menu`);
          this.#followUp(entry, key, "duplicate", confirmed(event, sentAt, how));
        }
        break;
      }
      case "moved":
        return this.#move(event.from, event.key);
      case "named":
        this.#keys.set(event.key, {
          current: { ...this.#current(event.key), naming: event.naming },
          pending: null,
        });
        break;
      case "removed":
        this.#followUp(entry, event.key, "removed", this.#current(event.key));
        this.#keys.delete(event.key);
        break;
      case "restored": {
        const { key } = event;
        const followUp = this.#followUps.get(event.follow_up, key);
        if (followUp.pending) throw new Contradiction(`follow-up ${followUp.id} is pending`);
        const newer = this.#withoutPending(key);
        this.#followUps.close(event.follow_up);
        if (newer !== null) this.#followUp(entry, key, "replaced", newer);
        this.#keys.set(key, { current: followUp.record, pending: null });
        break;
      }
      case "done":
        this.#followUps.close(event.follow_up);
        break;
      case "adopted": {
        this.#refuseTaken(event.key);
        const how = { how: "adopted", by: entry.by, evidence: event.evidence } as const;
        const current = confirmed(event, entry.at, how);
        this.#keys.set(event.key, { current, pending: null });
        break;
      }
      case "absent":
        this.#refuseTaken(event.key);
        if (this.#origin?.recovered === undefined) throw new Contradiction("nothing was lost");
        this.#absent.add(event.key);
        break;
      case "completed":
        return this.#endRecovery();
      case "changed-on-console":
        this.#keys.set(event.key, changedOnConsole(this.#current(event.key), entry, event));
        break;
      case "dropped":
        this.#current(event.key);
        this.#keys.delete(event.key);
        break;
      case "identified":
        return this.#identify(entry, event);
      case "bind-intent":
      case "bound":
      case "not-bound":
      case "bind-unknown":
      case "bind-resolved":
        return this.#bind(entry, event);
    }
  }

  #endRecovery(): void {
    if (this.#origin?.recovered === undefined) throw new Contradiction("nothing was lost");
    const { recovered, ...origin } = this.#origin;
    this.#origin = origin;
    this.#absent.clear();
  }

  #bind(entry: Entry, event: BindEvent): void {
    const { key, number } = event;
    const record = this.#keys.get(key);
    const id = record?.current?.identified?.id;
    if (this.#binds.take(entry, event, id) || isDenial(event)) this.#followUps.unbind(key, number);
    if (!isDenial(event) || !record?.current) return;
    this.#keys.set(key, { ...record, current: withoutNumber(record.current, number) });
  }

  #identify(entry: Entry, event: Extract<StateEvent, { kind: "identified" }>): void {
    const { key, follow_up: id } = event;
    if (id === null) {
      const record = this.#keys.get(key);
      if (!record?.current) throw new Contradiction(`${key} has no confirmed record`);
      this.#keys.set(key, { ...record, current: withId(record.current, entry, event) });
      return;
    }
    const followUp = this.#followUps.get(id, key);
    this.#followUps.open({ ...followUp, record: withId(followUp.record, entry, event) });
  }

  /**
   * Makes the content the current record of the key. The record before it becomes a follow-up,
   * unless it was updated: then it is the same menu.
   */
  #confirm(
    entry: Entry,
    key: string,
    content: Content,
    createdAt: string,
    how: Confirmation,
  ): void {
    const before = this.#keys.get(key)?.current ?? null;
    if (before !== null && content.action === "update") {
      this.#keys.set(key, { current: updated(before, content, createdAt, how), pending: null });
      return;
    }
    if (before !== null) this.#followUp(entry, key, "replaced", before);
    this.#keys.set(key, { current: confirmed(content, createdAt, how), pending: null });
  }

  /** Ends the pending create of a key without a new record. */
  #withdraw(key: string): void {
    const { current } = this.#pending(key);
    if (current === null) this.#keys.delete(key);
    else this.#keys.set(key, { current, pending: null });
  }

  #followUp({ at }: Entry, key: string, reason: FollowUp["reason"], record: Confirmed): void {
    this.#opened += 1;
    this.#followUps.open({ id: `F${this.#opened}`, key, reason, created_at: at, record });
  }

  /** Moves the record, and the follow-ups that move with it. */
  #move(from: string, key: string): void {
    const record = this.#keys.get(from);
    if (record === undefined) throw new Contradiction(`${from} has no record to move`);
    this.#refuseTaken(key);
    this.#keys.delete(from);
    this.#keys.set(key, record);
    this.#followUps.move(from, key);
    this.#binds.move(from, key);
  }

  #refuseTaken(key: string): void {
    if (this.#keys.has(key)) throw new Contradiction(`${key} already has a record`);
  }

  #withoutPending(key: string): Confirmed | null {
    const record = this.#keys.get(key);
    if (record?.pending) throw new Contradiction(`${key} is already pending`);
    return record?.current ?? null;
  }

  #pending(key: string): KeyRecord & { readonly pending: Pending } {
    const record = this.#keys.get(key);
    if (record === undefined || record.pending === null) {
      throw new Contradiction(`${key} is not pending`);
    }
    return record;
  }

  /** The request of a key, which can have this outcome. */
  #pendingFor(key: string, outcome: ResolvedAs): Pending {
    const { pending } = this.#pending(key);
    if (fits(outcome, pending)) return pending;
    throw new Contradiction(`the outcome of ${key} does not fit its request`);
  }

  #current(key: string): Confirmed {
    const record = this.#keys.get(key);
    if (record?.current && record.pending === null) return record.current;
    throw new Contradiction(`${key} has no confirmed record`);
  }
}
