import { spawn } from "node:child_process";
import { command } from "./cli.ts";
import { environment } from "./environment.ts";
import { need } from "./needs.ts";

interface Typist {
  readonly cwd: string;
  readonly args: readonly string[];
  /** What is typed, each when the screen shows a question's end for the next time. */
  readonly answers?: readonly string[];
  /** What a question ends with. */
  readonly prompt?: string;
  readonly columns?: number;
  readonly env?: Record<string, string>;
  /** Told of all that is on the screen, whenever there is more. */
  readonly seen?: (screen: string) => void;
}

/** The command at a real terminal, and what a person sees there. */
export async function atTerminal({
  cwd,
  args,
  answers = [],
  prompt = ": ",
  columns = 80,
  env = {},
  seen = () => {},
}: Typist) {
  need("script");
  const words = [process.execPath, command, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols ${columns}; ${words}`, "/dev/null"], {
    cwd,
    env: { ...environment(), TERM: "xterm", ...env },
  });
  // Who has gone reads no answer.
  child.stdin.on("error", () => {});
  let screen = "";
  let typed = 0;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    screen += chunk;
    while (typed < answers.length && screen.split(prompt).length - 1 > typed) {
      child.stdin.write(answers[typed] ?? "");
      typed += 1;
    }
    seen(screen);
  });
  const exit = await new Promise((resolve) => child.on("close", resolve));
  return { exit, screen };
}
