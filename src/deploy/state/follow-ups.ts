import type { FollowUp } from "../../schema/state.ts";
import { Contradiction, withoutNumber } from "./records.ts";

/** Whether a follow-up moves with the record of its key. Follow-ups of a deleted file do not. */
export function movesWithRecord({ reason }: FollowUp): boolean {
  return reason !== "removed";
}

/** The open follow-ups of a state, by id and by key. */
export class FollowUps {
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

  /** The open follow-ups of a key. */
  of(key: string): FollowUp[] {
    return [...(this.#idsOf.get(key) ?? [])].map((id) => this.get(id));
  }

  /** A phone number points to the current menu of the key now, and not to an old one. */
  unbind(key: string, number: string): void {
    for (const followUp of this.of(key)) {
      this.open({ ...followUp, record: withoutNumber(followUp.record, number) });
    }
  }

  close(id: string): void {
    const { key } = this.get(id);
    this.#all.delete(id);
    this.#idsOf.get(key)?.delete(id);
  }
}
