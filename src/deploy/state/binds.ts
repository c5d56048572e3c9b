import type { Entry, PendingBind, StateEvent } from "../../schema/state.ts";
import { Contradiction } from "./records.ts";

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

  /** Records that a request is about to leave. */
  begin({ at }: Entry, event: Extract<StateEvent, { kind: "bind-intent" }>): void {
    const { kind: _, version: __, ...bind } = event;
    if (this.#binds.has(bind.number)) {
      throw new Contradiction(`the phone number ${bind.number} is already pending`);
    }
    this.#binds.set(bind.number, { ...bind, sent_at: at, seen: null });
  }

  /** Records an answer that leaves the outcome open. */
  leaveOpen({ at }: Entry, event: Outcome): void {
    const { status, message } = event;
    this.#binds.set(event.number, { ...this.#get(event), until: at, seen: { status, message } });
  }

  end(event: Pick<Outcome, "key" | "number">): void {
    this.#get(event);
    this.#binds.delete(event.number);
  }

  /** A number follows the record of its menu. */
  move(from: string, key: string): void {
    for (const [number, bind] of this.#binds) {
      if (bind.key === from) this.#binds.set(number, { ...bind, key });
    }
  }

  #get({ key, number }: Pick<Outcome, "key" | "number">): PendingBind {
    const bind = this.#binds.get(number);
    if (bind?.key === key) return bind;
    throw new Contradiction(`the phone number ${number} of ${key} is not pending`);
  }
}

type Outcome = Extract<StateEvent, { kind: "bound" | "not-bound" | "bind-unknown" }>;
