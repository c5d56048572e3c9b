import type { StateEvent } from "../../schema/state.ts";
import type { Linked } from "./chain.ts";
import type { Sequencer } from "./sequencer.ts";
import type { StateView } from "./state.ts";
import type { Session } from "./store.ts";

/** What a session leaves to its store. */
export interface SessionWriter {
  /** The first one, which every later call meets too. */
  readonly failure: { readonly error: unknown } | undefined;
  append(linked: readonly Linked[]): Promise<void>;
  relocate(to: string | null): Promise<void>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** A session of any store: events become entries here, and the writer makes them durable. */
export class WritingSession implements Session {
  readonly state: StateView;
  readonly #sequencer: Sequencer;
  readonly #writer: SessionWriter;
  #closed: Promise<void> | undefined;

  constructor(state: StateView, sequencer: Sequencer, writer: SessionWriter) {
    this.state = state;
    this.#sequencer = sequencer;
    this.#writer = writer;
  }

  async append(...events: readonly StateEvent[]): Promise<void> {
    this.#refuseEnded();
    await this.#writer.append(this.#sequencer.next(events));
  }

  async copy(linked: readonly Linked[]): Promise<void> {
    this.#refuseEnded();
    await this.#writer.append(this.#sequencer.follow(linked));
  }

  async relocate(to: string | null): Promise<void> {
    this.#refuseEnded();
    await this.#writer.relocate(to);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#writer.close());
  }

  #refuseEnded(): void {
    if (this.#closed !== undefined) throw new Error("The session is closed.");
    if (this.#writer.failure !== undefined) throw this.#writer.failure.error;
  }
}
