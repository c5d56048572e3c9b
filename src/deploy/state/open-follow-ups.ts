import type { Entry, FollowUp } from "../../schema/state.ts";
import { type RequestEvent, pendingRequest, withoutNumber } from "./records.ts";

/** Thrown for an event that contradicts the events before it. */
export class Contradiction extends Error {}

/** Whether a follow-up moves with the record of its key. Follow-ups of a deleted file do not. */
export function movesWithRecord({ reason }: FollowUp): boolean {
  return reason !== "removed";
}

/** The open follow-ups of a state, by id and by key. */
export class OpenFollowUps {
  readonly #all = new Map<string, FollowUp>();
  readonly #idsOf = new Map<string, Set<string>>();

  get all(): ReadonlyMap<string, FollowUp> {
    return this.#all;
  }

  /** Opens a follow-up, or changes one that is open. */
  open(followUp: FollowUp): void {
    const { id, key } = followUp;
    this.#all.set(id, followUp);
    const ids = this.#idsOf.get(key);
    if (ids === undefined) this.#idsOf.set(key, new Set([id]));
    else ids.add(id);
  }

  /** The open follow-up with this id, which belongs to the key. */
  get(id: string, key?: string): FollowUp {
    const followUp = this.#all.get(id);
    if (followUp === undefined) throw new Contradiction(`follow-up ${id} is not open`);
    if (key !== undefined && followUp.key !== key) {
      throw new Contradiction(`follow-up ${id} does not belong to ${key}`);
    }
    return followUp;
  }

  /** A phone number points to the current menu of the key now, and not to an old one. */
  unbind(key: string, number: string): void {
    for (const id of this.#idsOf.get(key) ?? []) {
      const followUp = this.get(id);
      this.open({ ...followUp, record: withoutNumber(followUp.record, number) });
    }
  }

  close(id: string): void {
    const { key } = this.get(id);
    this.#all.delete(id);
    this.#idsOf.get(key)?.delete(id);
  }

  /** Takes an event about a request that deletes the menu of a follow-up. */
  request(entry: Entry, event: RequestEvent, id: string): void {
    const { pending, ...followUp } = this.get(id, event.key);
    if (event.kind === "intent") {
      if (pending !== undefined) throw new Contradiction(`follow-up ${id} is already pending`);
      if (event.action !== "delete" || followUp.record.identified === undefined) {
        throw new Contradiction(`follow-up ${id} has no id to ${event.action}`);
      }
      this.open({ ...followUp, pending: pendingRequest(entry, event) });
      return;
    }
    if (pending === undefined) throw new Contradiction(`follow-up ${id} is not pending`);
    const outcome = event.kind === "resolved" ? event.as : event.kind;
    if (outcome === "deleted") this.close(id);
    else if (event.kind === "unknown") {
      const { status, message } = event;
      const seen = { ...pending, until: entry.at, seen: { status, message } };
      this.open({ ...followUp, pending: seen });
    } else if (outcome === "failed" || outcome === "not-processed" || outcome === "not-deleted") {
      this.open(followUp);
    } else throw new Contradiction(`the outcome of follow-up ${id} does not fit its request`);
  }

  /** Moves the follow-ups of a record that move with it. */
  move(from: string, to: string): void {
    for (const id of this.#idsOf.get(from) ?? []) {
      const followUp = this.get(id);
      if (!movesWithRecord(followUp)) continue;
      this.close(id);
      this.open({ ...followUp, key: to });
    }
  }
}
