import type { Reach } from "../call/dead-ends.ts";
import { reachOfCallers } from "../live/live-flow.ts";
import { reportMatter } from "../deploy/reasons/matter.ts";
import { type PlanInput, planProject } from "../deploy/plan/plan-project.ts";
import { Patterns } from "../util/patterns.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type DoctorStep, doctorStep } from "../doctor/doctor-step.ts";
import { type Prepared, prepare } from "../doctor/prepare.ts";
import { configName } from "../project/files.ts";
import { reachHead, reachMatters } from "../views/reach.ts";
import { serviceWatcher } from "../views/service.ts";
import type { Caller } from "./caller.ts";
import { readQuietly } from "./opened-source.ts";

interface Examined {
  readonly environment: string | null;
  readonly steps: readonly DoctorStep[];
}

/** Checks everything that plan and apply need, step by step. Creates and changes nothing. */
export async function examine(caller: Caller): Promise<Examined> {
  const prepared = await prepare(caller, serviceWatcher(caller));
  const { environment } = prepared;
  const isReached = prepared.steps.every(({ status }) => status !== "error");
  const live = isReached ? await readQuietly(caller) : undefined;
  const input = live
    ? { ...live, project: live.project.opened }
    : isReached && prepared.input?.endpoint.operations.has("list") === false
      ? { ...prepared.input, lists: {} }
      : undefined;
  if (input === undefined) return { environment, steps: prepared.steps };
  const compared = prepared.steps.map((step) => withPlan(step, prepared, input));
  if (live === undefined) return { environment, steps: compared };
  const reach = reachOfCallers(live, live.state);
  return { environment, steps: [...compared, callsStep(reach, environment ?? "")] };
}

/** The step about the state, after a comparison of the files and the state with what the service shows. */
function withPlan(
  step: DoctorStep,
  { steps, describeState }: Prepared,
  input: PlanInput,
): DoctorStep {
  if (step.name !== "state" || describeState === undefined) return step;
  const everything = {
    targets: new Patterns([]),
    maxCreates: undefined,
    allowed: new Set<never>(),
  };
  const planned = planProject(input, everything, new Diagnostics());
  const others = steps.filter(({ name }) => name !== "state").flatMap(({ problems }) => problems);
  return planned ? describeState(planned, new Set(others.map(({ code }) => code))) : step;
}

/** Where callers of the service get to. */
function callsStep(reach: Reach, environment: string): DoctorStep {
  const diagnostics = new Diagnostics();
  for (const matter of reachMatters(reach, environment)) {
    reportMatter(matter, { file: configName }, diagnostics);
  }
  return doctorStep("calls", diagnostics, `${reachHead(reach)}.`);
}
