import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { command } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { environment } from "../support/environment.ts";
import { olderCommand } from "../support/older-build.ts";
import { checkOutput } from "../support/output.ts";
import { beginning } from "../support/project.ts";

const preload = join(import.meta.dirname, "preload.cjs");
const lockIds = join(import.meta.dirname, "lock-id.cjs");
createRequire(import.meta.url)(lockIds);

/** The id of a lock: 8 characters, as every command chooses it at random. */
export function lockId(kind: "run" | "den", number: number): string {
  return `${kind}-${String(number % 10_000).padStart(4, "0")}`;
}

/** A disturbance of a run of the command. */
export interface Disturbance {
  /** See preload.cjs. */
  readonly mode?: string;
  readonly at?: number;
  /** Milliseconds that its clock is wrong. */
  readonly clock?: number;
  /** The maximum size of a file in KiB. */
  readonly fileLimit?: number;
}

export interface Ran {
  readonly args: readonly string[];
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Options {
  readonly cwd: string;
  readonly token: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly disturbance?: Disturbance | undefined;
  /** Called with the process when it has started. */
  readonly started?: ((child: ChildProcess) => void) | undefined;
  /** Another command may run at the same time. */
  readonly rival?: boolean | undefined;
  /** Whether the oldest build that shares states with this one runs. */
  readonly isOlder?: boolean | undefined;
  /** See lock-id.cjs. */
  readonly lockId?: string | undefined;
}

/** Like `runOnce`, but begins the state if there is none. */
export function run(args: readonly string[], options: Options): Promise<Ran> {
  return beginning(args, (all) => runOnce(all, options));
}

/** Runs the command: as a process if it may be killed or has a rival, otherwise in this process, which is faster. */
export async function runOnce(args: readonly string[], options: Options): Promise<Ran> {
  const { cwd, token, variables, disturbance, started, rival, isOlder } = options;
  if (disturbance !== undefined || started !== undefined || rival === true || isOlder === true)
    return runProcess(args, options);
  const env = { T: token, ...variables, ...lockOf(options) };
  return { args, signal: null, ...(await ivrctl(args, { cwd, env })) };
}

function lockOf({ lockId: id }: Options): Record<string, string> {
  return id === undefined ? {} : { TEST_LOCK_ID: id };
}

async function runProcess(args: readonly string[], options: Options): Promise<Ran> {
  const { cwd, token, disturbance = {} } = options;
  const { mode, at, clock, fileLimit } = disturbance;
  const env = {
    ...environment(),
    T: token,
    ...options.variables,
    NODE_OPTIONS: `--require=${lockIds} --require=${preload}`,
    ...lockOf(options),
    ...(mode === undefined ? {} : { FAULT_MODE: mode, FAULT_AT: String(at ?? 1) }),
    ...(clock === undefined ? {} : { FAULT_CLOCK: String(clock) }),
  };
  const words = [process.execPath, options.isOlder ? olderCommand() : command, ...args];
  const [program, ...rest] =
    fileLimit === undefined
      ? words
      : ["bash", "-c", `ulimit -f ${fileLimit}; exec "$@"`, "-", ...words];
  const child = spawn(program as string, rest, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  options.started?.(child);
  const ran = await new Promise<Ran>((resolve, reject) => {
    child.on("error", reject).on("close", (exit, signal) => {
      resolve({ args, exit, signal, stdout, stderr });
    });
  });
  // The schemas are those of this build.
  if (options.isOlder !== true) await checkOutput(args, ran);
  return ran;
}
