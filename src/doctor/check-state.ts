import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkState, missingRecords } from "../deploy/plan/guards.ts";
import { unlistedHelp } from "../deploy/state/numbers.ts";
import { describeLock } from "../deploy/state/store.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { isFolder, shownPath } from "../project/files.ts";
import { listed, many } from "../util/many.ts";
import { phoneText } from "../util/phone.ts";
import { suggest } from "../util/suggest.ts";
import type { Finding } from "../views/doctor.ts";
import type { Examined } from "./examine.ts";
import { type Check, failed, findingOf, ok, skipped, warning } from "./finding.ts";
import { describeSystemError } from "../util/system-error.ts";

/** The checks of the state. If the state cannot be read, only the first of them reports it. */
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
  record: { problem, state },
}: Examined): Finding | Finding[] {
  const name = "state";
  if (project.environment === undefined) return skipped(name, noEnvironment);
  const environment = project.environment.name;
  if (problem !== undefined) return findingOf(name, problem);
  if (state === undefined) return [];
  const missing = endpoint && missingRecords({ project, endpoint, state });
  if (missing !== undefined) return warning(name, missing.message, missing.hint);
  if (state.origin === null) return ok(name, `Nothing has been applied to ${environment} yet.`);
  const events = many(state.serial, "event");
  return ok(name, `${many(state.keys.size, "menu")} on record, after ${events}.`);
}

const noEnvironment = "No environment is chosen.";
const invalidSettings = "The settings of the state are invalid.";

/** Checks that the state belongs to the service of the environment, as plan and apply do. */
function checkAddress({ project, endpoint, agents, record }: Examined): Finding {
  const name = "state address";
  const { store, state } = record;
  if (project.environment === undefined) return skipped(name, noEnvironment);
  if (store === undefined) return skipped(name, invalidSettings);
  if (state === undefined) return skipped(name, "The state cannot be read.");
  if (state.origin === null) return skipped(name, "Nothing is on record yet.");
  if (endpoint === undefined) return skipped(name, "The address of the service is unknown.");
  const found = new Diagnostics();
  checkState(endpoint, agents, state, found);
  const [problem] = found.sorted();
  if (problem !== undefined) return findingOf(name, problem);
  return ok(name, `The state belongs to ${state.origin.address}, the service of the environment.`);
}

function checkLock({
  project: { environment },
  record: { store, lock },
}: Examined): Finding | Finding[] {
  const name = "lock";
  if (environment === undefined) return skipped(name, noEnvironment);
  if (store === undefined) return skipped(name, invalidSettings);
  if (lock === undefined) return [];
  const { holder, left, problem } = lock;
  if (problem !== undefined) return findingOf(name, problem);
  if (left) {
    return warning(name, `A run that has ended left a lock: ${describeLock(left)}.`, {
      words: "The next run that changes the state takes it over. To release it now, run:",
      argv: suggest("unlock", [left.id], environment.name),
    });
  }
  if (!holder) return ok(name, "The state is not locked.");
  return failed(name, `The state is locked by ${describeLock(holder)}.`, {
    words: "Wait for that run. If it has ended, run:",
    argv: suggest("unlock", [holder.id], environment.name),
  });
}

const stateFolder = ".ivrctl/state";

/** Checks the state folder or, if it does not exist yet, the nearest folder above it. */
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
    const help = "Let this user write there: apply records every request before it sends it.";
    return failed(name, `${stateFolder} cannot be written: ${describeSystemError(error)}.`, help);
  }
}

/** Checks whether git ignores the state. That is right only if the runners share it in another way. */
function checkGit({ service, record: { ignored } }: Examined): Finding | Finding[] {
  const name = "git";
  if (ignored === undefined) return [];
  // The menus of the embedded sandbox are on this machine, and so is its state.
  if (service.kind === "sandbox") return skipped(name, "Not needed for the embedded sandbox.");
  switch (ignored) {
    case 0:
      return warning(
        name,
        `git ignores ${stateFolder}.`,
        "Give every runner the same state: see docs/ci.md.",
      );
    case 1:
      return ok(name, `git does not ignore ${stateFolder}: commit it with the project.`);
    case "no git":
      return skipped(name, "git cannot be run.");
    default:
      return skipped(name, "This is not a git repository.");
  }
}

function checkStore({ record: { store, state, inFiles } }: Examined): Finding | Finding[] {
  if (inFiles || store === undefined || state === undefined) return [];
  return ok("state store", [`${store.place} answers.`, store.advice ?? []].flat().join(" "));
}

function checkOutcomes({
  project: { environment },
  record: { state },
}: Examined): Finding | Finding[] {
  const name = "outcomes";
  if (environment === undefined || state === undefined) return [];
  const unknown = [...state.keys].flatMap(([key, { pending }]) => (pending === null ? [] : key));
  const numbers = [...state.binds.keys()];
  const findings: Finding[] = [];
  if (unknown.length > 0) {
    findings.push(
      warning(
        name,
        `The outcome of ${many(unknown.length, "menu")} is unknown. Until you resolve it, apply sends nothing for ${unknown.length === 1 ? "this menu" : "these menus"}.`,
        {
          words: "Look for the menu on the console. To see how to resolve its outcome, run:",
          argv: suggest("state show", unknown.slice(0, 1), environment.name),
        },
      ),
    );
  }
  if (numbers.length > 0) {
    findings.push(
      warning(
        name,
        `The outcome of ${many(numbers.length, "phone number")} is unknown: ${listed(numbers.map(phoneText))}.`,
        unlistedHelp(numbers, environment.name),
      ),
    );
  }
  return findings.length === 0 ? ok(name, "No outcome is unknown.") : findings;
}

function checkFollowUps({
  project: { environment },
  record: { state },
}: Examined): Finding | Finding[] {
  const name = "follow-ups";
  if (environment === undefined || state === undefined) return [];
  const open = state.followUps.size;
  if (open === 0) return ok(name, "No follow-up is open.");
  return ok(name, `${open} open. To list them, run: ivrctl state list --env ${environment.name}`);
}
