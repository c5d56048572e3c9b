import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkState, isWithoutState } from "../deploy/plan/guards.ts";
import { describeLock } from "../deploy/state/store.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { isFolder, shownPath } from "../project/files.ts";
import { suggest } from "../util/suggest.ts";
import type { Finding } from "../views/doctor.ts";
import type { Examined } from "./examine.ts";
import { type Check, count, failed, findingOf, ok, skipped, warning } from "./finding.ts";
import { describeSystemError } from "../util/system-error.ts";

/** The checks of the state. Each has nothing to say if the state cannot be read and that was said. */
export const stateChecks: readonly Check[] = [
  checkRecord,
  checkAddress,
  checkLock,
  checkFolder,
  checkGit,
  checkStore,
  checkOutcomes,
  checkFollowUps,
];

function checkRecord({
  project,
  endpoint,
  record: { fault, state },
}: Examined): Finding | Finding[] {
  const name = "state";
  if (project.environment === undefined) return skipped(name, noEnvironment);
  const environment = project.environment.name;
  if (fault !== undefined) return findingOf(name, fault);
  if (state === undefined) return [];
  if (endpoint !== undefined && isWithoutState(endpoint, state)) {
    return warning(
      name,
      `Nothing is on record for ${environment}.`,
      "If menus were created before, bring their state here; else the first apply takes --new-state.",
    );
  }
  if (state.origin === null) return ok(name, `Nothing was applied to ${environment} yet.`);
  return ok(name, `${count(state.keys.size, "key")} on record, serial ${state.serial}.`);
}

const noEnvironment = "No environment is chosen.";
const invalidSettings = "The state's settings are at fault.";

/** Plan and apply make the same check. */
function checkAddress({ project, endpoint, agents, record }: Examined): Finding {
  const name = "state address";
  const { store, state } = record;
  if (project.environment === undefined) return skipped(name, noEnvironment);
  if (store === undefined) return skipped(name, invalidSettings);
  if (state === undefined) return skipped(name, "The state cannot be read.");
  if (state.origin === null) return skipped(name, "Nothing is on record yet.");
  if (endpoint === undefined) return skipped(name, "The service's address is not known.");
  const found = new Diagnostics();
  checkState(endpoint, agents, state, found);
  const [fault] = found.sorted();
  if (fault !== undefined) return findingOf(name, fault);
  return ok(name, `The state is of ${state.origin.address}, as is the environment.`);
}

function checkLock({
  project: { environment },
  record: { store, lock },
}: Examined): Finding | Finding[] {
  const name = "lock";
  if (environment === undefined) return skipped(name, noEnvironment);
  if (store === undefined) return skipped(name, invalidSettings);
  if (lock === undefined) return [];
  const { holder, fault } = lock;
  if (fault !== undefined) return findingOf(name, fault);
  if (!holder) return ok(name, "The state is unlocked.");
  return failed(
    name,
    `The state is locked by ${describeLock(holder)}.`,
    `Wait for that run. If it is dead: ${suggest("unlock", [holder.id], environment.name)}`,
  );
}

const stateFolder = ".ivrctl/state";

/** If the folder does not exist yet, the folder that it would be created in is checked. */
function checkFolder({ project: { root }, record }: Examined): Finding | Finding[] {
  if (!record.inFiles) return [];
  const name = "state folder";
  let folder = join(root, stateFolder);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  if (!isFolder(folder)) {
    return failed(name, `${shownPath(root, folder)} is not a folder.`, "Move that file away.");
  }
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return ok(name, `${stateFolder} can be written.`);
  } catch (error) {
    const help = "Apply records every request before it is sent: let this user write there.";
    return failed(name, `${stateFolder} cannot be written: ${describeSystemError(error)}.`, help);
  }
}

/** Whether the state is committed with the project. Both ways are right. */
function checkGit({ record: { ignored } }: Examined): Finding | Finding[] {
  const name = "git";
  switch (ignored) {
    case undefined:
      return [];
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

function checkStore({ record: { store, state, inFiles } }: Examined): Finding | Finding[] {
  if (inFiles || store === undefined || state === undefined) return [];
  return ok("state store", `${store.place} answers.`);
}

function checkOutcomes({
  project: { environment },
  record: { state },
}: Examined): Finding | Finding[] {
  const name = "outcomes";
  if (environment === undefined || state === undefined) return [];
  const unknown = [...state.keys].flatMap(([key, { pending }]) => (pending === null ? [] : key));
  if (unknown.length === 0) return ok(name, "None is unknown.");
  return warning(
    name,
    `The outcome of ${count(unknown.length, "key")} is unknown, and nothing is sent for ${unknown.length === 1 ? "it" : "them"}.`,
    `Look on the provider's console: ${suggest("state show", unknown.slice(0, 1), environment.name)}`,
  );
}

function checkFollowUps({
  project: { environment },
  record: { state },
}: Examined): Finding | Finding[] {
  const name = "follow-ups";
  if (environment === undefined || state === undefined) return [];
  const open = state.followUps.size;
  if (open === 0) return ok(name, "None is open.");
  return ok(name, `${open} open: ivrctl state list --env ${environment.name}`);
}
