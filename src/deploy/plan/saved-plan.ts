import type { Code } from "../../diagnostics/codes.ts";
import { compileProject } from "../../compile/compile-project.ts";
import { configName, readNamed } from "../../project/files.ts";
import type { ProjectPlace } from "../../project/open-project.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { Source } from "../../diagnostics/source.ts";
import type { SavedPlanOutput } from "../../schema/plan.ts";
import type { Entry, StateEvent } from "../../schema/state.ts";
import { referencedMenu } from "../../schema/wire.ts";
import { listed } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { type Hint, suggest } from "../../util/suggest.ts";
import type { Linked } from "../state/entries.ts";
import { type StateView, openFollowUps } from "../state/state.ts";
import { agentFindings, describeFinding, describePlace } from "./agent-findings.ts";
import { sha256 } from "./digest.ts";
import { checkState } from "./guards.ts";
import { learn, stateAfter } from "./learn.ts";
import { makePlan } from "./make-plan.ts";
import type { Desired, Plan, WantedMenu } from "./plan.ts";
import { readPlanFile, reviewedSteps } from "./plan-file.ts";
import { type PlanInput, wantedMenu } from "./plan-project.ts";
import { Reachable } from "./reachable.ts";
import { decidedSince, review, stepsDone } from "./steps/review.ts";
import { type Ref, type Step, isMenu, isNumber, isOld, nameIn } from "./steps/step.ts";
import { differencesFrom } from "./stale.ts";
import { targetKeys } from "./targets.ts";

/** A plan that was made earlier, and the file it was read from. */
export interface SavedPlan {
  readonly file: string;
  readonly plan: SavedPlanOutput;
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
  if (reading.kind === "read") return { file, plan: reading.plan };
  const message = `${file} cannot be applied: ${reading.problem}.`;
  diagnostics.addAt(reading.code, { file }, message, {
    words: "Make a new plan:",
    argv: ["plan", "--out", "FILE"],
  });
  return undefined;
}

