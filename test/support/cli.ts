import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { environment } from "./environment.ts";

export const root = join(import.meta.dirname, "../..");
export const command = join(root, "dist/ivrctl.cjs");

export interface Finished {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Options {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly input?: string;
  /** Another build than that of this repository. */
  readonly bundle?: string;
}

/** The built command as a process of its own. */
export async function ivrctl(args: readonly string[], options: Options = {}): Promise<Finished> {
  return startIvrctl(args, options).finished;
}

/** The same while it runs: to be watched, and to be sent signals. */
export function startIvrctl(args: readonly string[], options: Options = {}) {
  return start(process.execPath, [options.bundle ?? command, ...args], options);
}

/** Any program, with the environment of the test and nothing else of this process's. */
export function start(program: string, args: readonly string[], options: Options = {}) {
  const child = spawn(program, args, {
    cwd: options.cwd ?? root,
    env: { ...environment(), ...options.env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  // A command need not read all that it is given.
  child.stdin.on("error", () => {}).end(options.input ?? "");
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on("error", reject).on("close", (exit) => resolve({ exit, stdout, stderr }));
  });
  // Nothing of a test is left behind, and nobody writes to a folder that is being removed.
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await finished.catch(() => {});
  });
  return {
    child,
    finished,
    /** On stdout so far; what it says on stderr meanwhile may arrive earlier or later. */
    printed: () => stdout,
    /** On stderr so far. */
    said: () => stderr,
  };
}

/** A folder with these files, gone when the test is. */
export function folder(files: Readonly<Record<string, string | Buffer>>): string {
  const path = mkdtempSync(join(tmpdir(), "ivrctl-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}

/** The project that this repository shows as its example, with other files laid over it. */
export function exampleProject(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const path = folder({});
  for (const name of ["ivrctl.yaml", "agents.lock.json", "ivrs"]) {
    cpSync(join(root, name), join(path, name), { recursive: true });
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}
