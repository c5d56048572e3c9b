import { createInterface } from "node:readline";
import type { Host } from "../util/host.ts";
import type { Terminal } from "./terminal.ts";
import { wrap } from "./text.ts";

interface Asked {
  readonly host: Host;
  readonly terminal: Terminal;
}

interface Choice<W> {
  readonly words: readonly W[];
  readonly standard: W;
  readonly also?: Readonly<Record<string, W>>;
}

/** Asks the user at the terminal. Every answer except `yes` is a no, and so is a signal. */
export async function confirm(
  question: string,
  asked: Asked,
  signal?: AbortSignal,
): Promise<boolean> {
  return (await askText(`${question} Type "yes" to continue: `, asked, signal)) === "yes";
}

/**
 * Asks for one of a few words. The start of a word is enough, and Enter chooses the one in brackets. `also`
 * are other words for the same.
 * Returns undefined without an answer: at a signal, or at the end of the input.
 */
export async function choose<W extends string>(
  question: string,
  { words, standard, also = {} }: Choice<W>,
  asked: Asked,
  signal: AbortSignal,
): Promise<W | undefined> {
  const options = `${words.join(", ")} [${standard}]: `;
  for (let text = `${question} ${options}`; ; text = `Type one of ${options}`) {
    const typed = (await askText(text, asked, signal))?.toLowerCase();
    if (typed === undefined) return undefined;
    if (typed === "") return standard;
    const answers = [...words, ...Object.keys(also)];
    const [word, other] = answers.filter((one) => one.startsWith(typed));
    if (word !== undefined && (other === undefined || word === typed)) {
      return also[word] ?? words.find((one) => one === word);
    }
  }
}

/** Asks for a text. The answer is undefined at a signal and at the end of the input. */
export async function askText(
  question: string,
  { host, terminal }: Asked,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (signal?.aborted) return undefined;
  const lines = question.split("\n").map((line) => wrap(line.trimEnd(), "", terminal.wordWrap));
  // The space before the answer stays on the line of the question.
  terminal.say(`${lines.join("\n")} `);
  // The terminal keeps its own line editing, so that Ctrl-C stays a signal.
  const stdin = host.stdin();
  // An earlier question has released the input.
  stdin.ref();
  // A signal closes the interface.
  const input = createInterface({ input: stdin, terminal: false, ...(signal && { signal }) });
  const answer = await new Promise<string | undefined>((resolve) => {
    input.once("line", resolve).once("close", () => resolve(undefined));
  });
  input.close();
  stdin.unref();
  if (answer === undefined) terminal.say("\n");
  return answer?.trim();
}
