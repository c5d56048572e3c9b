import { projectRule } from "../rule.ts";
import { inMenu } from "./shared.ts";
import type { CallDestination } from "../../model/call-menu.ts";

export const loopWithoutExit = projectRule({
  name: "loop-without-exit",
  code: "IVR716",
  severity: "warning",
  options: {},
  check({ menus }, { report }) {
    const seen = new Set<string>();
    for (const start of menus.keys()) {
      const trail: string[] = [];
      let key: string | undefined = start;
      while (key !== undefined && !seen.has(key)) {
        seen.add(key);
        trail.push(key);
        const to: CallDestination | undefined = menus.get(key)?.facts["timeout.destination"]?.value;
        key = to?.kind === "menu" ? to.key : undefined;
      }
      const circle = key === undefined ? [] : trail.slice(trail.indexOf(key));
      const menu = menus.get(circle[0] ?? "");
      const at = menu?.facts["timeout.destination"]?.at;
      // A trail that goes to an earlier one has no circle of its own.
      if (key === undefined || !trail.includes(key) || menu === undefined || !at) continue;
      report(
        inMenu(menu, at),
        circle.length === 1
          ? "The call of a silent caller never ends: silence starts this menu again."
          : `The call of a silent caller never ends: silence goes from ${[...circle, key].join(" to ")}.`,
        "Let `timeout` go to an agent, or end the call with `{ hangup: true }`.",
      );
    }
  },
});
