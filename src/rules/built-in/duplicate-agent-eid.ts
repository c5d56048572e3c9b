import { suggest } from "../../util/suggest.ts";
import { menuRule } from "../rule.ts";

export const duplicateAgentEid = menuRule({
  name: "duplicate-agent-eid",
  code: "IVR306",
  severity: "error",
  options: {},
  source: "The service's documentation: `eid` is an agent's unique extension id.",
  check(menu, { report, agents, environment }) {
    for (const { agent, at } of menu.destinations) {
      const { eid } = agent ?? {};
      const sharing = agents?.with("eid", eid ?? "").find((other) => other !== agent);
      if (agent === undefined || sharing === undefined) continue;
      report(
        at,
        `${agent.name} and ${sharing.name} have the same extension id on the agent list: ${eid}.`,
        {
          words: "Correct the extensions on the console, then run:",
          argv: suggest("agents pull", [], environment),
        },
      );
    }
  },
});
