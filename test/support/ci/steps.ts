import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { folder } from "../cli.ts";
import { environment } from "../environment.ts";

/** The output and the exit code of a step. */
export interface Ran {
  readonly exit: number | null;
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** Runs a `run:` as the runner does: bash with a script file, and two files for outputs. */
export async function runShell(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
  started: (child: ChildProcess) => void = () => {},
): Promise<Ran> {
  const place = folder({});
  const files = {
    script: join(place, "script.sh"),
    output: join(place, "output"),
    summary: join(place, "summary.md"),
  };
  writeFileSync(files.script, script);
  writeFileSync(files.output, "");
  writeFileSync(files.summary, "");
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", files.script], {
    cwd,
    env: {
      ...environment(),
      GITHUB_OUTPUT: files.output,
      GITHUB_STEP_SUMMARY: files.summary,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started(child);
  let log = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (log += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (log += chunk));
  const exit = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    exit,
    log,
    outputs: outputsOf(readFileSync(files.output, "utf8")),
    summary: readFileSync(files.summary, "utf8"),
  };
}

/** Returns the lines of a log that the runner executes as commands. */
export function commandsOf(log: string): string[] {
  const commands: string[] = [];
  let stopped: string | undefined;
  for (const line of log.split(/\r?\n/)) {
    const text = line.trimStart();
    if (stopped !== undefined) {
      if (text === `::${stopped}::`) stopped = undefined;
    } else if (text.startsWith("::stop-commands::"))
      stopped = text.slice("::stop-commands::".length);
    else if (/^::[\w-]+(?: [^:]*)?::/.test(text) || text.includes("##[")) commands.push(text);
  }
  return commands;
}

/** Returns a file, or all files of a folder, by their names in an artifact. */
export function filesAt(path: string, hidden: boolean): Map<string, Buffer> {
  if (!statSync(path, { throwIfNoEntry: false })) return new Map();
  if (statSync(path).isFile()) return new Map([[basename(path), readFileSync(path)]]);
  if (!hidden && path.split("/").some((part) => part.startsWith("."))) return new Map();
  return new Map(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(path, file), readFileSync(file)]),
  );
}

export function putFiles(folder: string, files: ReadonlyMap<string, Buffer>): void {
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

function outputsOf(text: string): Record<string, string> {
  const found = text.matchAll(/^([\w-]+)<<(\S+)\n([\s\S]*?)\n\2$/gm);
  return Object.fromEntries([...found].map(([, name = "", , value = ""]) => [name, value]));
}
