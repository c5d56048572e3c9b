import { resolve } from "node:path";
import { type Plan, actions, summaryOf } from "../deploy/plan/plan.ts";
import { planFileText } from "../deploy/plan/plan-file.ts";
import type { StateView } from "../deploy/state/state.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { reason } from "../compile/read/files.ts";
import { sayPlanKept, showPlan } from "../views/plan/index.ts";
import { type Context, type ExitCode, command } from "./command.ts";
import { type Connection, type Endpoint, chooseEndpoint, openEndpoint } from "./connect.ts";
import {
  type PlanRequest,
  type Planned,
  agentsFor,
  planFlags,
  planProject,
  requestOf,
  tellOfFile,
} from "./planning.ts";
import { writeNamed } from "./replace-file.ts";
import { readState } from "./state-access.ts";

export default command({
  maxArguments: 0,
  about:
    "Shows what apply would do: what changes for callers, menu by menu. It changes nothing and takes no lock.",
  flags: {
    out: {
      type: "string",
      value: "FILE",
      about: "keep the plan, so that `apply FILE` does exactly this",
    },
    "detailed-exitcode": {
      type: "boolean",
      about: "exit with 2 where there is something to do, or an outcome is unknown",
    },
    ...planFlags,
  },
  formats: ["text", "json"],
  examples: [
    ["ivrctl plan", "what would change"],
    ["ivrctl plan --verbose", "with what would change on the wire"],
    ["ivrctl plan --out plan.json", "to be reviewed, then: ivrctl apply plan.json"],
    ["ivrctl plan --target 'sales/*'", "of some menus only"],
  ],
  async run(context): Promise<ExitCode> {
    const { flags, globals, terminal, root } = context;
    const request = requestOf(flags);
    const diagnostics = new Diagnostics();
    const endpoint = chooseEndpoint(context, diagnostics);
    const made = endpoint && (await make(context, endpoint, request, diagnostics));
    const noState = made !== undefined && isWithoutState(made.endpoint, made.state);
    if (made !== undefined && noState) {
      diagnostics.add(
        "IVR608",
        made.endpoint.settings.place,
        `There is no record of anything created on ${made.endpoint.address}.`,
        "If there should be one, find it before you apply: every menu would be created again.",
        "warning",
      );
    }
    const plan = made?.planned?.plan;
    if (made?.planned !== undefined && flags.out !== undefined && !diagnostics.hasErrors) {
      const { from } = made.planned;
      const text = planFileText(made.planned.plan, from, new Date().toISOString());
      try {
        writeNamed(resolve(root, flags.out), text, terminal);
      } catch (error) {
        diagnostics.addFile(
          "IVR626",
          flags.out,
          `${flags.out} cannot be written: ${reason(error)}.`,
        );
      }
    }
    const environment = endpoint?.environment ?? null;
    await showPlan({ plan, environment, noState, diagnostics: diagnostics.sorted() }, context);
    if (plan === undefined || diagnostics.hasErrors) return 1;
    if (flags.out !== undefined && !globals.quiet) sayPlanKept(flags.out, terminal);
    return flags["detailed-exitcode"] && hasChanges(plan) ? 2 : 0;
  },
});

interface Made {
  readonly endpoint: Endpoint;
  readonly state: StateView;
  readonly planned: Planned | undefined;
}

async function make(
  context: Context<typeof planFlags>,
  endpoint: Endpoint,
  request: PlanRequest,
  diagnostics: Diagnostics,
): Promise<Made | undefined> {
  const { root, flags } = context;
  const state = await readState(root, endpoint.environment, diagnostics);
  let connection: Connection | undefined;
  if (flags.agents === undefined) {
    connection = await openEndpoint(context, endpoint, diagnostics);
    if (connection === undefined) return undefined;
  }
  try {
    const agents = await agentsFor(root, flags.agents, connection, diagnostics);
    if (agents === undefined || state === undefined) return undefined;
    tellOfFile(agents, flags.agents, diagnostics);
    const planned = planProject(context, { endpoint, agents, state, request }, diagnostics);
    return { endpoint, state, planned };
  } finally {
    await connection?.close();
  }
}

function isWithoutState({ local }: Endpoint, { origin }: StateView): boolean {
  return !local && origin === null;
}

/** Whether apply would do something, or a person has to. */
function hasChanges(plan: Plan): boolean {
  const summary = summaryOf(plan);
  return actions.some((action) => summary[action] > 0);
}
