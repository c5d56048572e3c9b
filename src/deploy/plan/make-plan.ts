import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { openFollowUps } from "../state/view.ts";
import { describeChanges } from "./changes.ts";
import { linkedBy } from "./links.ts";
import type { Plan } from "./plan.ts";
import { type Lists, type Resource, inboundLinks, allResources } from "./steps/resources.ts";
import type { Desired } from "../../schema/plan.ts";
import type { Decided, WantedMenu } from "./decided.ts";
import { describeList, reconcile } from "./reconcile.ts";
import { withUnknown } from "./recovered.ts";
import { reportHolds } from "./report.ts";
import { recordEvents } from "./steps/events.ts";
import { planSteps } from "./steps/plan-steps.ts";

interface Input extends Omit<Decided, "steps" | "ids" | "resources" | "links"> {
  readonly address: string;
}

/** Makes the plan of a recorded state. It depends only on the menus, the state and what the service lists. */
export function makePlan(input: Input, diagnostics: Diagnostics): Plan {
  const { environment, address, menus, state: recorded, lists, agents, can } = input;
  const { events, state: reconciled } = reconcile(recorded, lists, agents);
  const state = withUnknown(reconciled, menus);
  const resources = allResources(menus, state, lists);
  const links = inboundLinks(resources, state, lists);
  const { steps, ids } = planSteps(resources, links, can);
  const decided = { ...input, state, steps, ids, resources, links };
  reportHolds(decided, diagnostics);
  // What somebody changed on the console to what the file says.
  const matched = lists.menus ? steps.filter(({ event }) => event === "matched") : [];
  const listed = lists.menus ? describeList(lists.menus) : "";
  const learned = [...events, ...matched.flatMap((step) => recordEvents(step, listed))];
  return {
    environment,
    address,
    state: { id: state.origin?.id ?? null, serial: state.serial, head: state.head },
    steps,
    desired: menus.map(desiredOf),
    linked: linkedBy(menus),
    can,
    ...describeChanges(decided),
    followUps: openFollowUps(recorded),
    ...(lists.menus && { list: listFacts(lists.menus, lists.numbers, resources) }),
    ...(learned.length > 0 && { learned }),
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
