import type { Linked } from "./entries.ts";
import type { ProcessLock } from "./lock.ts";
import type { Marks } from "./marks.ts";
import { State } from "./state.ts";
import type { Filling } from "./store.ts";

/** The lock of a session. A pipeline may use its id twice, so the session identifies the lock. */
export interface Held {
  readonly session: string;
  readonly lock: ProcessLock;
}

/** One change of a stored state, of its lock or of its marks. */
export type Operation =
  | { readonly kind: "locked"; readonly held: Held }
  | { readonly kind: "released" }
  | { readonly kind: "entries"; readonly linked: readonly Linked[] }
  | { readonly kind: "filling"; readonly filling: Filling }
  | { readonly kind: "staged"; readonly linked: readonly Linked[] }
  | { readonly kind: "sealed"; readonly filling: Filling }
  | { readonly kind: "filled" | "discarded" }
  | { readonly kind: "moved"; readonly to: string };

/** A state, its lock and its marks, as the changes so far have left them. */
export class StoredState implements Marks {
  readonly state: State;
  #held: Held | null;
  #movedTo: string | null;
  #filling: Filling | null = null;
  #staged: readonly Linked[] = [];

  constructor(state = new State(), held: Held | null = null, movedTo: string | null = null) {
    this.state = state;
    this.#held = held;
    this.#movedTo = movedTo;
  }

  get held(): Held | null {
    return this.#held;
  }

  get movedTo(): string | null {
    return this.#movedTo;
  }

  get filling(): Filling | null {
    return this.#filling;
  }

  /** Entries that do not count yet. */
  get staged(): readonly Linked[] {
    return this.#staged;
  }

  /** Takes in a change that is durable. */
  add(operation: Operation): void {
    switch (operation.kind) {
      case "locked":
        this.#held = operation.held;
        break;
      case "released":
        this.#held = null;
        break;
      case "entries":
        this.#takeIn(operation.linked);
        break;
      case "filling":
        this.#filling = operation.filling;
        this.#staged = [];
        break;
      case "staged":
        this.#staged = [...this.#staged, ...operation.linked];
        break;
      case "sealed":
        this.#filling = operation.filling;
        break;
      case "filled":
        this.#takeIn(this.#staged);
        this.#movedTo = null;
        this.#endFill();
        break;
      case "discarded":
        this.#endFill();
        break;
      case "moved":
        this.#movedTo = operation.to;
        break;
    }
  }

  #takeIn(linked: readonly Linked[]): void {
    for (const { entry, head } of linked) this.state.take(entry, head);
  }

  #endFill(): void {
    this.#filling = null;
    this.#staged = [];
  }
}
