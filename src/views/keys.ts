import { sep } from "node:path";
import { silence } from "../call/model.ts";
import type { Host } from "../util/host.ts";

/** What a user does at the keyboard during a call. */
type KeyStroke =
  | { readonly kind: "press"; readonly key: string }
  | { readonly kind: "hang-up" }
  /** Back from the shell, after Ctrl-Z. */
  | { readonly kind: "return" }
  | { readonly kind: "interrupt" };

/**
 * Reads the keys of the terminal one at a time, without echo. Ignores keys that a telephone does
 * not have.
 */
export class Keyboard {
  readonly #machine: Host["machine"];
  readonly #stdin: NodeJS.ReadStream;
  readonly #signal: AbortSignal;
  readonly #waiting: KeyStroke[] = [];
  #wake = () => {};

  constructor(host: Host, signal: AbortSignal) {
    this.#machine = host.machine;
    this.#stdin = host.stdin();
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#stdin.setEncoding("utf8").on("data", this.#onData).on("end", this.#onEnd);
    this.#stdin.setRawMode(true);
  }

  async next(): Promise<KeyStroke> {
    for (;;) {
      const stroke = this.#waiting.shift();
      if (stroke !== undefined) return stroke;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    this.#stdin.setRawMode(false);
    this.#stdin.off("data", this.#onData).off("end", this.#onEnd).pause();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  readonly #onData = (chunk: string) => {
    this.#put(...strokesIn(chunk));
    if (suspend !== undefined && chunk.includes(suspend)) this.#suspend();
  };
  readonly #onEnd = () => this.#put({ kind: "hang-up" });
  readonly #onAbort = () => this.#put({ kind: "interrupt" });

  /** Suspends the process, as Ctrl-Z does when the terminal is not in raw mode. */
  #suspend(): void {
    this.#stdin.setRawMode(false);
    // Signals the whole process group, as the terminal does. Execution continues here after `fg`.
    this.#machine.kill(0, "SIGTSTP");
    this.#stdin.setRawMode(true);
    this.#put({ kind: "return" });
  }

  #put(...strokes: KeyStroke[]): void {
    this.#waiting.push(...strokes);
    this.#wake();
  }
}

/** The character of Ctrl-Z. Undefined on Windows, which has no job control. */
const suspend = sep === "\\" ? undefined : "\u001A";

/** The escape sequence of an arrow or another special key. */
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
