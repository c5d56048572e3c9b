import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Agents } from "../../compile/agents.ts";
import { isFolder, reason, shownPath } from "../../compile/read/files.ts";
import { describeLock } from "../../deploy/state/describe-lock.ts";
import type { StateView } from "../../deploy/state/state.ts";
import { suggest } from "../../deploy/suggest.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Finding } from "../../views/doctor.ts";
import type { Endpoint } from "../connect.ts";
import { isWithoutState, judgeState } from "../planning.ts";
import { readState, storeOf, whereSound } from "../state-access.ts";
import { count, failed, ok, skipped, toldBy, warning } from "./finding.ts";

interface Subject {
  readonly root: string;
  /** Undefined where none is chosen. */
  readonly environment: string | undefined;
  /** Undefined where the configuration does not lead to one. */
  readonly endpoint: Endpoint | undefined;
  readonly agents: Agents | undefined;
}

export async function judgeRecord(subject: Subject): Promise<Finding[]> {
  const { root, environment } = subject;
  const folder = judgeFolder(root);
  if (environment === undefined) {
    const rest = ["state", "state address", "lock"];
    return [...rest.map((name) => skipped(name, "No environment is chosen.")), folder];
  }
  const found = new Diagnostics();
  const state = await readState(root, environment, found);
  const [fault] = found.sorted();
  const readable = fault === undefined ? undefined : toldBy("state", fault);
  const lock = await judgeLock(root, environment);
  if (state === undefined) {
    const unread = skipped("state address", "The state cannot be read.");
    return [...(readable === undefined ? [] : [readable]), unread, lock, folder];
  }
  return [
    readable ?? describe(state, environment, subject.endpoint),
    judgeAddress(state, subject),
    lock,
    folder,
    ...openMatters(state, environment),
  ];
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

async function judgeLock(root: string, environment: string): Promise<Finding> {
  const store = storeOf(root, environment);
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
export async function judgeGit(root: string): Promise<Finding> {
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
