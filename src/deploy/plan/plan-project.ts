import { isAbout } from "../../diagnostics/groups.ts";
import type { Agents } from "../../project/agent-list.ts";
import { type ResolvedMenu, menuLinks } from "../../compile/compiled-menu.ts";
import { type CompiledProject, compileProject } from "../../workspace/compile-project.ts";
import { readMenus } from "../../compile/read-menus.ts";
import type { Source, Span } from "../../diagnostics/source.ts";
import { fileKind, keyFromPath } from "../../project/files.ts";
import { nearestKeys } from "../../workspace/select-files.ts";
import { menuKeyHelp } from "../../schema/field-types.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed, many } from "../../util/many.ts";
import { didYouMean } from "../../util/nearest.ts";
import { agentsIn } from "../../model/menu.ts";
import type { Lists } from "../listed/read-account.ts";
import { describeChanges } from "./changes/changes.ts";
import type { Plan } from "./plan.ts";
import type { Permission } from "../../schema/operations.ts";
import type { WantedMenu, Decided } from "./decided.ts";
import type { PlannedFrom } from "./saved/plan-file.ts";
import { Patterns } from "../../util/patterns.ts";
import { isOld, menuRef, nameIn } from "../../schema/ref.ts";
import { suggest } from "../../util/suggest.ts";
import { isUnnamed, reportUnnamed } from "../state/open-store.ts";
import type { Code } from "../../diagnostics/codes.ts";
import { type Diagnostic, Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Project } from "../../workspace/open-project.ts";
import type { Endpoint } from "../service/connect.ts";
import { checkPermissions, checkState } from "./check-endpoint.ts";
import { lintChanges } from "./changes/lint-changes.ts";
import { type StateView, menuKeys, openFollowUps } from "../state/view.ts";
import type { Resource } from "./steps/resource.ts";
import { inboundLinks, allResources } from "./steps/resources.ts";
import type { Desired } from "../../schema/saved-plan.ts";
import { describeList, reconcile, withUnknown } from "../listed/reconcile.ts";
import { agentKey } from "./agent-matters.ts";
import { withEarlier } from "./earlier-agents.ts";
import { heldMatters } from "./held-matters.ts";
import { reportMatter } from "../reasons/matter.ts";
import { recordEvents } from "./steps/events.ts";
import { planSteps } from "./steps/plan-steps.ts";
import { worldsOf } from "./worlds.ts";

/** The options of `plan` and `apply` that select menus and limit creates. */
export interface PlanRequest {
  readonly targets: Patterns;
  readonly maxCreates: number | undefined;
  /** What `--allow` permits, besides what the environment permits. */
  readonly allowed: ReadonlySet<Permission>;
}

/** A plan of everything, with what the environment permits. */
export const wholePlan: PlanRequest = {
  targets: new Patterns([]),
  maxCreates: undefined,
  allowed: new Set(),
};

/** Everything that a plan is made from, except the options. */
export interface PlanInput {
  readonly project: Project;
  readonly endpoint: Endpoint;
  readonly agents: Agents;
  readonly state: StateView;
  readonly lists: Lists;
}

export interface Planned {
  readonly plan: Plan;
  readonly from: PlannedFrom;
  /** Whether the plan can be shown but not applied. */
  readonly refused: boolean;
}

/**
 * Compiles a project and plans it against the state. Returns nothing if the files are
 * invalid. If only the plan is refused, it is returned, so that it can be shown.
 */
