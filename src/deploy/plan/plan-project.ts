import { Agents } from "../../compile/agents.ts";
import type { CompiledMenu, ResolvedMenu } from "../../compile/menu.ts";
import type { CompiledProject } from "../../compile/compile-project.ts";
import { readAgentList } from "../../compile/agent-list.ts";
import { readNamed } from "../../project/files.ts";
import { nearest, didYouMean } from "../../util/nearest.ts";
import { makePlan } from "./make-plan.ts";
import { madeOf } from "./made.ts";
import { type Plan, type Wanted, isSending } from "./plan.ts";
import type { PlannedFrom } from "./plan-file.ts";
import { Patterns, type Targets } from "./targets.ts";
import type { StateView } from "../state/state.ts";
import type { Code } from "../../diagnostics/codes.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { ageOf } from "../../views/age.ts";
import { type Project, compileOpened } from "../../project/open-project.ts";
import { UsageError } from "../../util/usage-error.ts";
import type { Connection, Endpoint } from "../service/connect.ts";
import { judgeChanges } from "./judge-changes.ts";

/** The flags that plan and apply share. */
export const planFlags = {
  agents: {
    type: "string",
    value: "FILE",
    about: "Read the agent list from this file (default: ask the service)",
  },
  target: {
    type: "string",
    multiple: true,
    value: "KEY",
    completes: "key",
    about: "Only this key; * and ? match any characters. Can be repeated",
  },
  "max-creates": {
    type: "string",
    value: "N",
    about: "Refuse a plan with more creates than this; a replace counts as one",
  },
} as const;

export interface PlanRequest {
  readonly targets: Targets;
  readonly maxCreates: number | undefined;
}

export function requestOf(flags: {
  readonly target: readonly string[];
  readonly "max-creates": string | undefined;
}): PlanRequest {
  const limit = flags["max-creates"];
  if (limit !== undefined && !/^\d+$/.test(limit)) {
    throw new UsageError(`--max-creates is a whole number from 0, not ${limit}.`);
  }
  return {
    targets: new Patterns(flags.target),
    maxCreates: limit === undefined ? undefined : Number(limit),
  };
}

/** The list in a file, else the service's own. */
export async function agentsFor(
  root: string,
  file: string | undefined,
  connection: Connection | undefined,
  diagnostics: Diagnostics,
  signal?: AbortSignal,
): Promise<Agents | undefined> {
  if (file !== undefined) {
    const source = readNamed(root, file, "agentList", diagnostics);
    return source && readAgentList(source, diagnostics);
  }
  if (connection === undefined) return undefined;
  const listing = await connection.service.list(signal);
  if (listing.kind === "listed") return new Agents(listing.agents);
  diagnostics.add("IVR503", connection.place, `${connection.address}: ${listing.problem}.`);
  return undefined;
}

/** A list from a file is as old as it is: the service's own may differ. */
export function tellOfFile(
  agents: Agents,
  file: string | undefined,
  diagnostics: Diagnostics,
): void {
  if (file === undefined || agents.pulledAt === undefined) return;
  diagnostics.addFile(
    "IVR616",
    file,
    `The agents are those ${ageOf(agents.pulledAt)}; the service's own may differ by now.`,
  );
}

export interface Planned {
  readonly plan: Plan;
  readonly from: PlannedFrom;
  /** It may be looked at, and not applied. */
  readonly refused: boolean;
}

/**
 * Compiles the project and plans it against a state. Nothing is there where the
 * files are at fault; faults of the plan itself come with the plan, so that it can
 * be looked at.
 */
export function planProject(
  project: Project,
  {
    endpoint,
    agents,
    state,
    request,
  }: {
    readonly endpoint: Endpoint;
    readonly agents: Agents;
    readonly state: StateView;
    readonly request: PlanRequest;
  },
  diagnostics: Diagnostics,
): Planned | undefined {
  const found = new Diagnostics();
  const compilation = compileOpened(project, { agents });
  found.addAll(compilation.diagnostics);
  const { environment, menus, compiled, judge } = compilation;
  const { targets } = request;
  judgeTargets(targets, menus, state, found);
  const blocked = isBlocked(compilation, targets, found);
  diagnostics.addAll(found);
  const guards = new Diagnostics();
  judgeState(endpoint, agents, state, guards);
  if (environment === undefined || project.source === undefined || blocked) {
    // Of another account no agent is known: whoever reads that of each menu is told why.
    diagnostics.addAll(guards);
    return undefined;
  }
  if (menus.length === 0 && state.keys.size === 0) {
    guards.addFile("IVR125", "ivrs", "There are no menus under ivrs/.");
  }
  const made = makePlan(
    {
      environment: endpoint.environment,
      address: endpoint.identity,
      menus: menus.flatMap((menu) => wanted(menu, compiled.get(menu), environment.onChange) ?? []),
      state,
      targets,
    },
    guards,
  );
  judgeChanges(judge, compiled.values(), made.changes, guards);
  const plan = withBlocked(made, agents);
  judgeSize(plan, request, endpoint, guards);
  diagnostics.addAll(guards);
  const from = { config: project.source, menus: project.menus };
  return { plan, from, refused: guards.hasErrors };
}

