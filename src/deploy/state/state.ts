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
import {
  boundBy,
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
import { type StateView, movesWithRecord } from "./view.ts";

export type { StateView } from "./view.ts";

/** The state. Only `take` changes it. */
export class State implements StateView {
  origin: Origin | null = null;
  serial = 0;
  head = "";
  opened = 0;
  readonly keys = new Map<string, KeyRecord>();
  readonly followUps = new Map<string, FollowUp>();
  readonly binds = new Map<string, PendingBind>();
  readonly bound = new Map<string, BoundNumber>();
  readonly absent = new Set<string>();
  /** All requests with an unknown outcome, by the number of their intents. */
  readonly #open = new Map<number, OpenRequest>();

  static fromSnapshot({ serial, head, opened, ...content }: Snapshot): State {
    return State.copyOf({
      origin: onlyOrigin(content),
      serial,
      head,
      opened,
      keys: new Map(content.keys.map(({ key, record }) => [key, record])),
      followUps: new Map(content.follow_ups.map((followUp) => [followUp.id, followUp])),
      binds: new Map((content.binds ?? []).map((bind) => [bind.number, bind])),
      bound: new Map((content.bound ?? []).map((one) => [one.number, one])),
      absent: new Set(content.absent),
    });
  }

  /** Returns an independent copy of a state. */
  static copyOf({ origin, serial, head, opened, ...view }: StateView): State {
    const state = Object.assign(new State(), { origin, serial, head, opened });
    for (const [key, record] of view.keys) state.keys.set(key, record);
    for (const [id, followUp] of view.followUps) state.followUps.set(id, followUp);
    for (const [number, bind] of view.binds) state.binds.set(number, bind);
    for (const [number, one] of view.bound) state.bound.set(number, one);
    for (const key of view.absent) state.absent.add(key);
    for (const { pending } of [...view.keys.values(), ...view.followUps.values()]) {
      if (pending) state.#open.set(pending.intent, pending);
    }
    for (const bind of view.binds.values()) state.#open.set(bind.intent, bind);
    return state;
  }

  /** Returns the whole state as plain data. Undefined before the first event. */
  snapshot(): Snapshot | undefined {
    if (this.origin === null) return undefined;
    return {
      version: stateVersion,
      ...this.origin,
      serial: this.serial,
      head: this.head,
      keys: [...this.keys].map(([key, record]) => ({ key, record })),
      follow_ups: [...this.followUps.values()],
      opened: this.opened,
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
    switch (event.kind) {
      case "begun":
        this.origin = onlyOrigin(event);
        break;
      case "rebound":
        if (this.origin !== null) this.origin = { ...this.origin, address: event.address };
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
          if (!this.keys.has(key))
            throw new Contradiction(`${key} has no record, so it cannot have a second menu`);
          this.#followUp(entry, key, "duplicate", confirmed(event, sentAt, how));
        }
        break;
      }
      case "moved":
        return this.#move(event.from, event.key);
      case "named":
        this.keys.set(event.key, {
          current: { ...this.#current(event.key), naming: event.naming },
          pending: null,
        });
        break;
      case "removed":
        this.#followUp(entry, event.key, "removed", this.#current(event.key));
        this.keys.delete(event.key);
        break;
      case "restored": {
        const { key } = event;
        const followUp = this.#openFollowUp(event.follow_up, key);
        if (followUp.pending) throw new Contradiction(`follow-up ${followUp.id} is pending`);
        const newer = this.#withoutPending(key);
        this.followUps.delete(event.follow_up);
        if (newer !== null) this.#followUp(entry, key, "replaced", newer);
        this.keys.set(key, { current: followUp.record, pending: null });
        break;
      }
      case "done": {
        // A person can close a follow-up whose outcome is unknown.
        const { id, pending } = this.#openFollowUp(event.follow_up);
        this.followUps.delete(id);
        if (pending) this.#open.delete(pending.intent);
        break;
      }
      case "adopted": {
        this.#refuseTaken(event.key);
        const how = { how: "adopted", by: entry.by, evidence: event.evidence } as const;
        const current = confirmed(event, entry.at, how);
        this.keys.set(event.key, { current, pending: null });
        break;
      }
      case "absent":
        this.#refuseTaken(event.key);
        if (this.origin?.recovered === undefined) throw new Contradiction("nothing was lost");
        this.absent.add(event.key);
        break;
      case "completed": {
        if (this.origin?.recovered === undefined) throw new Contradiction("nothing was lost");
        const { recovered, ...origin } = this.origin;
        this.origin = origin;
        this.absent.clear();
        break;
      }
      case "changed-on-console":
        this.keys.set(event.key, changedOnConsole(this.#current(event.key), entry, event));
        break;
      case "dropped":
        this.#current(event.key);
        this.keys.delete(event.key);
        break;
      case "identified":
        return this.#identify(entry, event);
      case "number-seen":
        return this.#seeNumber(event);
    }
  }

  /** Keeps an open request where its menu, its follow-up or its phone number is. */
  #place(request: OpenRequest): void {
    this.#open.set(request.intent, request);
    if (request.action === "bind") this.binds.set(request.number, request);
    else if (request.follow_up !== undefined) {
      const followUp = this.#openFollowUp(request.follow_up);
      this.followUps.set(followUp.id, { ...followUp, pending: request });
    } else {
      const current = this.keys.get(request.key)?.current ?? null;
      this.keys.set(request.key, { current, pending: request });
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
      const { pending: _, ...rest } = this.#openFollowUp(followUp);
      if (isDone) this.followUps.delete(followUp);
      else this.followUps.set(followUp, rest);
    } else if (isDone && request.action !== "delete") {
      const at = outcome.how === "answer" ? entry.at : request.sent_at;
      this.#confirm(entry, key, request, at, toConfirmation(outcome, entry.by));
    } else {
      const current = isDone ? null : this.keys.get(key)?.current;
      if (current) this.keys.set(key, { current, pending: null });
      else this.keys.delete(key);
    }
  }

  #endBind(request: PendingBind, { as, how }: Outcome): void {
    const { key, number } = request;
    const isDone = as === "done";
    this.binds.delete(number);
    if (!isDone && how === "person") return this.#deny(key, number);
    // If the service refused the request, the number points to what it did before.
    if (!isDone && how === "answer") return;
    this.bound.set(number, boundBy(request, this.bound.get(number), isDone));
    if (isDone) this.#unbind(key, number);
  }

  #seeNumber({ key, number, as }: Extract<StateEvent, { kind: "number-seen" }>): void {
    if (this.binds.has(number)) throw new Contradiction(`${number} is pending`);
    if (as === "not-bound") return this.#deny(key, number);
    if (this.bound.get(number)?.key !== key) {
      throw new Contradiction(`${number} was not bound to ${key}`);
    }
    this.#unbind(key, number);
  }

  /** A person says that a number does not point to the menu, or has left the account. */
  #deny(key: string, number: string): void {
    this.bound.delete(number);
    this.#unbind(key, number);
    const record = this.keys.get(key);
    if (!record?.current) return;
    this.keys.set(key, { ...record, current: withoutNumber(record.current, number) });
  }

  #identify(entry: Entry, event: Extract<StateEvent, { kind: "identified" }>): void {
    const { key, follow_up: id } = event;
    if (id === null) {
      const record = this.keys.get(key);
      if (!record?.current) throw new Contradiction(`${key} has no confirmed record`);
      this.keys.set(key, { ...record, current: withId(record.current, entry, event) });
      return;
    }
    const followUp = this.#openFollowUp(id, key);
    this.followUps.set(id, { ...followUp, record: withId(followUp.record, entry, event) });
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
    const before = this.keys.get(key)?.current ?? null;
    if (before !== null && content.action === "update") {
      this.keys.set(key, { current: updated(before, content, createdAt, how), pending: null });
      return;
    }
    if (before !== null) this.#followUp(entry, key, "replaced", before);
    this.keys.set(key, { current: confirmed(content, createdAt, how), pending: null });
  }

  #followUp({ at }: Entry, key: string, reason: FollowUp["reason"], record: Confirmed): void {
    this.opened += 1;
    const id = `F${this.opened}`;
    this.followUps.set(id, { id, key, reason, created_at: at, record });
  }

  /** Moves the record, and what moves with it: its follow-ups, phone numbers and open requests. */
  #move(from: string, key: string): void {
    const record = this.keys.get(from);
    if (record === undefined) throw new Contradiction(`${from} has no record to move`);
    this.#refuseTaken(key);
    this.keys.delete(from);
    this.keys.set(key, record);
    for (const [id, followUp] of this.followUps) {
      if (followUp.key === from && movesWithRecord(followUp)) {
        this.followUps.set(id, { ...followUp, key });
      }
    }
    for (const [number, one] of this.bound) {
      if (one.key === from) this.bound.set(number, { ...one, key });
    }
    for (const request of this.#open.values()) {
      const { follow_up: followUp } = request.action === "bind" ? {} : request;
      const isOwn = followUp === undefined || this.followUps.get(followUp)?.key === key;
      if (request.key === from && isOwn) this.#place({ ...request, key });
    }
  }

  /** A phone number points to the current menu of the key now, and not to an old one. */
  #unbind(key: string, number: string): void {
    for (const [id, followUp] of this.followUps) {
      if (followUp.key !== key) continue;
      this.followUps.set(id, { ...followUp, record: withoutNumber(followUp.record, number) });
    }
  }

  /** The open follow-up with this id, which belongs to the key. */
  #openFollowUp(id: string, key?: string): FollowUp {
    const followUp = this.followUps.get(id);
    if (followUp === undefined) throw new Contradiction(`follow-up ${id} is not open`);
    if (key !== undefined && followUp.key !== key) {
      throw new Contradiction(`follow-up ${id} does not belong to ${key}`);
    }
    return followUp;
  }

  #refuseTaken(key: string): void {
    if (this.keys.has(key)) throw new Contradiction(`${key} already has a record`);
  }

  #withoutPending(key: string): Confirmed | null {
    const record = this.keys.get(key);
    if (record?.pending) throw new Contradiction(`${key} is already pending`);
    return record?.current ?? null;
  }

  #current(key: string): Confirmed {
    const record = this.keys.get(key);
    if (record?.current && record.pending === null) return record.current;
    throw new Contradiction(`${key} has no confirmed record`);
  }
}
