import type { StateEvent } from "../../schema/state.ts";
import type { Linked } from "./chain.ts";
import { type Moment, isOld } from "./moment.ts";
import { notCopied } from "./moved.ts";
import type { Sequencer } from "./sequencer.ts";
import type { StateView } from "./state.ts";
import { type Filling, type Session, StateProblem } from "./store.ts";

/** What a session leaves to its store. */
export interface SessionWriter {
  /** The first one, which every later call meets too. */
  readonly failure: { readonly error: unknown } | undefined;
  /** When the store was asked that last said that the lock is this session's; undefined: it has to be asked. */
  readonly confirmed: Moment | undefined;
  /** As people are told it. */
  readonly place: string;
  /**
   * Keeps room for the outcome of each intent among these events, which are appended next:
   * undefined where there is room already. Rejects where there is none; nothing else is
   * lost by that.
   */
  readonly makeRoom?: (events: readonly StateEvent[]) => Promise<void> | undefined;
  append(linked: readonly Linked[]): Promise<void>;
  /** Asks whether the lock is still this session's, in its turn; rejects, and fails, where it is not. */
  confirm(): Promise<void>;
  readonly movedTo: string | null;
  readonly filling: Filling | null;
  /** Marks the state durably with this; staged entries of an earlier fill are dropped. */
  fill(filling: Filling): Promise<void>;
  /** Keeps entries durably beside the history. */
  stage(linked: readonly Linked[]): Promise<void>;
  /** What is staged, read back from the store and verified against the history before it. */
  staged(): Promise<readonly Linked[]>;
  /** Replaces the mark; staged entries stay. */
  seal(filling: Filling): Promise<void>;
  /** In one step for every reader: adds what is staged, removes the marks of filling and of moving. The session's state follows. */
  open(): Promise<void>;
  /** Drops what is staged, then removes the mark. */
  discard(): Promise<void>;
  relocate(to: string): Promise<void>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** How often a store that takes too long is asked. */
const mostAsks = 5;

/** A session of any store: events become entries here, and the writer makes them durable. */
export class WritingSession implements Session {
  readonly state: StateView;
  readonly #sequencer: Sequencer;
  readonly #writer: SessionWriter;
  #confirming: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #fills = false;

  constructor(state: StateView, sequencer: Sequencer, writer: SessionWriter) {
    this.state = state;
    this.#sequencer = sequencer;
    this.#writer = writer;
  }

  async append(...events: readonly StateEvent[]): Promise<void> {
    this.#refuseEnded();
    if (this.#fills || this.filling !== null) {
      throw new Error("A session that fills a state adds nothing else.");
    }
    const room = this.#writer.makeRoom?.(events);
    if (room !== undefined) {
      await room;
      this.#refuseEnded();
    }
    await this.#writer.append(this.#sequencer.next(events));
  }

  get movedTo(): string | null {
    return this.#writer.movedTo;
  }

  get filling(): Filling | null {
    return this.#writer.filling;
  }

  async fill(filling: Omit<Filling, "head">): Promise<void> {
    this.#refuseEnded();
    this.#fills = true;
    await this.#writer.fill({ ...filling, head: null });
  }

  async copy(linked: readonly Linked[]): Promise<void> {
    this.#refuseEnded();
    this.#requireFilling();
    await this.#writer.stage(this.#sequencer.follow(linked));
  }

  async seal(head: string): Promise<void> {
    this.#refuseEnded();
    const filling = this.#requireFilling();
    const staged = await this.#writer.staged();
    if ((staged.at(-1)?.head ?? this.state.head) !== head) throw notCopied(this.#writer.place);
    await this.#writer.seal({ ...filling, head });
  }

  async open(): Promise<void> {
    this.#refuseEnded();
    if (this.#requireFilling().head === null) throw new Error("The fill is not sealed.");
    this.#fills = true;
    await this.#writer.open();
  }

  async discard(): Promise<void> {
    this.#refuseEnded();
    if (this.#requireFilling().head !== null) throw new Error("A sealed fill is not discarded.");
    await this.#writer.discard();
  }

  async relocate(to: string): Promise<void> {
    this.#refuseEnded();
    await this.#writer.relocate(to);
  }

  get isConfirmed(): boolean {
    const { failure, confirmed } = this.#writer;
    return failure === undefined && confirmed !== undefined && !isOld(confirmed);
  }

  async confirm(): Promise<void> {
    for (let asks = 0; !this.isConfirmed; asks += 1) {
      this.#refuseEnded();
      if (asks === mostAsks) throw tooSlow(this.#writer.place);
      // Whoever asks meanwhile has the same answer.
      this.#confirming ??= this.#writer.confirm().finally(() => (this.#confirming = undefined));
      await this.#confirming;
    }
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#writer.close());
  }

  #requireFilling(): Filling {
    const { filling } = this.#writer;
    if (filling === null) throw new Error("Nothing is being filled.");
    return filling;
  }

  #refuseEnded(): void {
    if (this.#closed !== undefined) throw new Error("The session is closed.");
    if (this.#writer.failure !== undefined) throw this.#writer.failure.error;
  }
}

function tooSlow(place: string): StateProblem {
  return new StateProblem(
    "IVR671",
    `${place} takes too long to say whether the lock is still held, so nothing more is sent.`,
  );
}
