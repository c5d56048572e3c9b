import { readNamed } from "../../project/files.ts";
import type { ProjectPlace } from "../../project/open-project.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { PlanFile } from "../../schema/plan.ts";
import type { Linked } from "../state/entries.ts";
import { type StateView, openFollowUps } from "../state/state.ts";
import { agentFindings, describeFinding, describePlace } from "./agent-findings.ts";
import { checkSize, checkState } from "./guards.ts";
import { agreement } from "./agreed.ts";
import { changesOnConsole } from "./console-changes.ts";
import { learn, stateAfter } from "./learn.ts";
import { changedNumbers } from "./numbers.ts";
import { Reachable } from "./reachable.ts";
import type { LiveMenus } from "./live.ts";
import {
  type Change,
  type Plan,
  bindsOf,
  isDeleting,
  isSending,
  needsPerson,
  payloadsOf,
} from "./plan.ts";
import { changedFiles, readPlanFile } from "./plan-file.ts";
import { type PlanInput, planProject } from "./plan-project.ts";
import { flawOf, startsFrom } from "./plan-flaw.ts";
import { targetKeys } from "./targets.ts";
import { listed } from "../../util/many.ts";
import { type Hint, suggest } from "../../util/suggest.ts";

/** A plan that was made earlier, and the file it was read from. */
export interface SavedPlan {
  readonly file: string;
  /** The digests of the files that it was made from. */
  readonly files: PlanFile["files"];
  readonly plan: PlanFile["plan"];
}

/** Reads a plan file. Reports an invalid one and returns undefined. */
export function readSaved(
  root: string,
  path: string,
  diagnostics: Diagnostics,
): SavedPlan | undefined {
  const source = readNamed(root, path, "planFile", diagnostics);
  if (source === undefined) return undefined;
  const { file } = source;
  const reading = readPlanFile(source.text);
  if (reading.kind === "read") return { file, files: reading.file.files, plan: reading.file.plan };
  const message = `${file} cannot be applied: ${reading.problem}.`;
  diagnostics.addAt(reading.code, { file }, message, {
    words: "Make a new plan:",
    argv: ["plan", "--out", "FILE"],
  });
  return undefined;
}

function again({ environment }: Plan): Hint {
  return { words: "Make a new plan:", argv: suggest("plan", [], environment, ["--out", "FILE"]) };
}

/** The environment of the plan. It is an error if the user asked for another one. */
export function environmentOf(
  { plan, file }: SavedPlan,
  { globals, host }: ProjectPlace,
  diagnostics: Diagnostics,
): string {
  const asked = globals.env ?? (host.env["IVRCTL_ENV"] || undefined);
  if (asked !== undefined && asked !== plan.environment) {
    diagnostics.addAt(
      "IVR623",
      { file },
      `The plan is for the environment ${plan.environment}, not for ${asked}.`,
      `Use --env ${plan.environment}, or make a new plan: ivrctl plan --env ${asked} --out FILE`,
    );
  }
  return plan.environment;
}

/**
 * Checks a saved plan against what is true now. Returns the plan to apply: the reviewed
 * changes, and nothing else. Reports everything that prevents it.
 *
 * A plan is stale only if something that it depends on has changed: the service, the
 * lineage of the state, or for one of its menus the record, the content or an agent.
 */
