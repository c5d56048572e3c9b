import { isAbout } from "../../../diagnostics/groups.ts";
import { compileProject } from "../../../workspace/compile-project.ts";
import type { ProjectPlace } from "../../../workspace/open-project.ts";
import { Diagnostics } from "../../../diagnostics/diagnostic.ts";
import { Source } from "../../../diagnostics/source.ts";
import type { Desired } from "../../../schema/saved-plan.ts";
import type { Entry } from "../../../schema/state.ts";
import { groupBy } from "../../../util/group-by.ts";
import { listed } from "../../../util/many.ts";
import { type Facts, matter } from "../../reasons/kinds.ts";
import { reportMatter } from "../../reasons/matter.ts";
import type { Linked } from "../../state/entries.ts";
import { type StateView, idOnRecord } from "../../state/view.ts";
import { isDeepStrictEqual } from "node:util";
import { agentsIn } from "../../../model/menu.ts";
import { isSameMenu as isSameContent } from "../../../model/menu-diff.ts";
import { sha256 } from "../../../util/sha256.ts";
import { describeDifference } from "../changes/difference.ts";
import { type PlanInput, planMenus, reportNoMenus, wantedMenu } from "../plan-project.ts";
import { checkState } from "../check-endpoint.ts";
import type { Plan } from "../plan.ts";
import type { WantedMenu } from "../decided.ts";
import { agentProblem, describePlace, reachedOn } from "../../listed/names.ts";
import { type SavedPlan, reviewedSteps } from "./plan-file.ts";
import { reconcile } from "../../listed/reconcile.ts";
import { decidedSince, review, stepsDone } from "../steps/review.ts";
import { type Ref, isMenu, isOld, nameIn, refText } from "../../../schema/ref.ts";
import { type Step, ownerOf } from "../steps/step.ts";
import { Patterns } from "../../../util/patterns.ts";

/** The environment of the plan. It is an error if the user asked for a different one. */
export function planEnvironment(
  { plan, file }: SavedPlan,
  { globals, host }: ProjectPlace,
  diagnostics: Diagnostics,
): string {
  const asked = globals.env ?? (host.env["IVRCTL_ENV"] || undefined);
  if (asked !== undefined && asked !== plan.environment) {
    const facts = { differs: "environment", was: plan.environment, is: asked } as const;
    stale({ file, plan }, facts, diagnostics);
  }
  return plan.environment;
}

/** Reports why nothing of a saved plan is applied. */
function stale(
  { file, plan }: SavedPlan,
  facts: Facts["stale-plan"],
  diagnostics: Diagnostics,
): void {
  reportMatter(matter("stale-plan", [], facts, plan.environment), { file }, diagnostics);
}

/** Whether the history of the state has changed since the plan was made. Then the history is needed to check the plan. */
export function hasMovedOn({ plan }: SavedPlan, { serial, head }: StateView): boolean {
  return serial !== plan.state.serial || head !== plan.state.head;
}

/** Reports a state that is older than the one of the plan. A state only grows. */
export function refuseBehind(
  { file, plan }: SavedPlan,
  { origin, serial }: StateView,
  diagnostics: Diagnostics,
): boolean {
  const then = plan.state;
  if (origin?.id !== then.id || serial >= then.serial) return false;
  const facts = { isOlder: true, was: then.serial, is: serial } as const;
  reportMatter(matter("state-set-back", [], facts, plan.environment), { file }, diagnostics);
  return true;
}

/** What is true when a saved plan is applied. */
interface Now extends PlanInput {
  readonly saved: SavedPlan;
  readonly inFiles: ReadonlyMap<string, WantedMenu>;
  /** The steps that were reviewed, without those that are done since. */
  readonly left: readonly Step[];
  /** What was recorded after the plan was made, and what of that the plan did itself. */
  readonly since: readonly Entry[];
  readonly ours: ReadonlySet<Entry>;
}

interface CurrentProject {
  readonly maxCreates: number | undefined;
  readonly history: readonly Linked[];
  readonly files: MenusInFiles;
}

/**
 * Plans a saved plan again with what is true now. Returns the plan to apply: the reviewed steps that
 * are still to be done, and nothing else. Reports everything that prevents it.
 *
 * A plan is stale if somebody decided about one of its menus or phone numbers since, and if a step
 * would differ from the reviewed one. Answers of the service make no plan stale.
 */
