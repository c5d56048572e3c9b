import type { BoundNumber, Entry, PendingBind, StateEvent } from "../../schema/state.ts";
import { menuDestination } from "../../schema/wire.ts";
import { Contradiction } from "./open-follow-ups.ts";

/** The events about what phone numbers point to. */
export type BindEvent = Extract<StateEvent, { number: string }>;

/** Whether a person recorded that a number does not point to the menu, or has left the account. */
export function isDenial(event: BindEvent): boolean {
  return event.kind === "bind-resolved" && event.how === "person" && event.as === "not-bound";
}

/** What phone numbers point to, as far as requests of ivrctl show it. */
export class Binds {
  readonly #pending: Map<string, PendingBind>;
  readonly #bound: Map<string, BoundNumber>;

  constructor(pending: Iterable<PendingBind> = [], bound: Iterable<BoundNumber> = []) {
    this.#pending = new Map([...pending].map((one) => [one.number, one]));
    this.#bound = new Map([...bound].map((one) => [one.number, one]));
  }

  /** The numbers with an unknown outcome. */
  get pending(): ReadonlyMap<string, PendingBind> {
    return this.#pending;
  }

  /** What each number was bound to. */
  get bound(): ReadonlyMap<string, BoundNumber> {
    return this.#bound;
  }

  /** Applies an event. `id` is the one of the key's menu. Returns true if the number points to the menu now. */
  take({ at }: Entry, event: BindEvent, id: string | undefined): boolean {
    const { number } = event;
    switch (event.kind) {
      case "bind-intent":
        this.#begin(event, at, id);
        return false;
      case "bind-unknown": {
        const { status, message } = event;
        this.#pending.set(number, { ...this.#sent(event), until: at, seen: { status, message } });
        return false;
      }
      case "not-bound":
        this.#sent(event);
        this.#pending.delete(number);
        return false;
      case "bound":
        this.#keep(this.#sent(event), true);
        return true;
      case "bind-resolved":
        return this.#resolve(event);
    }
  }

  /** A number follows the record of its menu. */
  move(from: string, key: string): void {
    for (const [number, bind] of this.#pending) {
      if (bind.key === from) this.#pending.set(number, { ...bind, key });
    }
    for (const [number, bind] of this.#bound) {
      if (bind.key === from) this.#bound.set(number, { ...bind, key });
    }
  }

  #begin(
    { kind: _, ...bind }: Extract<BindEvent, { kind: "bind-intent" }>,
    at: string,
    id: string | undefined,
  ): void {
    const { key, number, after } = bind;
    if (id === undefined || after !== menuDestination(id)) {
      throw new Contradiction(`${key} is not the menu that ${number} is bound to`);
    }
    if (this.#pending.has(number)) throw new Contradiction(`${number} is already pending`);
    this.#pending.set(number, { ...bind, sent_at: at, seen: null });
  }

  /** A list that denies a bind can lag behind. A person knows, also after the outcome. */
  #resolve(event: Extract<BindEvent, { kind: "bind-resolved" }>): boolean {
    const { key, number } = event;
    const isBound = event.as === "bound";
    if (isDenial(event)) {
      if (this.#pending.has(number)) this.#sent(event);
      this.#pending.delete(number);
      this.#bound.delete(number);
    } else if (this.#pending.has(number) || this.#bound.get(number)?.key !== key) {
      this.#keep(this.#sent(event), isBound);
    }
    return isBound;
  }

  #keep({ key, number, id, before, after }: PendingBind, isSure: boolean): void {
    const last = this.#bound.get(number) ?? { to: [], former: [] };
    const to = new Set(isSure ? [after] : [...last.to, after]);
    const former = new Set(
      [...last.former, ...last.to, before].filter((one) => !to.has(one ?? "")),
    );
    this.#pending.delete(number);
    this.#bound.set(number, { key, number, id, to: [...to], former: [...former] });
  }

  #sent({ key, number }: Pick<BindEvent, "key" | "number">): PendingBind {
    const bind = this.#pending.get(number);
    if (bind?.key === key) return bind;
    throw new Contradiction(`${number} of ${key} is not pending`);
  }
}