export function checkSaved(
  saved: SavedPlan,
  input: PlanInput,
  { maxCreates, history }: { maxCreates: number | undefined; history: readonly Linked[] },
  diagnostics: Diagnostics,
): Plan {
  const { file } = saved;
  const { endpoint, agents, live, numbers } = input;
  const lesson = live && learn(input.state, live, numbers && { numbers, agents });
  const known = stateAfter(input.state, lesson?.events ?? [], live?.at);
  const agreed = (saved.plan.learned ?? []).flatMap((event) =>
    live && event.kind === "changed-on-console" ? agreement(event.key, event, known, live) : [],
  );
  const state = stateAfter(known, agreed, live?.at);
  checkState(endpoint, agents, state, diagnostics);
  if (endpoint.identity !== saved.plan.address) {
    diagnostics.addAt(
      "IVR623",
      { file },
      `The plan is for ${saved.plan.address}, but the environment ${saved.plan.environment} now uses ${endpoint.identity}.`,
      again(saved.plan),
    );
  }
  const { learned: _, ...current } = withCurrentState(saved, state);
  const plan = { ...current, followUps: openFollowUps(input.state) };
  if (checkHistory(saved, state, history, diagnostics)) {
    const flaw = flawOf(plan, state);
    if (flaw !== undefined) reportFlaw(saved, state, flaw, diagnostics);
  }
  const blocked = new Set(plan.blocked);
  for (const { key, after } of plan.changes.filter(isSending)) {
    for (const finding of agentFindings(after.naming, agents, blocked)) {
      if (finding.harmless) continue;
      const place = describePlace(finding.place);
      const problem = describeFinding(finding).replace(/\.$/, "");
      diagnostics.addAt("IVR625", { file }, `${key}, ${place}: ${problem}.`, again(saved.plan));
    }
  }
  checkSize(plan, maxCreates, endpoint, diagnostics);
  const rebound =
    live && numbers ? changedNumbers(plan, numbers, new Reachable(state, live, agents)) : [];
  if (rebound.length > 0) {
    const message = `The plan is stale: phone numbers lead elsewhere since it was made: ${listed(rebound)}.`;
    diagnostics.addAt("IVR638", { file }, message, again(saved.plan));
  }
  if (live !== undefined) checkGone(saved, live, diagnostics);
  if (!diagnostics.hasErrors) checkContent({ ...saved, plan }, input, diagnostics);
  const learned = [...(lesson?.events ?? []), ...agreed];
  return learned.length === 0 ? plan : { ...plan, learned };
}

/** Reports menus that are gone in the plan, but that the service lists again. */
function checkGone({ file, plan }: SavedPlan, live: LiveMenus, diagnostics: Diagnostics): void {
  for (const change of plan.changes) {
    if (change.action !== "forget" || change.gone === undefined) continue;
    const { key, before, gone: id } = change;
    if (live.see(id, before.payload).kind === "missing") continue;
    diagnostics.addAt(
      "IVR638",
      { file },
      `The plan is stale: the service lists menu ${id} (${key}) again, which was gone when it was made.`,
      again(plan),
    );
  }
}

/** Whether the history of the state has changed since the plan was made. Then the history is needed to check the plan. */
export function hasMovedOn({ plan }: SavedPlan, { serial, head }: StateView): boolean {
  return serial !== plan.state.serial || head !== plan.state.head;
}

/**
 * The plan with the unknown outcomes and the waiting menus as they are now. It
 * sends nothing for them. New names are left to the next apply if their records may have changed.
 */
function withCurrentState(saved: SavedPlan, state: StateView): Plan {
  const { plan } = saved;
  const changes = plan.changes.flatMap((change): Change | [] => {
    if (!needsPerson(change)) return change;
    if (!startsFrom(change, state)) return [];
    if (change.action !== "waiting") return change;
    // An id that was recorded since must not be asked for again.
    const late = new Set(lateIds(change, plan, state));
    const waitsFor = change.waitsFor.filter(({ key }) => !late.has(key));
    return waitsFor.length === 0 ? [] : { ...change, waitsFor };
  });
  const reviewed = new Set(changes.map(({ key }) => key));
  const named = hasMovedOn(saved, state)
    ? plan.named.filter(({ key }) => reviewed.has(key))
    : plan.named;
  return { ...plan, changes, named };
}

/** The menus that a menu waits for in a plan, and whose ids were recorded after the plan was made. */
function lateIds(change: Change, { changes }: Plan, { keys }: StateView): string[] {
  if (change.action !== "waiting") return [];
  const changing = new Set(changes.map(({ key }) => key));
  return change.waitsFor.flatMap(({ key }) =>
    !changing.has(key) && keys.get(key)?.current?.identified !== undefined ? key : [],
  );
}

/** Checks that the state, which is not older, continues the history that the plan was made from. */
function checkHistory(
  { file, plan }: SavedPlan,
  state: StateView,
  history: readonly Linked[],
  diagnostics: Diagnostics,
): boolean {
  const { lineage, serial, head } = plan.state;
  const now = state.origin?.lineage ?? null;
  // A plan that was made before the first event fits every state of the environment.
  if (lineage === null) return true;
  if (now !== lineage) {
    const message = `The plan is stale: it was made from another state (lineage ${lineage}, now ${now}).`;
    diagnostics.addAt("IVR622", { file }, message, again(plan));
    return false;
  }
  const then = serial === state.serial ? state.head : history[serial - 1]?.head;
  if (then === head) return true;
  diagnostics.addAt(
    "IVR628",
    { file },
    `The plan was made from another history: event ${serial} of this state is not the one that the plan was made from.`,
    "Restore the state that the plan was made from, or compare this one with the console. Then make a new plan.",
  );
  return false;
}

