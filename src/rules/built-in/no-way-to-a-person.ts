import { type ResolvedMenu, menuDestinations } from "../../compile/menu.ts";
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
    const leadingTo = new Map<string, string[]>();
    for (const [from, targets] of flow.links) {
      for (const to of targets) leadingTo.set(to, [...(leadingTo.get(to) ?? []), from]);
    }
    const left = [...menus].flatMap(([key, menu]) => (hasPerson(menu) ? key : []));
    const helped = new Set(left);
    for (let key = left.pop(); key !== undefined; key = left.pop()) {
      for (const from of leadingTo.get(key) ?? []) {
        if (helped.has(from)) continue;
        helped.add(from);
        left.push(from);
      }
    }
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
  return menuDestinations(menu).some(
    ({ value }) => value === undefined || (value.kind !== "menu" && !endsWithoutPerson(value)),
  );
}