export function planProject(
  input: PlanInput,
  { targets, maxCreates, allowed }: PlanRequest,
  diagnostics: Diagnostics,
): Planned | undefined {
  const { project, endpoint, state } = input;
  const problems = new Diagnostics();
  const agents = withEarlier(input.agents, project, state);
  const compilation = compileProject(project, { agents });
  problems.addAll(compilation.diagnostics);
  const { environment, menus, compiled, linter } = compilation;
  const misnamed = checkTargets(targets, menus, state);
  if (misnamed.hasErrors) {
    diagnostics.addAll(misnamed);
    return undefined;
  }
  const hasBlockingErrors = preventsPlan(compilation, targets, problems);
  // Errors that do not prevent a plan are in menus that it leaves alone, or are matters of the plan.
  diagnostics.addAll(problems, ({ severity }) => hasBlockingErrors || severity !== "error");
  const refusals = new Diagnostics();
  if (endpoint.state && isUnnamed(endpoint.state)) {
    reportUnnamed(endpoint.environment, endpoint.state, refusals);
  }
  checkState(endpoint, agents, state, refusals);
  checkPermissions(endpoint, allowed, refusals);
  if (environment === undefined || project.source === undefined || hasBlockingErrors) {
    // With the wrong account, all agents are unknown. The refusals explain this.
    diagnostics.addAll(refusals);
    return undefined;
  }
  if (menus.length === 0) reportNoMenus(endpoint, state, refusals);
  const wanted = menus.flatMap((menu) => wantedMenu(menu, compilation, environment.onChange) ?? []);
  const request = { targets, maxCreates, allowed: new Set([...allowed, ...endpoint.allowed]) };
  const isOther = refusals.sorted().some((one) => isAbout(one, "wrong account"));
  // The agents of a wrong account say nothing about those of this one.
  const known = { ...input, agents: isOther ? undefined : agents };
  const planned = planMenus(wanted, known, request, refusals);
  lintChanges(linter, compiled.values(), planned.changes, refusals);
  refuseHidden(planned, project.hidden, refusals);
  const plan = withBlocked(planned, agents);
  diagnostics.addAll(refusals);
  const from = { config: project.source, menus: [...project.menus, ...project.folders] };
  return { plan, from, refused: refuses(refusals) };
}

/** Plans menus, from the files or from a saved plan. */
export function planMenus(
  menus: readonly WantedMenu[],
  {
    endpoint,
    agents,
    state,
    lists,
    project,
  }: Omit<PlanInput, "agents"> & { readonly agents: Agents | undefined },
  { targets, maxCreates, allowed }: PlanRequest,
  diagnostics: Diagnostics,
): Plan {
  const { environment, identity: address, operations, maxCreates: limit } = endpoint;
  const can = { operations, allowed, targets, maxCreates: maxCreates ?? limit?.count };
  const limitAt = maxCreates === undefined ? limit?.place : undefined;
  const { wire, recordingTimeout } = project.environment ?? {};
  const account = { environment, address, wire, recordingTimeout };
  return planFrom({ ...account, menus, state, lists, agents, can, limitAt }, diagnostics);
}

/**
 * Reports the errors in the files when there is no plan for a different reason, so that the
 * user can fix everything at once. Does not check agents, because there is no list.
 */
export function reportFileErrors(project: Project, diagnostics: Diagnostics): void {
  const problems = compileProject(project, { agents: undefined }).diagnostics;
  diagnostics.addAll(problems, ({ severity }) => severity === "error");
}

/** Reports that there are no menus. With records, that is an error: the plan would stop managing all of them. */
export function reportNoMenus(
  { environment }: Pick<Endpoint, "environment">,
  state: StateView,
  diagnostics: Diagnostics,
): void {
  const [file, message] = ["ivrs", "There are no menus under ivrs/"];
  const keys = menuKeys(state);
  if (keys.length === 0) return diagnostics.addAt("IVR125", { file }, `${message}.`);
  diagnostics.addAt(
    "IVR125",
    { file },
    `${message}, but the state has ${many(keys.length, "menu")}: ${listed(keys)}.`,
    {
      words:
        "Check that this is the right project and revision. If ivrctl should stop managing all these menus, which stay on the service, delete their records:",
      argv: suggest("state rm", ["*"], environment),
    },
    "error",
  );
}

