import type { Agents } from "../../compile/agents.ts";
import type { Span } from "../../diagnostics/source.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { type StateView, openFollowUps } from "../state/state.ts";
import { describe } from "./describe.ts";
import { linkedBy } from "./links.ts";
import type { Desired, Plan, WantedMenu } from "./plan.ts";
import { reconcile } from "./reconcile.ts";
import { reportHolds } from "./report.ts";
import { planSteps } from "./steps/plan-steps.ts";
import { type Lists, type Resource, inboundLinks, resourcesOf } from "./steps/resources.ts";
import type { Can } from "./steps/step.ts";

interface Input {
  readonly environment: string;
  readonly address: string;
  readonly menus: readonly WantedMenu[];
  /** The state as it is recorded. */
  readonly state: StateView;
  readonly lists: Lists;
  readonly agents: Agents | undefined;
  readonly can: Can;
  /** Where the limit of creates is set, if that is a file. */
  readonly limitAt?: Span | undefined;
}

/** Makes the plan. It depends only on the menus, the state and what the service lists. */
export function makePlan(input: Input, diagnostics: Diagnostics): Plan {
  const { environment, address, menus, state: recorded, lists, agents, can } = input;
  const { events, state } = reconcile(recorded, lists, agents);
  const resources = resourcesOf(menus, state, lists);
  const links = inboundLinks(resources, state, lists);
  const steps = planSteps(resources, links, can);
  reportHolds({ ...input, state, steps, resources, links }, diagnostics);
  const { agreed, ...described } = describe({
    ...input,
    state,
    steps,
    resources,
  });
  const learned = [...events, ...agreed];
  return {
    environment,
    address,
    state: { lineage: state.origin?.lineage ?? null, serial: state.serial, head: state.head },
    steps,
    desired: menus.map(desiredOf),
    keys: menus.map(({ key }) => key),
    linked: linkedBy(menus),
    can,
    ...described,
    followUps: openFollowUps(recorded),
    ...(lists.menus && { list: listFacts(lists.menus, lists.numbers, resources) }),
    ...(learned.length > 0 && { learned }),
    ...(lists.menus && can.allowed.size > 0 && { allowed: [...can.allowed].sort() }),
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
