import { menuRule } from "../rule.ts";
import { destinationsOf } from "./shared.ts";

export const duplicateAgentEid = menuRule({
  name: "duplicate-agent-eid",
  code: "IVR306",
  severity: "error",
  options: {},
  source: "The service's document: `eid` is the unique extension id of an agent.",
  needsAgents: true,
  check(menu, { report, agents }) {
    for (const reached of destinationsOf(menu)) {
      if (reached.kind !== "extension") continue;
      const { agent, eid, span } = reached;
      const sharing = agents?.with("eid", eid).find((other) => other !== agent);
      if (sharing === undefined) continue;
      report(
        span,
        `The agent list gives the extension id ${eid} to ${agent.name} and to ${sharing.name}.`,
        "Have it set right at the service: nobody can say who would answer.",
      );
    }
  },
});
