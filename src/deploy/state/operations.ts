import type { Linked } from "./entries.ts";
import type { ProcessLock } from "./lock.ts";
import type { Marks } from "./marks.ts";
import { State } from "./state.ts";
import type { Filling } from "./store.ts";

/** The lock of a session. The session is unique, even if two locks have the same id. */
export interface SessionLock {
  readonly session: string;
  readonly lock: ProcessLock;
}

/**
 * One change of a stored state, of its lock or of its marks. Staged entries count after
 * `filled`. A new `filling` drops the entries that were staged before it.
 */
export type Operation =
  | { readonly kind: "locked"; readonly held: SessionLock }
  /** `by` is null if the holder itself released the lock. */
  | { readonly kind: "released"; readonly by: string | null }
  | { readonly kind: "entries"; readonly linked: readonly Linked[] }
  | { readonly kind: "filling" | "sealed"; readonly filling: Filling }
  | { readonly kind: "staged"; readonly linked: readonly Linked[] }
  | { readonly kind: "filled" | "discarded" }
  | { readonly kind: "moved"; readonly to: string | null };

/** A state with its lock and its marks, after some operations. */
export class StoredState implements Marks {
  /** Always the same object, because sessions have a reference to it. */
  readonly state: State;
  #held: SessionLock | null;
  #movedTo: string | null;
  #filling: Filling | null = null;
  #staged: readonly Linked[] = [];
  #ahead: State | undefined;

  constructor(state = new State(), held: SessionLock | null = null, movedTo: string | null = null) {
    this.state = state;
    this.#held = held;
    this.#movedTo = movedTo;
  }

  get held(): SessionLock | null {
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

  /** The state with the staged entries, to verify the next ones. */
  get ahead(): State {
    return (this.#ahead ??= this.state.copy());
  }

  /** Applies a durable operation. Entries that were applied when they were verified are skipped. */
  apply(operation: Operation): void {
    switch (operation.kind) {
      case "locked":
        this.#held = operation.held;
        break;
      case "released":
        this.#held = null;
        break;
      case "entries":
        takeAll(this.state, operation.linked);
        break;
      case "filling":
        this.#endFill();
        this.#filling = operation.filling;
        break;
      case "staged":
        takeAll(this.ahead, operation.linked);
        this.#staged = [...this.#staged, ...operation.linked];
        break;
      case "sealed":
        this.#filling = operation.filling;
        break;
      case "filled":
        takeAll(this.state, this.#staged);
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

  #endFill(): void {
    this.#filling = null;
    this.#staged = [];
    this.#ahead = undefined;
  }
}

function takeAll(state: State, linked: readonly Linked[]): void {
  for (const { entry, head } of linked) if (entry.seq > state.serial) state.take(entry, head);
}