/** Reports recorded menus whose files are no menus now, because their names start with `_`. */
function refuseHidden(
  { changes }: Plan,
  hidden: readonly Source[],
  diagnostics: Diagnostics,
): void {
  const forgotten = new Set(
    changes.flatMap(({ action, key }) => (action === "forget" || action === "delete" ? key : [])),
  );
  for (const source of hidden) {
    const { file } = source;
    const own = readMenus(source, new Diagnostics()).map(({ key }) => key);
    const keys = [...own, keyFromPath(file).replace(/(?<=^|\/)_+(?=[^/]*$)/, "")];
    const key = keys.find((one) => one !== undefined && forgotten.has(one));
    if (key === undefined) continue;
    diagnostics.addFile(
      "IVR617",
      file,
      `${file} is not a menu, because its name starts with \`_\`. The menu \`${key}\` is recorded.`,
      "Rename the file. If the menu is no longer needed, delete the file.",
    );
  }
}

/** Adds the agents that are blocked now. A saved plan is refused only for agents that are blocked later. */
function withBlocked(plan: Plan, agents: Agents): Plan {
  const eids = plan.changes
    .flatMap(({ after }) => (after ? agentsIn(after).map(({ agent }) => agent.eid) : []))
    .filter((eid) => agents.with("eid", eid).some(({ blocked }) => blocked));
  return eids.length === 0 ? plan : { ...plan, blocked: [...new Set(eids)].sort() };
}

export function wantedMenu(
  menu: ResolvedMenu,
  { compiled, blocked }: Pick<CompiledProject, "compiled" | "blocked">,
  defaultOnChange: WantedMenu["onChange"],
): WantedMenu | undefined {
  const { key, name, movedFrom, top } = menu;
  if (key === undefined) return undefined;
  const compiledMenu = compiled.get(menu) ?? blocked.get(menu);
  const places = new Map<string | undefined, Span | undefined>([
    ["name", name?.at],
    ["moved_from", movedFrom?.at],
    ...menu.numbers.map(({ value, at }) => [`number:${value}`, at] as const),
    // Of several links to a menu, the first.
    ...menuLinks(menu)
      .toReversed()
      .map(({ value, at }) => [menuRef(value), at] as const),
  ]);
  const agents = menu.destinations.flatMap(({ value, at }) =>
    value?.kind === "agent" ? { named: agentKey(value), at } : [],
  );
  const agentsAt = [...groupBy(agents, ({ named }) => named)].map(
    ([named, alike]) => [named, alike.map(({ at }) => at)] as const,
  );
  return {
    key,
    content: compiledMenu?.content,
    ...(blocked.has(menu) && { isBlocked: true }),
    vars: menu.vars.valuesOf(menu.usedVars),
    movedFrom: movedFrom?.value,
    onChange: menu.onChange ?? defaultOnChange,
    at: (what) => places.get(what) ?? top,
    agentsAt: new Map(agentsAt),
    placesOf: (path) => fieldPlaces(menu, path),
  };
}

/** Where a field of a menu is written. The prompt announces the keys, so it belongs to each of them. */
function fieldPlaces({ options = [], facts }: ResolvedMenu, path: string): Span[] {
  const [row, name] = path.split(".");
  if (row !== "options") {
    return Object.entries(facts).flatMap(([fact, { at }]) => (fact === path ? at : []));
  }
  const key = options.find((option) => option.key === name);
  const spans = [facts.recording?.at, key?.keyAt, key?.for?.at, key?.destination?.at];
  return spans.flatMap((span) => span ?? []);
}

function checkTargets(
  targets: Patterns,
  menus: readonly ResolvedMenu[],
  state: StateView,
): Diagnostics {
  const diagnostics = new Diagnostics();
  const keys = [...new Set([...menus.flatMap(({ key }) => key ?? []), ...menuKeys(state)])];
  const old = [...state.records.keys()].filter(isOld);
  for (const target of targets.unmatched([...keys, ...old])) {
    if (isOld(target)) {
      diagnostics.addAt("IVR313", { file: "ivrs" }, `No follow-up ${nameIn(target)} is open.`, {
        words: "List the open follow-ups:",
        argv: suggest("state list", [], undefined, ["--follow-ups"]),
      });
      continue;
    }
    diagnostics.addAt(
      "IVR313",
      { file: "ivrs" },
      `--target '${target}' matches no menu in the files or in the state.`,
      didYouMean(nearestKeys(target, keys)) ?? menuKeyHelp,
    );
  }
  return diagnostics;
}

