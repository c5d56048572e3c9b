import { run } from "../../src/cli/run.ts";
import type { Clock, Machine } from "../../src/util/host.ts";
import { secrets } from "../../src/util/secrets.ts";
import { type Finished, type Options, root } from "./cli.ts";
import { environment } from "./environment.ts";
import { checkOutput } from "./output.ts";
import { Captured, atTerminal, clock as realClock, quickClock, testHost } from "./host.ts";

interface RunOptions extends Options {
  /** Default: the clock of this machine, with short pauses. */
  readonly clock?: Clock;
  /** Default: this machine. */
  readonly machine?: Partial<Machine>;
  /** The width of the terminal that stdout is. Default: it is none. */
  readonly columns?: number;
  /** What a person types at a terminal, one answer for each question. Default: there is no terminal. */
  readonly typed?: readonly string[];
  /** Whether the token is a word of the JSON. It is masked there too, so the schema does not match. */
  readonly oddToken?: true;
}

/**
 * Runs the command in this process, through the same door as the built command. It takes the same
 * arguments and returns the same result as the `ivrctl` of cli.ts, but needs no build and is much
 * faster. Runs are sequential, because all runs of a process have the same secrets. Use
 * `startIvrctl` of cli.ts for a command that waits for a signal, or that a test watches or kills.
 */
export function ivrctl(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { bundle, env = {} } = options;
  if (bundle !== undefined || Object.keys(env).some((name) => name.startsWith("NODE_"))) {
    throw new Error("Another build or other Node settings need their own process: use cli.ts.");
  }
  const finished = previous.then(() => runHere(args, options));
  previous = finished.catch(() => {});
  return finished;
}

const usual = quickClock(realClock);

let previous: Promise<unknown> = Promise.resolve();

async function runHere(args: readonly string[], options: RunOptions): Promise<Finished> {
  const { cwd = root, env = {}, input = "", clock = usual, machine, columns, typed } = options;
  const [stdout, stderr] = [new Captured(columns), new Captured()];
  const variables = { ...environment(), ...env };
  const base = testHost({ cwd, env: variables, input, stdout, stderr, clock });
  const own = { ...base, machine: { ...base.machine, ...machine } };
  const seated = typed && atTerminal(own, typed);
  secrets.clear();
  // The drivers of databases and object stores read variables of the process.
  const outside = Object.keys(env).map((name) => [name, process.env[name]] as const);
  setVariables(Object.entries(env));
  try {
    const exit = await run(args, seated ?? own);
    const finished = { exit, stdout: (seated?.screen ?? stdout).text, stderr: stderr.text };
    if (options.oddToken !== true) await checkOutput(args, finished);
    return finished;
  } finally {
    setVariables(outside);
  }
}

function setVariables(values: readonly (readonly [string, string | undefined])[]): void {
  for (const [name, value] of values) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
