import {
  type BoundNumber,
  type Confirmed,
  type Entry,
  type FollowUp,
  type KeyRecord,
  type Origin,
  type Outcome,
  type PendingBind,
  type Snapshot,
  type StateEvent,
  stateVersion,
} from "../../schema/state.ts";
import { FollowUps, movesWithRecord } from "./follow-ups.ts";
import { boundBy } from "./numbers.ts";
import {
  type Confirmation,
  type Content,
  Contradiction,
  type OpenRequest,
  changedOnConsole,
  toConfirmation,
  confirmed,
  fits,
  onlyOrigin,
  refuseIntent,
  openRequest,
  updated,
  withId,
  withoutNumber,
} from "./records.ts";
import type { StateView } from "./view.ts";

export type { StateView } from "./view.ts";

/** The state. Only events change it. */
export class State implements StateView {
  #origin: Origin | null = null;
  #serial = 0;
  #head = "";
  #opened = 0;
  readonly #keys = new Map<string, KeyRecord>();
  readonly #followUps = new FollowUps();
  readonly #binds = new Map<string, PendingBind>();
  readonly #bound = new Map<string, BoundNumber>();
  readonly #absent = new Set<string>();
  readonly keys: ReadonlyMap<string, KeyRecord> = this.#keys;
  readonly followUps: ReadonlyMap<string, FollowUp> = this.#followUps.all;
  readonly binds: ReadonlyMap<string, PendingBind> = this.#binds;
  readonly bound: ReadonlyMap<string, BoundNumber> = this.#bound;
  readonly absent: ReadonlySet<string> = this.#absent;
  /** All requests with an unknown outcome, by the number of their intents. */
  readonly #open = new Map<number, OpenRequest>();