function reportFlaw(
  { file, plan }: SavedPlan,
  state: StateView,
  flaw: string,
  diagnostics: Diagnostics,
): void {
  const stale = state.serial !== plan.state.serial;
  const message = stale
    ? `The plan is stale: the state has changed since it was made (serial ${plan.state.serial}, now ${state.serial}): ${flaw}.`
    : `The plan does not match the state: ${flaw}.`;
  diagnostics.addAt(stale ? "IVR622" : "IVR627", { file }, message, again(plan));
}

/**
 * Makes the plan again from the files, and compares the reviewed changes with it. Other
 * changes are only reported. Without menu files, or if a variable that they need is not
 * set, the files must be those that the plan was made from.
 */
function checkContent(saved: SavedPlan, input: PlanInput, diagnostics: Diagnostics): void {
  const { file, plan } = saved;
  const { source, branch } = input.project;
  // A pipeline may apply a plan without any menu files. But a branch without them says so.
  const hasFiles = input.project.menus.length > 0 || branch !== undefined;
  const changed = changedFiles(saved.files, source, hasFiles ? input.project.menus : undefined);
  const reviewed = plan.changes.filter((change) => !needsPerson(change));
  // A menu that does not wait any more is not part of the plan, and may be all that there is to do.
  if (reviewed.length === 0) return;
  const found = new Diagnostics();
  const current =
    hasFiles && source !== undefined ? planAgain(saved, reviewed, input, found) : undefined;
  if (current === undefined) {
    if (found.hasErrors && !found.sorted().some(({ code }) => code === "IVR403")) {
      diagnostics.addAll(found);
    }
    if (changed.length > 0) reportChangedFiles(file, changed, diagnostics);
    return;
  }
  diagnostics.addAll(found, ({ severity }) => severity === "error");
  const expected = new Map(current.map((change) => [change.key, change]));
  const { live, state, agents } = input;
  const reachable = live && new Reachable(state, live, agents);
  const different = reviewed.flatMap((change) => {
    const now = expected.get(change.key);
    if (now !== undefined && effectOf(change) === effectOf(now)) return [];
    const onConsole =
      now && reachable && changed.length === 0 ? changesOnConsole(change, now, reachable) : [];
    if (onConsole.length > 0) return `${change.key} (${listed(onConsole)})`;
    const words = now === undefined ? "nothing to do" : differenceOf(change, now);
    return `${change.key} (reviewed: ${change.action}, now: ${words})`;
  });
  if (different.length === 0) return;
  const [code, why] =
    changed.length > 0
      ? ([
          "IVR624",
          `is stale: the files${branch ? ` on ${branch}` : ""} have changed since it was made`,
        ] as const)
      : hasMovedOn(saved, input.state)
        ? (["IVR622", "is stale: the state has changed since it was made"] as const)
        : plan.list !== undefined
          ? ([
              "IVR638",
              "is stale: the menus on the service have changed since it was made",
            ] as const)
          : (["IVR627", "does not match the files"] as const);
  diagnostics.addAt(code, { file }, `The plan ${why}: ${listed(different)}.`, again(plan));
}

function differenceOf(reviewed: Change, now: Change): string {
  return now.action === reviewed.action ? `${now.action} with other content` : now.action;
}

function planAgain(
  { plan: { allowed } }: SavedPlan,
  reviewed: readonly Change[],
  input: PlanInput,
  diagnostics: Diagnostics,
): readonly Change[] | undefined {
  const targets = targetKeys(new Set(reviewed.map(({ key }) => key)));
  const request = { targets, maxCreates: undefined, allowed: new Set(allowed) };
  return planProject(input, request, diagnostics)?.plan.changes;
}

function reportChangedFiles(
  file: string,
  changed: readonly string[],
  diagnostics: Diagnostics,
): void {
  diagnostics.addAt("IVR624", { file }, `The plan is stale: ${listed(changed)}.`, {
    words: "Check out the revision of the plan, or make a new plan:",
    argv: ["plan", "--out", "FILE"],
  });
}

/** What a change does to the service and to the state. */
function effectOf(change: Change): string {
  const movedFrom = "movedFrom" in change ? change.movedFrom : null;
  const { before, after } = payloadsOf(change);
  const drift =
    change.action === "update" || isDeleting(change)
      ? [change.drift?.differences, change.webhooks]
      : null;
  const gone = change.action === "forget" ? (change.gone ?? null) : null;
  const binds = bindsOf(change).map(({ id, before: leads, after: to }) => [id, leads, to]);
  return JSON.stringify([change.action, before, after, movedFrom, drift, gone, binds]);
}
