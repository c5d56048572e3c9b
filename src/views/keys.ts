import { silence } from "../call/model.ts";

/** What a person at the keyboard does in a call. */
export type KeyStroke =
  | { readonly kind: "press"; readonly key: string }
  | { readonly kind: "hang-up" }
  | { readonly kind: "interrupt" };

/**
 * The keys of the terminal, one at a time: from the moment it is made nothing
 * typed is echoed, and when it is closed the terminal is as it was. Whatever is
 * no key of a telephone is passed over.
 */
export class Keyboard {
  readonly #signal: AbortSignal;
  readonly #waiting: KeyStroke[] = [];
  #wake = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    process.stdin.setEncoding("utf8").on("data", this.#onData).on("end", this.#onEnd);
    process.stdin.setRawMode(true);
  }

  async next(): Promise<KeyStroke> {
    for (;;) {
      const stroke = this.#waiting.shift();
      if (stroke !== undefined) return stroke;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    process.stdin.setRawMode(false);
    process.stdin.off("data", this.#onData).off("end", this.#onEnd).pause();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  readonly #onData = (chunk: string) => this.#put(...strokesIn(chunk));
  readonly #onEnd = () => this.#put({ kind: "hang-up" });
  readonly #onAbort = () => this.#put({ kind: "interrupt" });

  #put(...strokes: KeyStroke[]): void {
    this.#waiting.push(...strokes);
    this.#wake();
  }
}

/** An arrow, or another special key, is a sequence that begins with Escape. */
const sequence = /\u001B(?:\[[0-?]*[ -/]*[@-~]|O.|[^[O])/g;

function strokesIn(chunk: string): KeyStroke[] {
  if (chunk === "\u001B") return [{ kind: "hang-up" }];
  return Array.from(chunk.replace(sequence, "")).flatMap((character) => strokeOf(character) ?? []);
}

function strokeOf(character: string): KeyStroke | undefined {
  if (/^[0-9*#]$/.test(character)) return { kind: "press", key: character };
  switch (character) {
    case " ":
    case "_":
    case "\r":
    case "\n":
      return { kind: "press", key: silence };
    case "q":
    case "Q":
    case "\u0004":
      return { kind: "hang-up" };
    case "\u0003":
      return { kind: "interrupt" };
    default:
      return undefined;
  }
}