export function checkSaved(
  saved: SavedPlan,
  input: PlanInput,
  { maxCreates, history, files }: CurrentProject,
  diagnostics: Diagnostics,
): Plan {
  const { plan: then } = saved;
  const { endpoint, agents, lists } = input;
  const { events: learned, state } = reconcile(input.state, lists, agents, then.desired);
  checkState(endpoint, agents, state, diagnostics);
  if (endpoint.identity !== then.address) {
    const facts = { differs: "address", was: then.address, is: endpoint.identity } as const;
    stale(saved, facts, diagnostics);
  }
  const isContinued = checkHistory(saved, state, history, diagnostics);
  const since = isContinued ? history.slice(then.state.serial).map(({ entry }) => entry) : [];
  const reviewed = reviewedSteps(then);
  const { done, ours } = stepsDone(reviewed, since, learned);
  const left = reviewed.filter((step) => !done.has(step));
  const { inFiles, problems } = files;
  if (inFiles.size === 0) reportNoMenus(endpoint, state, diagnostics);
  const now: Now = { ...input, state, saved, inFiles, left, since, ours };
  if (isContinued) checkAgents(now, diagnostics);
  const planProblems = new Diagnostics();
  const plan = planAgain({ ...now, state: input.state }, problems, maxCreates, planProblems);
  const isComparable = isContinued && !diagnostics.hasErrors;
  const steps = isComparable ? compare(plan.steps, now, diagnostics) : plan.steps;
  if (!diagnostics.hasErrors)
    diagnostics.addAll(planProblems, ({ severity }) => severity === "error");
  const kept = new Set(steps);
  const gone = new Set(plan.steps.flatMap((step) => (kept.has(step) ? [] : step.ref)));
  return {
    ...plan,
    steps,
    changes: plan.changes.filter(({ ref }) => !gone.has(ref)),
    // What is done since needs nothing now.
    unchanged: then.unchanged + plan.unchanged,
    ...(then.blocked && { blocked: then.blocked }),
  };
}

/** Makes the plan again, of what the file contains. Names and places come from the menu files, if they are the same. */
function planAgain(
  { saved, inFiles, ...input }: Now,
  problems: Diagnostics,
  maxCreates: number | undefined,
  diagnostics: Diagnostics,
): Plan {
  const keys = reviewedSteps(saved.plan).map((step) =>
    isOld(step.ref) ? step.ref : nameIn(ownerOf(step)),
  );
  const files = new Set(keys.flatMap((key) => inFiles.get(key)?.at().source.file ?? []));
  diagnostics.addAll(problems, ({ file }) => files.has(file));
  const place = new Source(saved.file, "").span(0, 0);
  const menus = saved.plan.desired.map((menu): WantedMenu => {
    const inFile = inFiles.get(menu.key);
    return inFile && isSameMenu(inFile, menu)
      ? inFile
      : { ...menu, vars: new Map(), at: () => place };
  });
  const [targets, allowed] = [new Patterns(keys, true), new Set(saved.plan.allowed)];
  return planMenus(menus, input, { targets, maxCreates, allowed }, diagnostics);
}

interface MenusInFiles extends Pick<Now, "inFiles"> {
  readonly problems: Diagnostics;
}

export function menusInFiles({ project, agents }: PlanInput): MenusInFiles {
  const problems = new Diagnostics();
  const compiled = compileProject(project, { agents });
  // A variable that is not set here, and agents who get no calls, hold back only the menus that name them.
  problems.addAll(
    compiled.diagnostics,
    (one) => one.severity === "error" && !isAbout(one, "blocked agent", "variable not set"),
  );
  const onChange = compiled.environment?.onChange;
  const menus = compiled.menus.flatMap((menu) => wantedMenu(menu, compiled, onChange) ?? []);
  return { inFiles: new Map(menus.map((menu) => [menu.key, menu])), problems };
}

function isSameMenu(a: Desired, b: Desired): boolean {
  return (
    (a.content && b.content
      ? isSameContent(a.content, b.content) &&
        isDeepStrictEqual(a.content.numbers, b.content.numbers)
      : a.content === b.content) &&
    a.movedFrom === b.movedFrom &&
    a.onChange === b.onChange
  );
}

function isConfigChanged({ saved, project: { source } }: Now): boolean {
  return source !== undefined && sha256(source.text) !== saved.plan.files.config;
}

