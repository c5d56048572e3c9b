import type { Agents } from "../compile/agents.ts";
import { agentFindings } from "../deploy/plan/agent-findings.ts";
import type { StateView } from "../deploy/state/state.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import {
  type Checked,
  type MenuFindings,
  type ServiceFinding,
  showChecked,
} from "../views/check.ts";
import { type Context, type ExitCode, command } from "../cli/command.ts";
import { liveAgentsFlags } from "../cli/flags.ts";
import { checkState, missingRecords } from "../deploy/plan/guards.ts";
import { learn, stateAfter } from "../deploy/plan/learn.ts";
import type { LiveMenus } from "../deploy/plan/live.ts";
import { namingOf } from "../deploy/plan/on-service.ts";
import { strayNumbers } from "../deploy/plan/numbers.ts";
import { readPresent } from "../deploy/plan/read-live.ts";
import { strangeIn } from "../deploy/plan/strange.ts";
import type { Environment } from "../project/environment.ts";
import { reportOrigin } from "../deploy/service/agents.ts";
import { type Endpoint, endpointOf, reportToken } from "../deploy/service/connect.ts";
import { readState } from "../deploy/state/access.ts";
import { reportOpenBinds } from "../deploy/state/numbers.ts";
import { openStore } from "../deploy/state/open-store.ts";
import { openConfiguration, openProject } from "../project/open-project.ts";
import { serviceWatcher } from "../views/service.ts";

type AllChecked = Extract<Checked, { kind: "checked" }>;

export default command({
  maxArguments: 0,
  about:
    "Find agents in live menus who have left or changed.\n\nCompares the state with the current agent list. Reports agents who have left, are blocked, were renamed or have another extension, and the menus and keys that lead to them. If the service can list menus, it also reports menus that were changed on the console or are gone, and phone numbers that lead elsewhere. Run it in a scheduled job: it exits with 1 if it finds something.",
  flags: liveAgentsFlags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl check", "compare the state with the current agent list"],
    ["ivrctl check --format json", "print JSON for a script that sends alerts"],
  ],
  async run(context): Promise<ExitCode> {
    const diagnostics = new Diagnostics();
    const needs = { token: context.flags.agents === undefined, state: true };
    const configuration = openConfiguration(context);
    const endpoint = endpointOf(configuration, diagnostics, needs);
    const { environment } = configuration;
    const checked = endpoint && (await check(context, endpoint, environment, diagnostics));
    await showChecked(
      { environment: endpoint?.environment ?? null, checked },
      diagnostics.sorted(),
      context,
    );
    if (diagnostics.hasErrors || checked === undefined) return 1;
    if (checked.kind === "no-state") return 0;
    const { findings, onService = [], numbers = [] } = checked;
    return findings.length + onService.length + numbers.length > 0 ? 1 : 0;
  },
});

async function check(
  context: Context<typeof liveAgentsFlags>,
  endpoint: Endpoint,
  environment: Environment | undefined,
  diagnostics: Diagnostics,
): Promise<Checked | undefined> {
  const file = context.flags.agents;
  const store = await openStore(context, endpoint.environment, endpoint.state, diagnostics);
  const state = store && (await readState(store, diagnostics));
  if (state === undefined) {
    if (file === undefined) reportToken(endpoint);
    return undefined;
  }
  if (state.origin === null) return { kind: "no-state" };
  const watcher = serviceWatcher(context);
  const options = { root: context.root, watcher, state, file, environment };
  const present = await readPresent(endpoint, options, diagnostics);
  if (present === undefined) return undefined;
  const { agents, live, numbers } = present;
  reportOrigin(agents, file, endpoint, diagnostics);
  checkState(endpoint, agents, state, diagnostics);
  if (diagnostics.hasErrors) return undefined;
  if (state.origin.recovering) {
    const missing = missingRecords({ project: await openProject(context), endpoint, state });
    if (missing) diagnostics.add("IVR608", endpoint.settings.place, missing.message, missing.hint);
  }
  // Ids and outcomes that the lists prove count as recorded.
  const proved =
    live && stateAfter(state, learn(state, live, numbers && { numbers, agents }).events);
  const { binds } = proved ?? state;
  reportOpenBinds(binds.values(), endpoint.environment, diagnostics);
  return {
    ...findingsIn(state, agents),
    uncompared: live && proved ? reportStrange(proved, live, endpoint.environment, diagnostics) : 0,
    onService: live && proved && serviceFindings(proved, live, agents),
    numbers: live && proved && numbers && strayNumbers({ state: proved, live, agents, numbers }),
  };
}

/** The menus whose records differ from what the service lists. */
function serviceFindings(state: StateView, live: LiveMenus, agents: Agents): ServiceFinding[] {
  return [...state.keys]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, { current }]): ServiceFinding[] => {
      if (!current?.identified) return [];
      const { id } = current.identified;
      const seen = live.see(id, current.payload);
      const about = { key, name: current.payload.name, id, record: current };
      if (seen.kind === "missing") return [{ ...about, drift: undefined }];
      if (seen.kind !== "listed" || seen.drift.length === 0) return [];
      const drift = {
        differences: seen.drift,
        naming: namingOf(seen.drift, agents, state),
      };
      return [{ ...about, drift }];
    });
}

/** Reports the menus that cannot be compared with the service. Returns how many there are. */
function reportStrange(
  { keys }: StateView,
  live: LiveMenus,
  environment: string,
  diagnostics: Diagnostics,
): number {
  const found = [...keys].flatMap(([key, { current }]) => {
    const strange = current && strangeIn(live, key, current, environment);
    return strange ? [{ key, ...strange }] : [];
  });
  for (const { key, why, help } of found) {
    const message = `\`${key}\` cannot be compared with the service: ${why}.`;
    diagnostics.addAt("IVR637", { file: "ivrs" }, message, help, "error");
  }
  return found.length;
}

function findingsIn(
  state: StateView,
  agents: Agents,
): Omit<AllChecked, "uncompared" | "onService" | "numbers"> {
  const sorted = [...state.keys].sort(([a], [b]) => (a < b ? -1 : 1));
  const findings = sorted.flatMap(([key, { current }]): MenuFindings[] => {
    const found = current === null ? [] : agentFindings(current.naming, agents);
    if (current === null || found.length === 0) return [];
    const items = found.map((finding) => ({
      finding,
      now: agents.with("eid", finding.eid)[0] ?? null,
    }));
    return [{ key, name: current.payload.name, items }];
  });
  return {
    kind: "checked",
    menus: sorted.filter(([, { current }]) => current !== null).length,
    unknown: sorted.flatMap(([key, { pending }]) => (pending === null ? [] : key)),
    findings,
  };
}