/** Whether errors prevent a plan. Errors in menus that are not targets do not. */
function preventsPlan(
  project: CompiledProject,
  targets: Patterns,
  diagnostics: Diagnostics,
): boolean {
  const errors = refusingErrors(diagnostics);
  if (errors.length === 0) return false;
  if (!targets.isNarrow) return true;
  const files = new Set(project.menus.map(({ source }) => source.file));
  const isMenu = (file: string) => files.has(file) || fileKind(file) === "defaults";
  return (
    project.menus.some(
      (menu) =>
        (menu.key === undefined || targets.has(menu.key)) &&
        !project.compiled.has(menu) &&
        !project.blocked.has(menu),
    ) || errors.some(({ code, file }) => !isMenu(file) || concernsAllMenus(code))
  );
}

/** Whether nothing of a plan is applied because of an error. */
export function refuses(diagnostics: Diagnostics): boolean {
  return refusingErrors(diagnostics).length > 0;
}

function refusingErrors(diagnostics: Diagnostics): Diagnostic[] {
  return diagnostics
    .sorted()
    .filter((one) => one.severity === "error" && !isAbout(one, "blocked agent"));
}

/** Whether an error also affects other menus: an unreadable file, or two menus with one key or name. */
function concernsAllMenus(code: Code): boolean {
  return isAbout({ code }, "text", "key or name used twice", "state or plan");
}

interface Input
  extends
    Omit<Decided, "steps" | "ids" | "resources" | "links">,
    Pick<Plan, "wire" | "recordingTimeout"> {
  readonly address: string;
}

/** Makes the plan of a recorded state. It depends only on the menus, the state and what the service lists. */
export function planFrom(input: Input, diagnostics: Diagnostics): Plan {
  const { environment, address, menus, state: recorded, lists, agents, can } = input;
  const { events, state: reconciled } = reconcile(recorded, lists, agents, menus);
  const state = withUnknown(reconciled, menus);
  const resources = allResources(menus, state, lists);
  const links = inboundLinks(resources, state, lists);
  const { steps, ids } = planSteps(resources, links, can);
  const decided = { ...input, state, steps, ids, resources, links };
  const desired = menus.map(desiredOf);
  const worlds = worldsOf({ state, lists, agents, desired, steps });
  const held = heldMatters(decided, worlds);
  for (const matter of held) {
    if (matter.blocks === "everything") reportMatter(matter, { file: "ivrs" }, diagnostics);
  }
  // What somebody changed on the console to what the file says.
  const matched = lists.menus ? steps.filter(({ op }) => op === "match") : [];
  const listed = lists.menus ? describeList(lists.menus) : "";
  const learned = [...events, ...matched.flatMap((step) => recordEvents(step, listed, can))];
  return {
    environment,
    address,
    state: { id: state.origin?.id ?? null, serial: state.serial, head: state.head },
    knownState: state,
    steps,
    worlds,
    seen: { lists, agents },
    desired,
    can,
    wire: input.wire,
    recordingTimeout: input.recordingTimeout,
    held,
    ...describeChanges(decided),
    followUps: openFollowUps(recorded),
    ...(lists.menus && { list: listFacts(lists.menus, lists.numbers, resources) }),
    ...(learned.length > 0 && { learned }),
  };
}

function listFacts(
  { count, at, menus, unreadable }: NonNullable<Lists["menus"]>,
  numbers: Lists["numbers"],
  resources: readonly Resource[],
): NonNullable<Plan["list"]> {
  const onRecord = new Set(resources.flatMap(({ prior }) => prior?.id ?? []));
  const unmanaged = [...menus, ...unreadable].flatMap(({ id, name }) =>
    id === null || onRecord.has(id) ? [] : { id, name: name ?? "without a name" },
  );
  return { menus: count, at, ...(numbers && { numbers: numbers.count }), unmanaged };
}

/** A menu without the places in its file. */
function desiredOf({ key, content, movedFrom, onChange, isBlocked }: WantedMenu): Desired {
  return { key, content, movedFrom, onChange, ...(isBlocked && { isBlocked }) };
}