/** The menus that are still to be done whose files are not those of the plan. */
function changedInFiles({ saved, left, inFiles }: Now): string[] {
  const keys = new Set(
    left.flatMap(({ ref, holds }) => (isMenu(ref) && holds.length === 0 ? nameIn(ref) : [])),
  );
  const then = new Map(saved.plan.desired.map((menu) => [menu.key, menu]));
  const digests = new Map(saved.plan.files.menus.map(({ file, digest }) => [file, digest]));
  return [...keys].filter((key) => {
    const [was, is] = [then.get(key), inFiles.get(key)];
    if (was === undefined || is === undefined) return was !== is;
    const { file, text } = is.at().source;
    // A menu whose variables are not set here cannot be compared.
    return is.content === undefined ? digests.get(file) !== sha256(text) : !isSameMenu(was, is);
  });
}

/** Compares the reviewed steps with those of now. Returns those to do, and those that something holds back. */
function compare(steps: readonly Step[], now: Now, diagnostics: Diagnostics): readonly Step[] {
  const { saved, state, lists, agents, left, since, ours, project } = now;
  const { plan } = saved;
  const report = (facts: Facts["stale-plan"]) => stale(saved, facts, diagnostics);
  const free = reviewedSteps(plan).filter(({ holds }) => holds.length === 0);
  const decided = decidedSince(free, since, ours);
  if (decided !== undefined) {
    const [was, is] = [plan.state.serial, state.serial];
    report({ differs: "decision", was, is, what: refText(decided) });
    return steps;
  }
  const idOf = (ref: Ref) => idOnRecord(state, ref);
  const { doable, unreviewed, vanished } = review(left, steps, idOf);
  const changed = [...new Set([...unreviewed, ...vanished].map(({ ref }) => ref))];
  const inFiles = changedInFiles(now);
  const isStale = inFiles.length > 0 || changed.length > 0;
  const reached = lists.menus && reachedOn(state, lists.menus, agents);
  const [then, present] = [left, steps].map((all) => groupBy(all, ({ ref }) => ref));
  const different = changed.map((ref) => {
    const [was, is] = [then?.get(ref) ?? [], present?.get(ref) ?? []];
    return `${refText(ref)} (${describeDifference(was, is, idOf, reached)})`;
  });
  const what = listed(inFiles.length > 0 ? inFiles : different);
  const runs = new Set([...ours].map(({ run }) => run));
  if (isStale && (inFiles.length > 0 || isConfigChanged(now))) {
    report({ differs: "files", is: project.branch || undefined, what });
  } else if (isStale) {
    const isDecided = since.some(({ run }) => !runs.has(run));
    report({ differs: isDecided ? "state" : lists.menus ? "service" : "nothing", what });
  }
  return steps.filter((step) => step.holds.length > 0 || doable.includes(step));
}

/** Reports agents of the reviewed menus that are not the ones of the plan any more. */
function checkAgents({ saved, left, agents }: Now, diagnostics: Diagnostics): void {
  const { plan } = saved;
  const blocked = new Set(plan.blocked);
  const sending = new Set(
    left.flatMap(({ ref, op, holds }) =>
      isMenu(ref) && (op === "create" || op === "update") && holds.length === 0 ? nameIn(ref) : [],
    ),
  );
  for (const { key, content } of plan.desired) {
    for (const { place, agent } of content && sending.has(key) ? agentsIn(content) : []) {
      const problem = agentProblem(agent, agents, blocked)?.replace(/\.$/, "");
      if (problem === undefined) continue;
      const what = `${key}, ${describePlace(place)}: ${problem}`;
      stale(saved, { differs: "agent", what }, diagnostics);
    }
  }
}

/** Checks that the state, which is not older, continues the history that the plan was made from. */
function checkHistory(
  { file, plan }: SavedPlan,
  state: StateView,
  history: readonly Linked[],
  diagnostics: Diagnostics,
): boolean {
  const { id, serial, head } = plan.state;
  const now = state.origin?.id ?? null;
  // A plan that was made before the first event, for the embedded sandbox.
  if (id === null) return true;
  if (now !== id) {
    stale({ file, plan }, { differs: "other state", was: id, is: now }, diagnostics);
    return false;
  }
  const then = serial === state.serial ? state.head : history[serial - 1]?.head;
  if (then === head) return true;
  const facts = { isOlder: false, was: serial } as const;
  reportMatter(matter("state-set-back", [], facts, plan.environment), { file }, diagnostics);
  return false;
}
