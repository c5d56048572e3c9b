import { createInterface } from "node:readline";
import type { Terminal } from "./terminal.ts";

/** Asks the person at the terminal; anything but a plain yes is a no, and so is a signal. */
export async function confirm(
  question: string,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<boolean> {
  if (signal?.aborted) return false;
  terminal.say(`${question} Only yes is taken as one: `);
  // The terminal keeps its own line editing, so that Ctrl-C stays a signal.
  const lines = createInterface({ input: process.stdin, terminal: false });
  const answer = await new Promise<string>((resolve) => {
    lines.once("line", resolve).once("close", () => resolve(""));
    signal?.addEventListener("abort", () => resolve(""), { once: true });
  });
  lines.close();
  process.stdin.unref();
  if (answer === "") terminal.say("\n");
  return answer.trim() === "yes";
}
