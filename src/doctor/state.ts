import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Agents } from "../compile/agents.ts";
import { isFolder, reason, shownPath } from "../project/files.ts";
import { type StateStore, describeLock } from "../deploy/state/store.ts";
import type { StateView } from "../deploy/state/state.ts";
import { suggest } from "../util/suggest.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Finding } from "../views/doctor.ts";
import type { Context } from "../cli/command.ts";
import type { Endpoint } from "../deploy/service/connect.ts";
import { isWithoutState, judgeState } from "../deploy/plan/plan-project.ts";
import { readState, whereSound } from "../deploy/state/access.ts";
import { openStore } from "../deploy/state/open-store.ts";
import { count, failed, ok, skipped, toldBy, warning } from "./finding.ts";
import type { Project } from "./project.ts";

interface Subject {
  /** Undefined where the configuration does not lead to one. */
  readonly endpoint: Endpoint | undefined;
  readonly agents: Agents | undefined;
}

export async function judgeRecord(
  context: Context,
  { environment: chosen, state: settings, found: read }: Project,
  subject: Subject,
): Promise<Finding[]> {
  const { root } = context;
  const inFiles = chosen === undefined || settings?.kind === "file";
  const place = inFiles ? await judgePlace(root) : [];
  const rest = ["state address", "lock"];
  if (chosen === undefined) {
    const unknown = ["state", ...rest].map((name) => skipped(name, "No environment is chosen."));
    return [...unknown, ...place];
  }
  const environment = chosen.name;
  const found = new Diagnostics();
  found.addAll(read.state);
  const store = settings && (await openStore(context, environment, settings, found));
  const state = store && (await readState(store, found));
  const [fault] = found.sorted();
  const readable = fault === undefined ? undefined : toldBy("state", fault);
  if (store === undefined) {
    const unread = rest.map((name) => skipped(name, "The state's settings are at fault."));
    return [...(readable === undefined ? [] : [readable]), ...unread, ...place];
  }
  // Who does not answer once does not answer twice.
  const silent = state === undefined && !inFiles;
  const lock = silent ? [] : [await judgeLock(store, environment)];
  if (state === undefined) {
    const unread = skipped("state address", "The state cannot be read.");
    return [...(readable === undefined ? [] : [readable]), unread, ...lock, ...place];
  }
  return [
    readable ?? describe(state, environment, subject.endpoint),
    judgeAddress(state, subject),
    ...lock,
    ...(inFiles ? place : [ok("state store", `${store.place} answers.`)]),
    ...openMatters(state, environment),
  ];
}

/** Of a state in files. */
async function judgePlace(root: string): Promise<Finding[]> {
  return [judgeFolder(root), await judgeGit(root)];
}

function describe(state: StateView, environment: string, endpoint: Endpoint | undefined): Finding {
  if (endpoint !== undefined && isWithoutState(endpoint, state)) {
    return warning(
      "state",
      `Nothing is on record for ${environment}.`,
      "If menus were created before, bring their state here; else the first apply takes --new-state.",
    );
  }
  if (state.origin === null) return ok("state", `Nothing was applied to ${environment} yet.`);
  return ok("state", `${count(state.keys.size, "key")} on record, serial ${state.serial}.`);
}

/** The same judgement that plan and apply make. */
function judgeAddress(state: StateView, { endpoint, agents }: Subject): Finding {
  const name = "state address";
  if (state.origin === null) return skipped(name, "Nothing is on record yet.");
  if (endpoint === undefined) return skipped(name, "The service's address is not known.");
  const found = new Diagnostics();
  judgeState(endpoint, agents, state, found);
  const [fault] = found.sorted();
  return fault === undefined
    ? ok(name, `The state is of ${state.origin.address}, as is the environment.`)
    : toldBy(name, fault);
}

async function judgeLock(store: StateStore, environment: string): Promise<Finding> {
  const found = new Diagnostics();
  const lock = await whereSound(store, found, () => store.holder());
  const [fault] = found.sorted();
  if (fault !== undefined) return toldBy("lock", fault);
  if (lock === null || lock === undefined) return ok("lock", "The state is unlocked.");
  return failed(
    "lock",
    `The state is locked by ${describeLock(lock)}.`,
    `Wait for that run. If it is dead: ${suggest("unlock", [lock.id], environment)}`,
  );
}

const stateFolder = ".ivrctl/state";

/** Where it is not there yet, the folder that it would be made in. */
function judgeFolder(root: string): Finding {
  const name = "state folder";
  const mend = "Apply records every request before it is sent: let this user write there.";
  let folder = join(root, stateFolder);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  if (!isFolder(folder)) {
    return failed(name, `${shownPath(root, folder)} is not a folder.`, "Move that file away.");
  }
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return ok(name, `${stateFolder} can be written.`);
  } catch (error) {
    return failed(name, `${stateFolder} cannot be written: ${reason(error)}.`, mend);
  }
}

function openMatters({ keys, followUps }: StateView, environment: string): Finding[] {
  const unknown = [...keys].flatMap(([key, { pending }]) => (pending === null ? [] : key));
  const list = `ivrctl state list --env ${environment}`;
  return [
    unknown.length === 0
      ? ok("outcomes", "None is unknown.")
      : warning(
          "outcomes",
          `The outcome of ${count(unknown.length, "key")} is unknown, and nothing is sent for ${unknown.length === 1 ? "it" : "them"}.`,
          `Look on the provider's console: ${suggest("state show", unknown.slice(0, 1), environment)}`,
        ),
    followUps.size === 0
      ? ok("follow-ups", "None is open.")
      : ok("follow-ups", `${followUps.size} open: ${list}`),
  ];
}

/** Whether the record travels with the repository. Either may be meant. */
async function judgeGit(root: string): Promise<Finding> {
  const name = "git";
  const exit = await gitExit(root, ["check-ignore", "-q", `${stateFolder}/x`]);
  switch (exit) {
    case 0:
      return ok(name, `${stateFolder} is ignored: keep it where every run sees it.`);
    case 1:
      return ok(name, `${stateFolder} is not ignored: it is committed with the project.`);
    case "no git":
      return skipped(name, "git cannot be run.");
    default:
      return skipped(name, "This is no git repository.");
  }
}

function gitExit(cwd: string, args: readonly string[]): Promise<number | "no git"> {
  return new Promise((resolve) => {
    execFile("git", [...args], { cwd, timeout: 5000, windowsHide: true }, (error) => {
      if (error === null) resolve(0);
      else resolve(typeof error.code === "number" ? error.code : "no git");
    });
  });
}
