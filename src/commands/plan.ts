import { resolve } from "node:path";
import { failedWith } from "../util/disk.ts";
import { planFileText } from "../deploy/plan/plan-file.ts";
import type { StateView } from "../deploy/state/state.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { configName, reason, shownPath, snapshotName } from "../project/files.ts";
import { sayPlan, sayPlanKept, sayUnderWay, showPlan } from "../views/plan/index.ts";
import { type Project, openProject } from "../project/open-project.ts";
import { type Context, type ExitCode, command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";
import {
  type Connection,
  type Endpoint,
  endpointOf,
  environmentName,
  openEndpoint,
} from "../deploy/service/connect.ts";
import {
  type PlanRequest,
  type Planned,
  agentsFor,
  isWithoutState,
  planFlags,
  planProject,
  requestOf,
  tellOfFaults,
  tellOfFile,
} from "../deploy/plan/plan-project.ts";
import { isStdout, writeNamed } from "../util/replace-file.ts";
import { tellOfRescues } from "../deploy/apply/rescue-files.ts";
import { readState, whereSound } from "../deploy/state/access.ts";
import { storeFor } from "../deploy/state/open-store.ts";

export default command({
  maxArguments: 0,
  about:
    "Shows what apply would do, and what changes for callers, menu by menu. It changes nothing and takes no lock.",
  flags: {
    out: {
      type: "string",
      value: "FILE",
      about: "Save the plan, so that `ivrctl apply FILE` does exactly this",
    },
    "detailed-exitcode": {
      type: "boolean",
      about: "Exit with 2 if there is something to do, or an outcome is unknown",
    },
    ...planFlags,
  },
  formats: ["text", "json", "markdown"],
  examples: [
    ["ivrctl plan", "what would change"],
    ["ivrctl plan --verbose", "also what changes in the payloads"],
    ["ivrctl plan --out plan.json", "to review it, and then run: ivrctl apply plan.json"],
    ["ivrctl plan --target 'sales/*'", "only some menus"],
    ["ivrctl plan --format markdown", "for a comment on a pull request"],
  ],
  async run(context): Promise<ExitCode> {
    const { flags, globals, terminal } = context;
    const request = requestOf(flags);
    const toStdout = flags.out !== undefined && isStdout(flags.out);
    if (toStdout && context.format !== "text") {
      throw new UsageError(
        `--out ${flags.out} and --format ${context.format} both print to stdout: choose one.`,
      );
    }
    const diagnostics = new Diagnostics();
    const token = flags.agents === undefined;
    const project = await openProject(context);
    const endpoint = endpointOf(project, diagnostics, { token, state: true });
    const made = endpoint && (await make(context, project, endpoint, request, diagnostics));
    if (made === undefined) tellOfFaults(project, diagnostics);
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
    const planned = made?.planned;
    const failed = planned === undefined || planned.refused || !keep(context, planned, diagnostics);
    const environment = endpoint?.environment ?? environmentName(project, context) ?? null;
    const shown = {
      plan: planned?.plan,
      environment,
      state: made?.state,
      noState,
      refused: planned?.refused === true,
      diagnostics: diagnostics.sorted(),
    };
    // What was asked for on stdout stands there alone.
    if (toStdout) await sayPlan(shown, context);
    else await showPlan(shown, context);
    if (failed) return 1;
    if (flags.out !== undefined && !toStdout && !globals.quiet) sayPlanKept(flags.out, terminal);
    return flags["detailed-exitcode"] && planned.plan.changes.length > 0 ? 2 : 0;
  },
});

/** Writes the file that was asked for; false, and told, where that cannot be done. */
function keep(
  { root, flags: { out }, terminal }: Context<{ out: { type: "string"; about: string } }>,
  { plan, from }: Planned,
  diagnostics: Diagnostics,
): boolean {
  if (out === undefined) return true;
  if (isOfProject(shownPath(root, resolve(root, out)))) {
    diagnostics.addFile("IVR626", out, `${out} belongs to the project itself and is not replaced.`);
    return false;
  }
  try {
    const text = planFileText(plan, from, new Date().toISOString());
    writeNamed(root, out, text, terminal);
    return true;
  } catch (error) {
    const why = failedWith(error, "ENOENT") ? "there is no such folder" : reason(error);
    diagnostics.addFile("IVR626", out, `${out} cannot be written: ${why}.`);
    return false;
  }
}

/** What a plan must never be written over: menus, configuration, snapshot, state. */
function isOfProject(path: string): boolean {
  return path === configName || path === snapshotName || /^(?:ivrs|\.ivrctl)(?:\/|$)/.test(path);
}

interface Made {
  readonly endpoint: Endpoint;
  readonly state: StateView;
  readonly planned: Planned | undefined;
}

async function make(
  context: Context<typeof planFlags & { out: { type: "string"; about: string } }>,
  project: Project,
  endpoint: Endpoint,
  request: PlanRequest,
  diagnostics: Diagnostics,
): Promise<Made | undefined> {
  const { root, flags } = context;
  const store = await storeFor(context, endpoint, diagnostics);
  const state = store && (await readState(store, diagnostics));
  if (state) tellOfRescues(root, endpoint.environment, diagnostics);
  const lock = state && (await whereSound(store, diagnostics, () => store.holder()));
  if (lock && !context.globals.quiet) sayUnderWay(lock, context.terminal);
  let connection: Connection | undefined;
  if (flags.agents === undefined) {
    connection = await openEndpoint(context, endpoint, diagnostics);
    if (connection === undefined) return undefined;
  }
  try {
    const agents = await agentsFor(root, flags.agents, connection, diagnostics);
    if (agents === undefined || state === undefined) return undefined;
    tellOfFile(agents, flags.agents, diagnostics);
    const wish = { endpoint, agents, state, request };
    const planned = planProject(project, wish, diagnostics);
    return { endpoint, state, planned };
  } finally {
    await connection?.close();
  }
}