  static fromSnapshot({ serial, head, ...content }: Snapshot): State {
    return State.copyOf({
      origin: onlyOrigin(content),
      serial,
      head,
      keys: new Map(content.keys.map(({ key, record }) => [key, record])),
      followUps: new Map(content.follow_ups.map((followUp) => [followUp.id, followUp])),
      opened: content.opened,
      binds: new Map((content.binds ?? []).map((bind) => [bind.number, bind])),
      bound: new Map((content.bound ?? []).map((one) => [one.number, one])),
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
    for (const [number, bind] of binds) state.#binds.set(number, bind);
    for (const [number, one] of bound) state.#bound.set(number, one);
    for (const key of absent) state.#absent.add(key);
    for (const holder of [...keys.values(), ...followUps.values()]) {
      if (holder.pending) state.#open.set(holder.pending.intent, holder.pending);
    }
    for (const bind of binds.values()) state.#open.set(bind.intent, bind);
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

  get opened(): number {
    return this.#opened;
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
    switch (event.kind) {
      case "begun":
        this.#origin = onlyOrigin(event);
        break;
      case "rebound":
        if (this.#origin !== null) this.#origin = { ...this.#origin, address: event.address };
        break;
      case "intent":
        refuseIntent(event, this);
        return this.#place(openRequest(entry, event));
      case "outcome":
        return this.#end(entry, event);
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
        return this.#close(event.follow_up);
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
      case "number-seen":
        return this.#seeNumber(event);
    }
  }

  #endRecovery(): void {
    if (this.#origin?.recovered === undefined) throw new Contradiction("nothing was lost");
    const { recovered, ...origin } = this.#origin;
    this.#origin = origin;
    this.#absent.clear();
  }

  /** Keeps an open request where its menu, its follow-up or its phone number is. */
  #place(request: OpenRequest): void {
    this.#open.set(request.intent, request);
    if (request.action === "bind") this.#binds.set(request.number, request);
    else if (request.follow_up !== undefined) {
      this.#followUps.open({ ...this.#followUps.get(request.follow_up), pending: request });
    } else {
      const current = this.#keys.get(request.key)?.current ?? null;
      this.#keys.set(request.key, { current, pending: request });
    }
  }

  /** Takes the outcome of a request. Only `unknown` leaves it open. */
  #end(entry: Entry, outcome: Outcome): void {
    const request = this.#open.get(outcome.intent);
    if (request === undefined) throw new Contradiction(`${outcome.key} is not pending`);
    if (!fits(outcome, request)) {
      throw new Contradiction(`the outcome of ${outcome.key} does not fit its request`);
    }
    if (outcome.as === "unknown") {
      const { status, message } = outcome;
      return this.#place({ ...request, until: entry.at, seen: { status, message } });
    }
    this.#open.delete(outcome.intent);
    if (request.action === "bind") return this.#endBind(request, outcome);
    const { key, follow_up: followUp } = request;
    const isDone = outcome.as === "done";
    if (followUp !== undefined) {
      const { pending: _, ...rest } = this.#followUps.get(followUp);
      if (isDone) this.#followUps.close(followUp);
      else this.#followUps.open(rest);
    } else if (isDone && request.action !== "delete") {
      const at = outcome.how === "answer" ? entry.at : request.sent_at;
      this.#confirm(entry, key, request, at, toConfirmation(outcome, entry.by));
    } else {
      const current = isDone ? null : this.#keys.get(key)?.current;
      if (current) this.#keys.set(key, { current, pending: null });
      else this.#keys.delete(key);
    }
  }

  #endBind(request: PendingBind, { as, how }: Outcome): void {
    const { key, number } = request;
    const isDone = as === "done";
    this.#binds.delete(number);
    if (!isDone && how === "person") return this.#deny(key, number);
    // If the service refused the request, the number points to what it did before.
    if (!isDone && how === "answer") return;
    this.#bound.set(number, boundBy(request, this.#bound.get(number), isDone));
    if (isDone) this.#followUps.unbind(key, number);
  }

  #seeNumber({ key, number, as }: Extract<StateEvent, { kind: "number-seen" }>): void {
    if (this.#binds.has(number)) throw new Contradiction(`${number} is pending`);
    if (as === "not-bound") return this.#deny(key, number);
    if (this.#bound.get(number)?.key !== key) {
      throw new Contradiction(`${number} was not bound to ${key}`);
    }
    this.#followUps.unbind(key, number);
  }

  /** A person says that a number does not point to the menu, or has left the account. */
  #deny(key: string, number: string): void {
    this.#bound.delete(number);
    this.#followUps.unbind(key, number);
    const record = this.#keys.get(key);
    if (!record?.current) return;
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

  #followUp({ at }: Entry, key: string, reason: FollowUp["reason"], record: Confirmed): void {
    this.#opened += 1;
    this.#followUps.open({ id: `F${this.#opened}`, key, reason, created_at: at, record });
  }

  /** A person can close a follow-up whose outcome is unknown. */
  #close(id: string): void {
    const { pending } = this.#followUps.get(id);
    this.#followUps.close(id);
    if (pending) this.#open.delete(pending.intent);
  }

  /** Moves the record, and what moves with it: its follow-ups, phone numbers and open requests. */
  #move(from: string, key: string): void {
    const record = this.#keys.get(from);
    if (record === undefined) throw new Contradiction(`${from} has no record to move`);
    this.#refuseTaken(key);
    this.#keys.delete(from);
    this.#keys.set(key, record);
    for (const followUp of this.#followUps.of(from).filter(movesWithRecord)) {
      this.#followUps.close(followUp.id);
      this.#followUps.open({ ...followUp, key });
    }
    for (const [number, one] of this.#bound) {
      if (one.key === from) this.#bound.set(number, { ...one, key });
    }
    const own = [
      record.pending,
      ...this.#followUps.of(key).map(({ pending }) => pending),
      ...[...this.#binds.values()].filter((bind) => bind.key === from),
    ];
    for (const request of own) if (request) this.#place({ ...request, key });
  }

  #refuseTaken(key: string): void {
    if (this.#keys.has(key)) throw new Contradiction(`${key} already has a record`);
  }

  #withoutPending(key: string): Confirmed | null {
    const record = this.#keys.get(key);
    if (record?.pending) throw new Contradiction(`${key} is already pending`);
    return record?.current ?? null;
  }

  #current(key: string): Confirmed {
    const record = this.#keys.get(key);
    if (record?.current && record.pending === null) return record.current;
    throw new Contradiction(`${key} has no confirmed record`);
  }
}
