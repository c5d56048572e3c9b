import { createInterface } from "node:readline";
import type { Host } from "../util/host.ts";
import type { Terminal } from "./terminal.ts";

/** The user at the terminal. */
interface Asked {
  readonly host: Host;
  readonly terminal: Terminal;
}

/** Asks the user at the terminal. Every answer except `yes` is a no, and so is a signal. */
export async function confirm(
  question: string,
  asked: Asked,
  signal?: AbortSignal,
): Promise<boolean> {
  return (await askText(`${question} Type "yes" to continue: `, asked, signal)) === "yes";
}

/** Asks for a text. The answer is empty at a signal and at the end of the input. */
export async function askText(
  question: string,
  { host, terminal }: Asked,
  signal?: AbortSignal,
): Promise<string> {
  if (signal?.aborted) return "";
  terminal.say(question);
  // The terminal keeps its own line editing, so that Ctrl-C stays a signal.
  const stdin = host.stdin();
  // An earlier question has released the input.
  stdin.ref();
  const lines = createInterface({ input: stdin, terminal: false });
  const answer = await new Promise<string>((resolve) => {
    lines.once("line", resolve).once("close", () => resolve(""));
    signal?.addEventListener("abort", () => resolve(""), { once: true });
  });
  lines.close();
  stdin.unref();
  if (answer === "") terminal.say("\n");
  return answer.trim();
}

/**
 * Asks for one of a few words. The start of a word is enough, and Enter chooses the one in
 * brackets, if there is one. Returns undefined without an answer: at a signal, or at the end of
 * the input.
 */
export async function choose<W extends string>(
  question: string,
  { words, standard }: { readonly words: readonly W[]; readonly standard: W | undefined },
  { host, terminal }: Asked,
  signal: AbortSignal,
): Promise<W | undefined> {
  const options = `${words.join(", ")}${standard === undefined ? "" : ` [${standard}]`}: `;
  terminal.say(`${question} ${options}`);
  // An earlier question has released the input.
  const stdin = host.stdin();
  stdin.ref();
  const lines = createInterface({ input: stdin, terminal: false });
  const close = () => lines.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    for await (const line of lines) {
      const typed = line.trim().toLowerCase();
      if (typed === "" && standard !== undefined) return standard;
      const exact = words.find((known) => known.toLowerCase() === typed);
      const [word, other] = words.filter((known) => known.toLowerCase().startsWith(typed));
      if (exact !== undefined) return exact;
      if (typed !== "" && word !== undefined && other === undefined) return word;
      terminal.say(`Type one of ${options}`);
    }
    terminal.say("\n");
    return undefined;
  } finally {
    signal.removeEventListener("abort", close);
    lines.close();
    stdin.unref();
  }
}
