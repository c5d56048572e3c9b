import type { Agents } from "../../compile/agents.ts";
import { readNamed } from "../../project/files.ts";
import { type Change, isSending, payloadsOf } from "./plan.ts";
import { movedFiles, readPlanFile } from "./plan-file.ts";
import { flawOf } from "./rehearse.ts";
import { targetKeys } from "./targets.ts";
import { agentFindings } from "./agent-findings.ts";
import type { StateView } from "../state/state.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { PlanFile } from "../../schema/plan.ts";
import { describeFinding } from "../../views/agent-findings.ts";
import type { Project } from "../../project/open-project.ts";
import type { Context } from "../../cli/command.ts";
import type { Endpoint } from "../service/connect.ts";
import { planProject } from "./plan-project.ts";

/** A plan that was made earlier, and where it was read from. */
export interface SavedPlan {
  readonly file: string;
  readonly content: PlanFile;
  readonly plan: PlanFile["plan"];
}

export function readSaved(
  root: string,
  path: string,
  diagnostics: Diagnostics,
): SavedPlan | undefined {
  const source = readNamed(root, path, "planFile", diagnostics);
  if (source === undefined) return undefined;
  const reading = readPlanFile(source.text);
  if (reading.kind === "read") {
    return { file: source.file, content: reading.file, plan: reading.file.plan };
  }
  diagnostics.addFile(
    reading.code,
    source.file,
    `${source.file} cannot be applied: ${reading.problem}.`,
    "Make the plan again: ivrctl plan --out FILE",
  );
  return undefined;
}

/** The plan's own, unless another was asked for: then it is refused. */
export function environmentOf(
  { plan, file }: SavedPlan,
  { globals, variables }: Context,
  diagnostics: Diagnostics,
): string {
  const asked = globals.env ?? (variables["IVRCTL_ENV"] || undefined);
  if (asked !== undefined && asked !== plan.environment) {
    diagnostics.addFile(
      "IVR623",
      file,
      `The plan is for the environment ${plan.environment}, not for ${asked}.`,
    );
  }
  return plan.environment;
}

interface Moment {
  readonly project: Project;
  readonly endpoint: Endpoint;
  readonly agents: Agents;
  readonly state: StateView;
}

/** Everything that moved since the plan was made, all of it told. */
export function judgeSaved(
  { file, content, plan }: SavedPlan,
  { project, endpoint, agents, state }: Moment,
  diagnostics: Diagnostics,
): void {
  const again = "Make the plan again: ivrctl plan --out FILE";
  if (endpoint.identity !== plan.address) {
    diagnostics.addFile(
      "IVR623",
      file,
      `The plan is for ${plan.address}, and the environment ${plan.environment} is now of ${endpoint.identity}.`,
      again,
    );
  }
  const lineage = state.origin?.lineage ?? null;
  if (isBehind(state, plan)) {
    diagnostics.addFile(
      "IVR628",
      file,
      lineage === null
        ? "The plan was made from a state that is not here."
        : `The plan was made from serial ${plan.state.serial} of the state, and this one is at ${state.serial}.`,
      "Bring the later state back. What was created since is not on record here, and a new plan would create it again.",
    );
  } else if (
    lineage !== plan.state.lineage ||
    state.serial !== plan.state.serial ||
    state.head !== plan.state.head
  ) {
    const problem =
      lineage === plan.state.lineage
        ? state.serial === plan.state.serial
          ? "the state has gone another way: its last events are others"
          : `the state has moved on from serial ${plan.state.serial} to serial ${state.serial}`
        : plan.state.lineage === null
          ? "when it was made there was no state, and now there is one"
          : `this is another state (lineage ${lineage}, not ${plan.state.lineage})`;
    diagnostics.addFile(
      "IVR622",
      file,
      `The plan is of another moment: ${problem}. A plan is good for one apply.`,
      again,
    );
  } else {
    const flaw = flawOf(plan, state);
    if (flaw !== undefined) {
      diagnostics.addFile(
        "IVR627",
        file,
        `\`ivrctl plan\` cannot have made this plan from the state: ${flaw}.`,
        again,
      );
    }
  }
  const moved = movedFiles(content, project.source, project.menus);
  if (moved.length > 0) {
    diagnostics.addFile(
      "IVR624",
      file,
      `Since the plan was made, ${listed(moved)}.`,
      "Make the plan again, or check out the revision that it was made from.",
    );
  }
  const blocked = new Set(plan.blocked);
  for (const { key, after } of plan.changes.filter(isSending)) {
    for (const finding of agentFindings(after.naming, agents, blocked)) {
      if (finding.harmless) continue;
      const { place } = finding;
      diagnostics.addFile("IVR625", file, `${key}, ${place}: ${describeFinding(finding)}.`, again);
    }
  }
}

/** A state only ever grows: one that lacks what the plan was made from was put back, or lost. */
function isBehind(state: StateView, plan: SavedPlan["plan"]): boolean {
  const lineage = state.origin?.lineage ?? null;
  if (lineage === null) return plan.state.lineage !== null;
  return lineage === plan.state.lineage && state.serial < plan.state.serial;
}

/**
 * A plan is a function of the files, the state and the agents. Where none of them
 * moved, making it anew gives the same plan, unless somebody else wrote this one.
 * Where there are no files here, or a variable that they need is not set for this
 * run, nobody can say.
 */
export function judgeMaking(
  { file, plan }: SavedPlan,
  { project, endpoint, agents, state }: Moment,
  diagnostics: Diagnostics,
): void {
  const { source, menus } = project;
  if (source === undefined || menus.length === 0 || plan.changes.length === 0) return;
  const targets = targetKeys(new Set(plan.changes.map(({ key }) => key)));
  const request = { targets, maxCreates: undefined };
  const moment = { endpoint, agents, state, request };
  const found = new Diagnostics();
  const anew = planProject(project, moment, found)?.plan;
  if (anew === undefined) {
    if (found.sorted().some(({ code }) => code === "IVR403")) return;
    diagnostics.addAll(found);
  }
  const made = new Map(anew?.changes.map((change) => [change.key, deedOf(change)]));
  const others = plan.changes.filter((change) => made.get(change.key) !== deedOf(change));
  if (others.length === 0) return;
  diagnostics.addFile(
    "IVR627",
    file,
    `The plan does not say what the files here make: ${listed(others.map(({ key }) => key))}.`,
    "Make the plan again: ivrctl plan --out FILE",
  );
}

/** What is done to the service and to the state. */
function deedOf(change: Change): string {
  const movedFrom = "movedFrom" in change ? change.movedFrom : null;
  return JSON.stringify([change.action, payloadsOf(change).after, movedFrom]);
}

const maxListed = 10;

function listed(parts: readonly string[]): string {
  const more = parts.length - maxListed;
  return more > 0 ? `${parts.slice(0, maxListed).join(", ")} and ${more} more` : parts.join(", ");
}
