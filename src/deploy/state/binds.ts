import type { Entry, PendingBind, StateEvent } from "../../schema/state.ts";
import { menuDestination } from "../../schema/wire.ts";
import { Contradiction } from "./open-follow-ups.ts";

/** The events about what phone numbers lead to. */
export type BindEvent = Extract<StateEvent, { number: string }>;

/** The phone numbers with an unknown outcome. */
export class PendingBinds {
  readonly #binds: Map<string, PendingBind>;

  constructor(binds: Iterable<PendingBind> = []) {
    this.#binds = new Map([...binds].map((one) => [one.number, one]));
  }

  /** By number. */
  get all(): ReadonlyMap<string, PendingBind> {
    return this.#binds;
  }

  /** Applies an event. `id` is the one of the key's menu. Returns true if the number leads to the menu now. */
  take({ at }: Entry, event: BindEvent, id: string | undefined): boolean {
    if (event.kind === "bind-intent") {
      this.#begin(event, at, id);
      return false;
    }
    const pending = this.#pending(event);
    if (event.kind === "bind-unknown") {
      const { status, message } = event;
      this.#binds.set(event.number, { ...pending, until: at, seen: { status, message } });
      return false;
    }
    this.#binds.delete(event.number);
    return event.kind === "bound" || (event.kind === "bind-resolved" && event.as === "bound");
  }

  /** A number follows the record of its menu. */
  move(from: string, key: string): void {
    for (const [number, bind] of this.#binds) {
      if (bind.key === from) this.#binds.set(number, { ...bind, key });
    }
  }

  #begin(
    { kind: _, version: __, ...bind }: Extract<BindEvent, { kind: "bind-intent" }>,
    at: string,
    id: string | undefined,
  ): void {
    const { key, number, after } = bind;
    if (id === undefined || after !== menuDestination(id)) {
      throw new Contradiction(`${key} is not the menu that ${number} is bound to`);
    }
    if (this.#binds.has(number)) throw new Contradiction(`${number} is already pending`);
    this.#binds.set(number, { ...bind, sent_at: at, seen: null });
  }

  #pending({ key, number }: Pick<BindEvent, "key" | "number">): PendingBind {
    const bind = this.#binds.get(number);
    if (bind?.key === key) return bind;
    throw new Contradiction(`${number} of ${key} is not pending`);
  }
}
