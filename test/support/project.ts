import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Source } from "../../src/diagnostics/source.ts";
import { withStateId } from "../../src/project/state-id.ts";
import { type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import { type Finished, folder, startIvrctl, writeFiles } from "./cli.ts";
import { ivrctl } from "./commands.ts";
import { faultsBy, parseFault } from "./faults.ts";
import { eventsIn } from "./file-log.ts";
import { clock } from "./host.ts";

/** Returns the text of a menu whose key 1 reaches this agent. */
export function menu(name: string, agent = "Asha Rao", fields = ""): string {
  return `name: ${name}
description: A menu called ${name}
recording: "10"
options: { 1: ${agent} }
invalid: { retries: 2, recording: "11", destination: Front Desk }
timeout: { wait: 5, retries: 2, retry_recording: "12", recording: "13", destination: Front Desk }
${fields}`;
}

export const threeMenus = {
  "front-desk": menu("Front desk"),
  night: menu("Night"),
  sales: menu("Sales"),
};

export interface ServiceOptions extends Omit<SandboxOptions, "clock" | "faults"> {
  readonly clock?: SandboxOptions["clock"];
  /** In the syntax of `parseFault`. */
  readonly faults?: readonly string[];
}

/** Starts the service on 127.0.0.1 for the duration of a test. */
export async function service({ faults = [], ...options }: ServiceOptions = {}) {
  const rules = faults.map(parseFault);
  const sandbox = await startSandbox({ clock, ...options, faults: faultsBy(rules, clock) });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Runs a command. If it is refused because there is no state yet, begins the state and runs it again. */
export async function beginning<T extends Pick<Finished, "exit" | "stdout" | "stderr">>(
  args: readonly string[],
  run: (args: readonly string[]) => Promise<T>,
): Promise<T> {
  const ran = await run(args);
  if (ran.exit !== 1 || !`${ran.stdout}${ran.stderr}`.includes("IVR608")) return ran;
  const where = args.flatMap((word, at) =>
    word === "--env" || word === "-C" ? args.slice(at, at + 2) : [],
  );
  await run(["state", "init", ...where]);
  return run(args);
}

/** Returns another configuration that names the same state as that of the project, if it has one. */
function withSameState(path: string, text: string): string {
  const id = stateIdIn(path);
  if (id === undefined || /\bid: [0-9a-f]{8}-|service: sandbox/.test(text)) return text;
  return withStateId(new Source("ivrctl.yaml", text), "test", id) ?? text;
}

/** Returns the id of the state that the configuration of a project names, if it names one. */
export function stateIdIn(path: string): string | undefined {
  const text = readFileSync(join(path, "ivrctl.yaml"), "utf8");
  return /\bid: ([0-9a-f]{8}-\w+)/.exec(text)?.[1];
}

export function isUnbegun(path: string): boolean {
  return stateIdIn(path) === undefined;
}

export const token = "s3cret-t0ken-of-the-test";

interface ProjectOptions {
  /** Settings under `service:` besides the address, the token and the timeout. */
  readonly service?: string;
  readonly operations?: readonly string[];
  readonly allow?: readonly string[];
  /** The settings under `state:`, if it is not in files. */
  readonly state?: string;
  /** More variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The variables that only processes get. */
  readonly envOfProcesses?: Readonly<Record<string, string>>;
}

function configOf({ service = "", operations, allow, state }: ProjectOptions): string {
  const lines = [
    operations && `operations: [${operations.join(", ")}]`,
    allow && `allow: [${allow.join(", ")}]`,
    state && `state: { ${state} }`,
  ];
  return `version: 1
default_environment: test
rules: { zero-not-operator: off, renumbered: off, unreachable-menu: off }
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: "\${TOKEN}", timeout: 300${service && `, ${service}`} }
${lines.map((line) => (line ? `    ${line}\n` : "")).join("")}`;
}

/** Creates a project with these menus by menu key, for a service at `url`. */
export function project(
  url: string,
  menus: Readonly<Record<string, string>>,
  options: ProjectOptions = {},
) {
  const path = folder({ "ivrctl.yaml": configOf(options) });
  const write = (name: string, text: string) =>
    writeFiles(path, { [name]: name === "ivrctl.yaml" ? withSameState(path, text) : text });
  for (const [key, text] of Object.entries(menus)) write(`ivrs/${key}.yaml`, text);
  const env = { BASE_URL: url, TOKEN: token, ...options.env };
  const runWith = (changed: Readonly<Record<string, string>>, ...args: string[]) =>
    beginning<Finished>(args, (all) => ivrctl(all, { cwd: path, env: { ...env, ...changed } }));
  const run = (...args: string[]) => runWith({}, ...args);
  return {
    path,
    env,
    run,
    /** Runs a command with other variables. */
    runWith,
    start: (...args: string[]) =>
      startIvrctl(args, {
        cwd: path,
        env: { ...env, ...options.envOfProcesses },
        begins: isUnbegun(path),
      }),
    write,
    /** Writes another configuration for the same state. */
    configure: (changed: ProjectOptions) =>
      write("ivrctl.yaml", configOf({ ...options, ...changed })),
    remove: (name: string) => rmSync(join(path, name)),
    /** Runs a command with --format json. Returns the parsed output and the exit code. */
    json: async (...args: string[]) => {
      const { exit, stdout, stderr } = await run(...args, "--format", "json");
      return { exit, stderr, value: JSON.parse(stdout) };
    },
    /** Returns the entries of the history. */
    journal: (environment = "test") =>
      eventsIn(path, environment)
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
  };
}

/** Returns the id of the lock that a run holds or has left, as the refused `unlock` prints it. */
export async function lockIn(run: (...args: string[]) => Promise<Finished>): Promise<string> {
  const { stdout, stderr } = await run("unlock", "none");
  return /ivrctl unlock (\S+)/.exec(stdout + stderr)?.[1] ?? "";
}

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Returns whether the history has this many intents, or outcomes of this kind. */
export function hasEvents(path: string, what: "intent" | "done" | "not-done", count = 1): boolean {
  const text = what === "intent" ? '"kind":"intent"' : `"as":"${what}"`;
  return eventsIn(path).split(text).length > count;
}

/** The names of created menus, sorted: of requests sent at the same time, any can arrive first. */
export function namesOf(records: readonly { readonly payload: { readonly name: string } }[]) {
  return records.map(({ payload }) => payload.name).toSorted();
}
