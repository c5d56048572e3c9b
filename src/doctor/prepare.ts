import type { Agents } from "../project/agent-list.ts";
import { compileProject } from "../workspace/compile-project.ts";
import { withEarlier } from "../deploy/plan/earlier-agents.ts";
import type { PlanInput, Planned } from "../deploy/plan/plan-project.ts";
import { checkState } from "../deploy/plan/check-endpoint.ts";
import { listAgents } from "../deploy/service/list-agents.ts";
import {
  type Endpoint,
  type ServiceWatcher,
  checkAddress,
  chosenEndpoint,
  openEndpoint,
  reportToken,
} from "../deploy/service/connect.ts";
import { readState } from "../deploy/state/access.ts";
import { matterHint, reportMatter } from "../deploy/reasons/matter.ts";
import { isOnConsole, isPlanned } from "../deploy/reasons/kinds.ts";
import { matters } from "../deploy/matters/matters.ts";
import { fileMenusOf } from "../deploy/matters/menus-in-files.ts";
import { menuKeys } from "../deploy/state/view.ts";
import { isUnnamed, openStore, reportUnnamed } from "../deploy/state/open-store.ts";
import { leftRescues } from "../deploy/state/rescue-files.ts";
import { State, type StateView } from "../deploy/state/state.ts";
import type { Code } from "../diagnostics/codes.ts";
import { isAbout } from "../diagnostics/groups.ts";
import { Diagnostics, diagnosticPlace } from "../diagnostics/diagnostic.ts";
import { type Project, type ProjectPlace, openProject } from "../workspace/open-project.ts";
import { many } from "../util/many.ts";
import { hintText } from "../util/suggest.ts";
import { nodeRange } from "../util/version.ts";
import { checkOperations } from "./probe-operations.ts";
import { probeService } from "./probe.ts";
import { type DoctorStep, doctorStep, failed, ok, skipped } from "./doctor-step.ts";

export interface Prepared {
  readonly environment: string | null;
  readonly steps: readonly DoctorStep[];
  /** Makes the step about the state again, with a plan. Undefined if the state cannot be read. */
  readonly describeState?: DescribeState | undefined;
  /** What a plan is made from, except the lists. Undefined if a part of it could not be read. */
  readonly input?: Omit<PlanInput, "lists"> | undefined;
}

/** `known` are the codes that other steps report. */
type DescribeState = (
  planned?: Pick<Planned, "plan" | "refused">,
  known?: ReadonlySet<Code>,
) => DoctorStep;

/**
 * Does what plan does before it compares anything, step by step, and probes the service. Changes
 * nothing. A step that needs the result of one that failed is skipped.
 */
export async function prepare(place: ProjectPlace, watcher: ServiceWatcher): Promise<Prepared> {
  const project = await openProject(place);
  const diagnostics = new Diagnostics();
  const endpoint = chosenEndpoint(project, diagnostics, { token: true, state: true });
  if (endpoint !== undefined) reportToken(endpoint);
  const uses = `${endpoint?.environment} uses ${endpoint?.address}.`;
  const first = [
    checkNode(project),
    doctorStep("configuration", diagnostics, `ivrctl.yaml is valid. ${uses}`),
  ];
  const environment = project.environment?.name ?? null;
  if (endpoint === undefined) {
    const names = ["state", "connection", "agents"];
    const rest = names.map((name) => skipped(name, "The configuration must be valid first."));
    return { environment, steps: [...first, ...rest, checkMenus(project, undefined, diagnostics)] };
  }
  const { state, step: record, describeState } = await readRecord(project, endpoint);
  // Announced once, before the first request.
  const { connected, ...requests } = watcher;
  connected?.(endpoint.environment, endpoint.address);
  const probes = await probeService(endpoint, project.host);
  const isReached = probes.every(({ status }) => status !== "error");
  const { agents, steps } = isReached
    ? await askService(project, endpoint, state, requests)
    : { agents: undefined, steps: [skipped("agents", "The service was not reached.")] };
  const menus = checkMenus(project, agents, diagnostics);
  return {
    environment,
    steps: [...first, record, ...probes, ...steps, menus],
    describeState,
    input: agents && state && { project, endpoint, agents, state },
  };
}

function checkNode({ host }: Project): DoctorStep {
  const { nodeVersion: version } = host.machine;
  const least = nodeRange.replace(/^>=/, "");
  const isOld = version.localeCompare(least, "en", { numeric: true }) < 0;
  return isOld
    ? failed(
        "node",
        "error",
        `Node ${version} is older than ${least}, which ivrctl needs.`,
        `Install Node ${least} or later.`,
      )
    : ok("node", `Node ${version}.`);
}