/** The keys of the menus that a saved plan creates. */
export function createdKeys({ plan }: SavedPlan): string[] {
  return plan.steps.flatMap(({ ref, op, base, held }) =>
    op === "create" && base === undefined && !held ? nameIn(ref) : [],
  );
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

/** Whether the history of the state has changed since the plan was made. Then the history is needed to check the plan. */
export function hasMovedOn({ plan }: SavedPlan, { serial, head }: StateView): boolean {
  return serial !== plan.state.serial || head !== plan.state.head;
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
  { maxCreates, history }: { maxCreates: number | undefined; history: readonly Linked[] },
  diagnostics: Diagnostics,
): Plan {
  const { file } = saved;
  const { endpoint, agents, live, numbers } = input;
  const lesson = live && learn(input.state, live, numbers && { numbers, agents });
  const state = stateAfter(input.state, lesson?.events ?? [], live?.at);
  checkState(endpoint, agents, state, diagnostics);
  if (endpoint.identity !== saved.plan.address) {
    diagnostics.addAt(
      "IVR623",
      { file },
      `The plan is for ${saved.plan.address}, but the environment ${saved.plan.environment} now uses ${endpoint.identity}.`,
      again(saved.plan),
    );
  }
  const isContinued = checkHistory(saved, state, history, diagnostics);
  const since = isContinued ? history.slice(saved.plan.state.serial).map(({ entry }) => entry) : [];
  if (isContinued) {
    checkAgents(saved, { since, learned: lesson?.events ?? [] }, input, diagnostics);
  }
  const found = new Diagnostics();
  const plan = planAgain(saved, input, maxCreates, found);
  const steps =
    isContinued && !diagnostics.hasErrors
      ? compare(saved, plan, { input, state, since }, diagnostics)
      : plan.steps;
  if (!diagnostics.hasErrors) diagnostics.addAll(found, ({ severity }) => severity === "error");
  const left = new Set(
    plan.steps.filter((step) => !steps.includes(step)).map(({ ref }) => nameIn(ref)),
  );
  return {
    ...plan,
    steps,
    changes: plan.changes.filter(({ key }) => !left.has(key)),
    unchanged: saved.plan.unchanged,
    followUps: openFollowUps(input.state),
    ...(saved.plan.blocked && { blocked: saved.plan.blocked }),
  };
}

function again({ environment }: Pick<Plan, "environment">): Hint {
  return { words: "Make a new plan:", argv: suggest("plan", [], environment, ["--out", "FILE"]) };
}

/** Makes the plan again, of what the file contains. Names and places come from the menu files, if they are the same. */
function planAgain(
  saved: SavedPlan,
  input: PlanInput,
  maxCreates: number | undefined,
  diagnostics: Diagnostics,
): Plan {
  const { endpoint, agents, live, numbers } = input;
  const keys = saved.plan.steps.flatMap(({ ref, after = {} }) =>
    isNumber(ref)
      ? (referencedMenu(after["destination"] ?? "") ?? [])
      : isOld(ref)
        ? ref
        : nameIn(ref),
  );
  const { menus: inFiles, problems } = menusInFiles(input);
  const files = new Set(keys.flatMap((key) => inFiles?.get(key)?.at.top.source.file ?? []));
  diagnostics.addAll(problems, ({ file }) => files.has(file));
  const place = new Source(saved.file, "").span(0, 0);
  const lesson = live && learn(input.state, live, numbers && { numbers, agents });
  return makePlan(
    {
      environment: endpoint.environment,
      address: endpoint.identity,
      menus: saved.plan.desired.map((menu): WantedMenu => {
        const own = inFiles?.get(menu.key);
        if (own && isSameMenu(own, { content: undefined, ...menu })) return own;
        const named = menu.content?.naming.numbers ?? [];
        return {
          content: undefined,
          ...menu,
          links: new Map(),
          vars: new Map(),
          numbers: new Map(named.map((number) => [number, place])),
          at: { top: place, name: place, movedFrom: place },
        };
      }),
      state: stateAfter(input.state, lesson?.events ?? [], live?.at),
      lists: { menus: live, numbers },
      lesson,
      agents,
      can: {
        operations: endpoint.operations,
        allowed: new Set(saved.plan.allowed),
        targets: targetKeys(new Set(keys)),
        maxCreates: maxCreates ?? endpoint.maxCreates?.count,
      },
      limitAt: maxCreates === undefined ? endpoint.maxCreates?.place : undefined,
    },
    diagnostics,
  );
}

/**
 * The menus of the files now, and the errors in them. A pipeline may apply a plan without any. But a
 * branch without them says so.
 */
function menusInFiles({ project, agents }: PlanInput): {
  readonly menus: ReadonlyMap<string, WantedMenu> | undefined;
  readonly problems: Diagnostics;
} {
  const problems = new Diagnostics();
  if (project.menus.length === 0 && project.branch === undefined) {
    return { menus: undefined, problems };
  }
  const compiled = compileProject(project, { agents });
  problems.addAll(
    compiled.diagnostics,
    ({ severity, code }) => severity === "error" && !harmless.has(code),
  );
  const onChange = compiled.environment?.onChange;
  const menus = compiled.menus.flatMap((menu) => wantedMenu(menu, compiled, onChange) ?? []);
  return { menus: new Map(menus.map((menu) => [menu.key, menu])), problems };
}

/** A variable that is not set here, and agents who get no calls, hold back only the menus that name them. */
const harmless: ReadonlySet<Code> = new Set(["IVR304", "IVR403"]);

function isSameMenu(a: Desired, b: Desired): boolean {
  return (
    a.content?.digest === b.content?.digest &&
    String(a.content?.naming.numbers ?? []) === String(b.content?.naming.numbers ?? []) &&
    a.movedFrom === b.movedFrom &&
    a.onChange === b.onChange
  );
}

function isConfigChanged(
  { files }: SavedPlan["plan"],
  { project: { source } }: PlanInput,
): boolean {
  return source !== undefined && sha256(source.text) !== files.config;
}

/** The menus of these steps whose files are not those of the plan. */
function changedInFiles({ plan }: SavedPlan, steps: readonly Step[], input: PlanInput): string[] {
  const { menus: inFiles } = menusInFiles(input);
  const keys = new Set(
    steps.flatMap(({ ref, holds }) => (isMenu(ref) && holds.length === 0 ? nameIn(ref) : [])),
  );
  // Without menu files, the configuration has to be the same.
  if (inFiles === undefined) {
    return keys.size > 0 && isConfigChanged(plan, input) ? [configName] : [];
  }
  const then = new Map<string, Desired>(
    plan.desired.map((menu) => [menu.key, { content: undefined, ...menu }]),
  );
  const digests = new Map(plan.files.menus.map(({ file, digest }) => [file, digest]));
  return [...keys].filter((key) => {
    const [was, is] = [then.get(key), inFiles.get(key)];
    if (was === undefined || is === undefined) return was !== is;
    const { file, text } = is.at.top.source;
    // A menu whose variables are not set here cannot be compared.
    return is.content === undefined ? digests.get(file) !== sha256(text) : !isSameMenu(was, is);
  });
}

interface Now {
  readonly input: PlanInput;
  /** The state with what the lists prove. */
  readonly state: StateView;
  /** What was recorded after the plan was made. */
  readonly since: readonly Entry[];
}

/** Compares the reviewed steps with those of now. Returns those to do, and those that something holds back. */
function compare(
  saved: SavedPlan,
  { steps: now, learned = [] }: Plan,
  { input, state, since }: Now,
  diagnostics: Diagnostics,
): readonly Step[] {
  const { file, plan } = saved;
  const { live, agents } = input;
  const reviewed = reviewedSteps(plan);
  const { done, own } = stepsDone(reviewed, since, learned);
  const left = reviewed.filter((step) => !done.has(step));
  const stale = (code: "IVR622" | "IVR624" | "IVR627" | "IVR638", why: string) =>
    diagnostics.addAt(code, { file }, `The plan ${why}.`, again(plan));
  const free = reviewed.filter(({ holds }) => holds.length === 0);
  const decided = decidedSince(free, since, (entry) => own.has(entry));
  if (decided !== undefined) {
    stale(
      "IVR622",
      `is stale (serial ${plan.state.serial} of the state, now ${state.serial}): ${resourceName(decided)} was changed after the plan was made`,
    );
    return now;
  }
  const idOf = (ref: Step["ref"]) => state.keys.get(nameIn(ref))?.current?.identified?.id;
  const { doable, unreviewed, vanished } = review(left, now, idOf);
  const reachable = live && new Reachable(state, live, agents);
  const changed = [...unreviewed, ...vanished];
  const different = differencesFrom(left, changed, now, reachable);
  const inFiles = changedInFiles(saved, left, input);
  if (different.length > 0 || inFiles.length > 0) {
    const { branch } = input.project;
    const runs = new Set([...own].map(({ run }) => run));
    const isMoved = since.some(({ run }) => !runs.has(run));
    const onService = changed.every(({ ref }) => isNumber(ref))
      ? "phone numbers lead elsewhere"
      : "the menus on the service have changed";
    const isOther = inFiles.length > 0 || isConfigChanged(plan, input);
    const [code, why] = isOther
      ? (["IVR624", `the files${branch ? ` on ${branch}` : ""} have changed`] as const)
      : isMoved
        ? (["IVR622", "the state has changed"] as const)
        : live !== undefined
          ? (["IVR638", onService] as const)
          : (["IVR627", undefined] as const);
    const words =
      why === undefined ? "does not match the files" : `is stale: ${why} since it was made`;
    stale(code, `${words}: ${listed(inFiles.length > 0 ? inFiles : different)}`);
  }
  return now.filter((step) => step.holds.length > 0 || doable.includes(step));
}

function resourceName(ref: Ref): string {
  if (isNumber(ref)) return phoneText(nameIn(ref));
  return isOld(ref) ? `follow-up ${nameIn(ref)}` : nameIn(ref);
}

/** Reports agents of the reviewed menus that are not the ones of the plan any more. */
function checkAgents(
  { file, plan: saved }: SavedPlan,
  { since, learned }: { since: readonly Entry[]; learned: readonly StateEvent[] },
  { agents }: PlanInput,
  diagnostics: Diagnostics,
): void {
  const blocked = new Set(saved.blocked);
  const reviewed = reviewedSteps(saved);
  const { done } = stepsDone(reviewed, since, learned);
  const sending = new Set(
    reviewed.flatMap((step) => (isSending(step) && !done.has(step) ? nameIn(step.ref) : [])),
  );
  for (const { key, content } of saved.desired) {
    if (!sending.has(key)) continue;
    for (const finding of content ? agentFindings(content.naming, agents, blocked) : []) {
      if (finding.harmless) continue;
      const place = describePlace(finding.place);
      const problem = describeFinding(finding).replace(/\.$/, "");
      diagnostics.addAt("IVR625", { file }, `${key}, ${place}: ${problem}.`, again(saved));
    }
  }
}

function isSending({ ref, op, holds }: Step): boolean {
  return isMenu(ref) && (op === "create" || op === "update") && holds.length === 0;
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