/**
 * Where no plan comes to be for another reason, what the files are at fault for
 * by themselves is told with it: nobody mends one fault to be told of the next.
 * Without a list that is certain, agents are not looked for.
 */
export function tellOfFaults(project: Project, diagnostics: Diagnostics): void {
  const found = compileOpened(project, { agents: undefined }).diagnostics;
  diagnostics.addAll(found, ({ severity }) => severity === "error");
}

/** The project's rules have let them pass; whoever is blocked later has not been seen. */
function withBlocked(plan: Plan, agents: Agents): Plan {
  const eids = plan.changes
    .filter(isSending)
    .flatMap(({ after }) => after.naming.agents.map(({ eid }) => eid))
    .filter((eid) => agents.with("eid", eid).some(({ blocked }) => blocked));
  return eids.length === 0 ? plan : { ...plan, blocked: [...new Set(eids)].sort() };
}

function wanted(
  menu: ResolvedMenu,
  compiled: CompiledMenu | undefined,
  standard: "replace" | "refuse",
): Wanted | undefined {
  const { key, name, movedFrom, top } = menu;
  if (key === undefined) return undefined;
  return {
    key,
    made: compiled && madeOf(compiled),
    movedFrom: movedFrom?.value,
    refusesChange: (menu.onChange ?? standard) === "refuse",
    at: { top, name: name?.at ?? top, movedFrom: movedFrom?.at ?? top },
  };
}

function judgeTargets(
  targets: Targets,
  menus: readonly ResolvedMenu[],
  state: StateView,
  diagnostics: Diagnostics,
): void {
  const keys = [...new Set([...menus.flatMap(({ key }) => key ?? []), ...state.keys.keys()])];
  for (const target of targets.idle(keys)) {
    diagnostics.addFile(
      "IVR613",
      "ivrs",
      `--target '${target}' matches no menu and no key in the state.`,
      didYouMean(nearest(target, keys)),
    );
  }
}

/** Errors in menus that the run is not narrowed to do not stop it. */
function isBlocked(project: CompiledProject, targets: Targets, diagnostics: Diagnostics): boolean {
  if (!diagnostics.hasErrors) return false;
  if (!targets.narrow) return true;
  const own = new Set(project.menus.map(({ source }) => source.file));
  return (
    project.menus.some(
      (menu) => (menu.key === undefined || targets.has(menu.key)) && !project.compiled.has(menu),
    ) ||
    diagnostics
      .sorted()
      .some(
        ({ severity, code, file }) => severity === "error" && (!own.has(file) || isDecisive(code)),
      )
  );
}

/** Where a file cannot be read, or keys or names clash, nobody can say what belongs to what. */
function isDecisive(code: Code): boolean {
  return code.startsWith("IVR1") || decisive.has(code) || code.startsWith("IVR6");
}

const decisive: ReadonlySet<Code> = new Set(["IVR212", "IVR213", "IVR214", "IVR215", "IVR216"]);

/** Whether nothing is on record for a service where something should be. */
export function isWithoutState({ local }: Endpoint, { origin }: StateView): boolean {
  return !local && origin === null;
}

/** Whether this state is of this service at all; without a list, by the address alone. */
export function judgeState(
  { environment, identity, settings, address }: Endpoint,
  agents: Agents | undefined,
  { origin, keys, followUps }: StateView,
  diagnostics: Diagnostics,
): void {
  if (origin !== null && origin.address !== identity) {
    diagnostics.add(
      "IVR606",
      settings.place,
      `The state is of ${origin.address}, and this environment is of ${identity}.`,
      `If the account has moved: ivrctl state rebind --to URL --evidence TEXT --env ${environment}`,
    );
  }
  if (agents === undefined) return;
  const records = [
    ...[...keys.values()].flatMap(({ current, pending }) => [current, pending]),
    ...[...followUps.values()].map(({ record }) => record),
  ];
  const eids = new Set(records.flatMap((made) => made?.naming.agents.map(({ eid }) => eid) ?? []));
  if (eids.size > 0 && ![...eids].some((eid) => agents.with("eid", eid).length > 0)) {
    diagnostics.add(
      "IVR607",
      settings.place,
      `None of the ${eids.size} extension ids in the state is on the agent list of ${address}: this is another account.`,
      "Check the token and the address of the environment.",
    );
  }
}

export function judgeSize(
  { changes }: Plan,
  { maxCreates }: PlanRequest,
  { maxCreates: configured }: Endpoint,
  diagnostics: Diagnostics,
): void {
  const limit = maxCreates ?? configured?.count;
  const count = changes.filter(isSending).length;
  if (limit === undefined || count <= limit) return;
  const creates = count === 1 ? "1 create" : `${count} creates`;
  const message = `The plan would send ${creates}, and ${limit === 1 ? "1 is" : `${limit} are`} allowed.`;
  const hint =
    "Look whether that is what you mean; then raise the limit, or plan fewer menus with --target KEY.";
  if (maxCreates === undefined && configured !== undefined) {
    diagnostics.add("IVR612", configured.place, message, hint);
  } else diagnostics.addFile("IVR612", "ivrs", message, hint);
}