/** Reads the state and its lock, and compares its address with the one of the environment. */
async function readRecord(project: Project, endpoint: Endpoint) {
  const { environment } = endpoint;
  const diagnostics = new Diagnostics();
  if (endpoint.state && isUnnamed(endpoint.state)) {
    reportUnnamed(environment, endpoint.state, diagnostics, "warning");
    return { state: new State(), step: doctorStep("state", diagnostics, "") };
  }
  const store = await openStore(project, environment, endpoint.state, diagnostics);
  const reading = store && (await readState(store, diagnostics));
  if (store === undefined || reading === undefined) {
    return { state: undefined, step: doctorStep("state", diagnostics, "") };
  }
  const { state, holder } = reading;
  checkAddress(endpoint, state, diagnostics);
  const files = fileMenusOf(project);
  const rescues = leftRescues(project.root, environment, diagnostics);
  const events = `${many(menuKeys(state).length, "menu")} recorded, after ${many(state.serial, "event")}.`;
  const describeState: DescribeState = (planned, reported) => {
    const all = new Diagnostics();
    all.addAll(diagnostics);
    const { plan, refused: isRefused } = planned ?? {};
    const sources = {
      environment,
      lock: holder,
      rescues,
      ...files,
      plan,
      isRefused,
      isWhole: true,
    };
    const open = matters({ ...sources, state: plan?.knownState ?? state }).filter(
      (one) => !isPlanned(one),
    );
    for (const one of open.filter(({ exit, code }) => exit > 0 && !reported?.has(code))) {
      // What callers notice, or a person has to confirm, is red until it is gone.
      const severity = one.callers !== undefined || isOnConsole(one) ? "error" : undefined;
      reportMatter(one, { file: store.place }, all, severity);
    }
    const parts = [
      `${store.place}: ${state.origin === null ? "nothing has been applied yet." : events}`,
      ...open.filter(({ exit }) => exit === 0).map((one) => hintText(matterHint(one))),
      ...(store.advice ? [store.advice] : []),
    ];
    return doctorStep("state", all, parts.join(" "));
  };
  return { state, step: describeState(), describeState };
}

/** Asks the service for its agents, as plan does, and for the other lists that it may offer. */
async function askService(
  project: Project,
  endpoint: Endpoint,
  state: StateView | undefined,
  watcher: ServiceWatcher,
) {
  const { root, host } = project;
  const isSandbox = endpoint.settings.kind === "sandbox";
  const isRight = state !== undefined && checkAddress(endpoint, state, new Diagnostics());
  if (!isSandbox && !isRight) {
    const step = skipped("agents", "The token is sent only to the address in the state.");
    return { agents: undefined, steps: [step] };
  }
  const diagnostics = new Diagnostics();
  const options = { root, host, watcher, state, readAttempts: 1 };
  const connection = await openEndpoint(endpoint, options, diagnostics);
  if (connection === undefined) {
    const isUnset = !diagnostics.hasErrors;
    const step = isUnset
      ? skipped("agents", "There is no token.")
      : doctorStep("agents", diagnostics, "");
    return { agents: undefined, steps: [step] };
  }
  try {
    const agents = await listAgents(connection, diagnostics);
    if (agents !== undefined && state !== undefined)
      checkState(endpoint, agents, state, diagnostics);
    if (agents?.list.length === 0) {
      const help = "Check that the token belongs to the right account.";
      diagnostics.add("IVR503", connection.place, "The service lists no agents.", help, "warning");
    }
    const listed = doctorStep(
      "agents",
      diagnostics,
      agents === undefined ? "" : agentsText(agents, endpoint),
    );
    // Without the agents, the other lists tell something only if the agents come from one of them.
    const isAsked = !isSandbox && (agents !== undefined || endpoint.operations.has("users"));
    const operations = isAsked ? [await checkOperations(connection)] : [];
    // The agents of a wrong account have not left.
    const isOther = diagnostics.sorted().some((one) => isAbout(one, "wrong account"));
    const allAgents = agents && state && !isOther ? withEarlier(agents, project, state) : agents;
    return { agents: allAgents, steps: [listed, ...operations] };
  } finally {
    await connection.close();
  }
}

function agentsText({ list, origin }: Agents, { settings }: Endpoint): string {
  const blocked = list.filter((agent) => agent.blocked).length;
  const also = blocked === 0 ? "" : `, ${blocked} of them blocked`;
  const text = `The service lists ${many(list.length, "agent")}${also}.`;
  const isDeprecated = settings.kind === "http" && origin.source !== "users";
  return isDeprecated ? `${text} It marks this list as deprecated.` : text;
}

/** Compiles the menus. `reported` are problems of the configuration that have a step of their own. */
function checkMenus(
  project: Project,
  agents: Agents | undefined,
  reported: Diagnostics,
): DoctorStep {
  if (project.config === undefined) return skipped("menus", "The configuration cannot be read.");
  const compiled = compileProject(project, { agents, allMenus: false });
  const places = new Set(reported.sorted().map(diagnosticPlace));
  const diagnostics = new Diagnostics();
  diagnostics.addAll(
    compiled.diagnostics,
    (problem) => problem.severity === "error" && !places.has(diagnosticPlace(problem)),
  );
  const warnings = compiled.diagnostics.sorted().filter(({ severity }) => severity === "warning");
  const { length } = compiled.menus;
  if (length === 0 && !diagnostics.hasErrors) {
    diagnostics.addAt("IVR125", { file: "ivrs" }, "There are no menus under ivrs/.", {
      words: "Add a menu file, or take over the menus that you have. To read how, run:",
      argv: ["explain", "import"],
    });
  }
  const checked = agents === undefined ? "agents not checked" : "checked with the service's agents";
  // `validate` shows them.
  const also = warnings.length === 0 ? "" : `, ${many(warnings.length, "warning")}`;
  return doctorStep(
    "menus",
    diagnostics,
    `${many(length, "menu")}, no errors${also} (${checked}).`,
  );
}
