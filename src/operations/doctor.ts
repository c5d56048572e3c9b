import { type PlanInput, planProject, wholePlan } from "../deploy/plan/plan-project.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { DoctorStep } from "../doctor/doctor-step.ts";
import { type Prepared, prepare } from "../doctor/prepare.ts";
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
  return { environment, steps: prepared.steps.map((step) => withPlan(step, prepared, input)) };
}

/** The step about the state, after a comparison of the files and the state with what the service shows. */
function withPlan(
  step: DoctorStep,
  { steps, describeState }: Prepared,
  input: PlanInput,
): DoctorStep {
  if (step.name !== "state" || describeState === undefined) return step;
  const planned = planProject(input, wholePlan, new Diagnostics());
  const others = steps.filter(({ name }) => name !== "state").flatMap(({ problems }) => problems);
  return planned ? describeState(planned, new Set(others.map(({ code }) => code))) : step;
}
