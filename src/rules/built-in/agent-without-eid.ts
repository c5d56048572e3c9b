import { menuRule } from "../rule.ts";
import { destinationsOf } from "./shared.ts";

export const agentWithoutEid = menuRule({
  name: "agent-without-eid",
  code: "IVR305",
  severity: "error",
  options: {},
  source: "The service's document: a destination is `extension||EID`.",
  fixed: true,
  needsAgents: true,
  check(menu, { report }) {
    for (const destination of destinationsOf(menu)) {
      if (destination.kind !== "unreachable" || destination.why !== "no-extension") continue;
      report(
        destination.span,
        `The agent list gives ${destination.agent.name} no usable extension id, so no call can be sent there.`,
        "Ask for one at the service, then read the list again.",
      );
    }
  },
});
