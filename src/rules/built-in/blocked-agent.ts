import { suggest } from "../../util/suggest.ts";
import { menuRule } from "../rule.ts";

export const blockedAgent = menuRule({
  name: "blocked-agent",
  code: "IVR304",
  severity: "error",
  options: {},
  source: "The service's documentation: agents with `custom_status` 1 are blocked.",
  check(menu, { report, environment }) {
    for (const { value, at } of menu.destinations) {
      if (value?.kind !== "agent" || !value.blocked || value.isLost) continue;
      report(at, `${value.name} is blocked and gets no calls.`, {
        words: "Choose a different agent. Or unblock this one on the console, then run:",
        argv: suggest("agents pull", [], environment),
      });
    }
  },
});
