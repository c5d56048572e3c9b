import type { Agents } from "../compile/agents.ts";
import { agentFindings } from "../deploy/plan/agent-findings.ts";
import type { StateView } from "../deploy/state/state.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Checked, type MenuFindings, showChecked } from "../views/check.ts";
import { type Context, type ExitCode, command } from "../cli/command.ts";
import { liveAgentsFlags } from "../cli/flags.ts";
import { checkState } from "../deploy/plan/guards.ts";
import { currentAgents, reportOrigin } from "../deploy/service/agents.ts";
import { wantedIntercoms } from "../deploy/service/user-agents.ts";
import { type Endpoint, endpointOf, reportToken } from "../deploy/service/connect.ts";
import { readState } from "../deploy/state/access.ts";
import { openStore } from "../deploy/state/open-store.ts";
import { openConfiguration } from "../project/open-project.ts";
import { serviceWatcher } from "../views/service.ts";

export default command({
  maxArguments: 0,
  about:
    "Find agents in live menus who have left or changed.\n\nCompares the state with the current agent list. Reports agents who have left, are blocked, were renamed or have another extension, and the menus and keys that lead to them. Run it in a scheduled job: it exits with 1 if it finds something.",
  flags: liveAgentsFlags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl check", "compare the state with the current agent list"],
    ["ivrctl check --format json", "print JSON for a script that sends alerts"],
  ],
  async run(context): Promise<ExitCode> {
    const diagnostics = new Diagnostics();
    const needs = { token: context.flags.agents === undefined, state: true };
    const endpoint = endpointOf(openConfiguration(context), diagnostics, needs);
    const checked = endpoint && (await check(context, endpoint, diagnostics));
    await showChecked(
      { environment: endpoint?.environment ?? null, checked },
      diagnostics.sorted(),
      context,
    );
    if (diagnostics.hasErrors || checked === undefined) return 1;
    return checked.kind === "checked" && checked.findings.length > 0 ? 1 : 0;
  },
});

async function check(
  context: Context<typeof liveAgentsFlags>,
  endpoint: Endpoint,
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
  const wanted = wantedIntercoms(undefined, state);
  const options = { root: context.root, watcher: serviceWatcher(context), wanted, file };
  const agents = await currentAgents(endpoint, options, diagnostics);
  if (agents === undefined) return undefined;
  reportOrigin(agents, file, endpoint, diagnostics);
  checkState(endpoint, agents, state, diagnostics);
  return diagnostics.hasErrors ? undefined : findingsIn(state, agents);
}

function findingsIn(state: StateView, agents: Agents): Checked {
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
