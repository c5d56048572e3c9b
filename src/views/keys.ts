import { silence } from "../call/model.ts";

/** What a person at the keyboard does in a call. */
export type KeyStroke =
  | { readonly kind: "press"; readonly key: string }
  | { readonly kind: "hang-up" }
  | { readonly kind: "interrupt" };

/**
 * The keys of the terminal, one at a time, until the reader has had enough;
 * then the terminal is as it was. Whatever is no key of a telephone is passed
 * over.
 */
export async function* keyStrokes(signal: AbortSignal): AsyncGenerator<KeyStroke, void> {
  const { stdin } = process;
  const waiting: KeyStroke[] = [];
  let wake = () => {};
  const put = (...strokes: KeyStroke[]) => {
    waiting.push(...strokes);
    wake();
  };
  const onData = (chunk: string) => put(...strokesIn(chunk));
  const onEnd = () => put({ kind: "hang-up" });
  const onAbort = () => put({ kind: "interrupt" });
  stdin.setEncoding("utf8").on("data", onData).on("end", onEnd);
  signal.addEventListener("abort", onAbort, { once: true });
  stdin.setRawMode(true);
  try {
    for (;;) {
      const stroke = waiting.shift();
      if (stroke !== undefined) yield stroke;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stdin.setRawMode(false);
    stdin.off("data", onData).off("end", onEnd).pause();
    signal.removeEventListener("abort", onAbort);
  }
}

/** An arrow or another special key comes as one chunk that begins with Escape. */
function strokesIn(chunk: string): KeyStroke[] {
  if (chunk.startsWith("\u001B")) return chunk === "\u001B" ? [{ kind: "hang-up" }] : [];
  return Array.from(chunk).flatMap((character) => strokeOf(character) ?? []);
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
