import type { ResolvedMenu } from "../../compile/compiled-menu.ts";
import { leadingTo } from "../../compile/flow.ts";
import { endsWithoutPerson } from "../../call/describe-call.ts";
import { projectRule } from "../rule.ts";
import { softwareAdvice } from "./shared.ts";

export const noWayToAPerson = projectRule({
  name: "no-way-to-a-person",
  code: "IVR715",
  severity: "warning",
  options: {},
  source: `${softwareAdvice}: offer an agent by the third menu.`,
  check({ menus, flow }, { report }) {
    const ends = [...menus].flatMap(([key, menu]) => (hasPerson(menu) ? key : []));
    const helped = leadingTo(ends, flow.links);
    for (const [key, menu] of menus) {
      if (helped.has(key) || menu.options === undefined) continue;
      report(
        menu.optionsAt ?? menu.top,
        "Callers cannot reach an agent from this menu.",
        "Add an option such as `0: { for: Operator, agent: Front Desk }`.",
      );
    }
  },
});

/** Whether a path points to an agent, or to a department or a different place where somebody may answer. */
function hasPerson(menu: ResolvedMenu): boolean {
  return menu.destinations.some(
    ({ value }) => value === undefined || (value.kind !== "menu" && !endsWithoutPerson(value)),
  );
}
