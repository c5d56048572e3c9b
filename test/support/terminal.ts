import { spawn } from "node:child_process";
import { command } from "./cli.ts";
import { environment } from "./environment.ts";
import { need } from "./needs.ts";

interface Typist {
  readonly cwd: string;
  readonly args: readonly string[];
  /** The answers to type, one for each question. */
  readonly answers?: readonly string[];
  /** The end of each question. */
  readonly prompt?: string | RegExp;
  readonly columns?: number;
  readonly env?: Record<string, string>;
  /** Called with everything on the screen after each change. */
  readonly seen?: (screen: string) => void;
}

/** Runs the command at a real terminal, and returns what a person sees. */
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
  // The command may end before it reads an answer.
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
