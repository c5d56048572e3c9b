import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { Readable } from "node:stream";
import { run } from "../../src/cli/run.ts";
import { secrets } from "../../src/util/secrets.ts";
import { type Finished, type Options, root } from "./cli.ts";
import { environment } from "./environment.ts";

/**
 * Runs the command in this process. It takes the same arguments and returns the same result as the
 * `ivrctl` of cli.ts, but needs no build and is much faster. It has its own working directory, environment, stdin and
 * exit code. Runs are sequential, because a process has only one of each. Use `startIvrctl` of cli.ts
 * for a command that waits for a signal, or that a test watches or kills.
 */
export function ivrctl(args: readonly string[], options: Options = {}): Promise<Finished> {
  const { bundle, env = {} } = options;
  if (bundle !== undefined || Object.keys(env).some((name) => name.startsWith("NODE_"))) {
    throw new Error("Another build or other Node settings need their own process: use cli.ts.");
  }
  const finished = previous.then(() => runHere(args, options));
  previous = finished.catch(() => {});
  return finished;
}

let previous: Promise<unknown> = Promise.resolve();

/** The output of the current run by file descriptor. Undefined if there is no run. */
let printed: { 1: Buffer[]; 2: Buffer[] } | undefined;

const exitProcess = process.exit.bind(process);
const { writeSync } = fs;
// The command writes to pipes with writeSync, and to anything else through the stream.
Object.assign(fs, {
  writeSync: (descriptor: number, data: string | Buffer, ...rest: never[]) =>
    take(descriptor, data, rest[0]) ?? writeSync(descriptor, data as string, ...rest),
});
syncBuiltinESMExports();
for (const [descriptor, stream] of [
  [1, process.stdout],
  [2, process.stderr],
] as const) {
  const write = stream.write.bind(stream);
  stream.write = (data: string | Uint8Array, ...rest: never[]) => {
    if (take(descriptor, data) === undefined) return write(data, ...rest);
    const done: unknown = rest.at(-1);
    if (typeof done === "function") process.nextTick(done);
    return true;
  };
}

function take(descriptor: number, data: string | Uint8Array, from = 0): number | undefined {
  if (printed === undefined || (descriptor !== 1 && descriptor !== 2)) return undefined;
  const bytes = Buffer.from(Buffer.from(data as string).subarray(from));
  printed[descriptor].push(bytes);
  return bytes.length;
}

const events = ["exit", "uncaughtException", "unhandledRejection", "SIGINT", "SIGTERM", "SIGHUP"];

async function runHere(args: readonly string[], options: Options): Promise<Finished> {
  const { cwd = root, env = {}, input = "" } = options;
  const outside = {
    directory: process.cwd(),
    variables: process.env,
    named: Object.keys(env).map((name) => [name, process.env[name]] as const),
    listeners: events.map((event) => process.listeners(event as "exit")),
    exitCode: process.exitCode,
    stdin: Object.getOwnPropertyDescriptor(process, "stdin"),
  };
  const own = { 1: [], 2: [] };
  const exited = new Promise<void>((resolve) => {
    process.exit = ((code?: number) => {
      process.exitCode = code ?? process.exitCode;
      resolve();
    }) as typeof process.exit;
  });
  const stdin = Object.assign(Readable.from(input === "" ? [] : [Buffer.from(input)]), {
    unref: () => {},
  });
  Object.defineProperty(process, "stdin", { configurable: true, get: () => stdin });
  // Node itself reads a few variables, such as HOME, from the real environment.
  process.env = { ...environment(), ...env };
  setVariables(outside.variables, Object.entries(env));
  process.chdir(cwd);
  process.exitCode = undefined;
  secrets.clear();
  printed = own;
  try {
    await Promise.race([run(args), exited]);
    addedListeners(outside.listeners).forEach(([event, listener]) => {
      if (event === "exit") listener(process.exitCode);
    });
    return {
      exit: exitCode(),
      stdout: Buffer.concat(own[1]).toString(),
      stderr: Buffer.concat(own[2]).toString(),
    };
  } finally {
    printed = undefined;
    for (const [event, listener] of addedListeners(outside.listeners)) process.off(event, listener);
    process.exit = exitProcess;
    process.exitCode = outside.exitCode;
    process.chdir(outside.directory);
    process.env = outside.variables;
    setVariables(process.env, outside.named);
    if (outside.stdin !== undefined) Object.defineProperty(process, "stdin", outside.stdin);
  }
}

/** Reads the exit code in a function, because TypeScript assumes the value that was assigned above. */
function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

type Listener = (...args: unknown[]) => void;

/** Returns the listeners that were added, with their events. */
function addedListeners(before: readonly (readonly unknown[])[]): (readonly [string, Listener])[] {
  return events.flatMap((event, at) =>
    process
      .listeners(event as "exit")
      .filter((listener) => !before[at]?.includes(listener))
      .map((listener) => [event, listener as Listener] as const),
  );
}

function setVariables(
  variables: NodeJS.ProcessEnv,
  values: readonly (readonly [string, string | undefined])[],
): void {
  for (const [name, value] of values) {
    if (value === undefined) delete variables[name];
    else variables[name] = value;
  }
}
