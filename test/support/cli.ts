import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { checkOutput } from "./output.ts";
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
  /** Default: the build of this repository. */
  readonly bundle?: string;
}

/** Runs the built command in its own process. */
export async function ivrctl(args: readonly string[], options: Options = {}): Promise<Finished> {
  return startIvrctl(args, options).finished;
}

/** Starts the built command, so that a test can watch it and send signals. */
export function startIvrctl(args: readonly string[], options: Options & { begins?: boolean } = {}) {
  const { bundle = command } = options;
  // A test that waits for output would hang.
  if (!existsSync(bundle))
    throw new Error(`${bundle} does not exist. Run \`npm run build\` first.`);
  const all = [bundle, ...args];
  const begin = '"$0" "$1" state init >/dev/null 2>&1 </dev/null; exec "$0" "$@"';
  // With `begins`, the same process first begins the state.
  const started = options.begins
    ? start("sh", ["-c", begin, process.execPath, ...all], options)
    : start(process.execPath, all, options);
  const finished = started.finished.then(async (ended) => {
    await checkOutput(args, ended);
    return ended;
  });
  // A test that stops the command may not look at how it ended.
  finished.catch(() => {});
  return { ...started, finished };
}

/** Starts a program with the environment of the test only. */
export function start(program: string, args: readonly string[], options: Options = {}) {
  const child = spawn(program, args, {
    cwd: options.cwd ?? root,
    env: { ...environment(), ...options.env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  // A command may end before it has read all of its input.
  child.stdin.on("error", () => {}).end(options.input ?? "");
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on("error", reject).on("close", (exit) => resolve({ exit, stdout, stderr }));
  });
  // The process must end before the folder of the test is deleted.
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await finished.catch(() => {});
  });
  return {
    child,
    finished,
    /** Returns stdout so far. The order relative to stderr is not defined. */
    printed: () => stdout,
    /** Returns stderr so far. */
    said: () => stderr,
  };
}

/** Creates a folder with these files. It is deleted after the test. */
export function folder(files: Readonly<Record<string, string | Buffer>>): string {
  const path = mkdtempSync(join(tmpdir(), "ivrctl-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  writeFiles(path, files);
  return path;
}

/** Creates a folder with the program `ivrctl`, and returns a PATH that begins with it. */
export function pathWithIvrctl(): string {
  const bin = folder({ ivrctl: `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n` });
  chmodSync(join(bin, "ivrctl"), 0o755);
  return `${bin}:${process.env["PATH"]}`;
}

/** Creates a copy of the example project of this repository, plus these files. */
export function exampleProject(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const path = folder({});
  for (const name of ["ivrctl.yaml", "agents.lock.json", "ivrs"]) {
    cpSync(join(root, name), join(path, name), { recursive: true });
  }
  writeFiles(path, files);
  return path;
}

/** Writes these files below a folder. */
export function writeFiles(path: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
}
