import { destinationsOf } from "../../compile/menu.ts";
import { suggest } from "../../util/suggest.ts";
import { menuRule } from "../rule.ts";

export const agentWithoutEid = menuRule({
  name: "agent-without-eid",
  code: "IVR305",
  severity: "error",
  options: {},
  source: "The documentation of the service: a destination is `extension||EID`.",
  mandatory: true,
  check(menu, { report, environment }) {
    for (const destination of destinationsOf(menu)) {
      if (destination.kind !== "unreachable" || destination.why !== "no-extension") continue;
      report(
        destination.span,
        `The agent list has no usable extension id for ${destination.agent.name}, so ivrctl cannot send calls there.`,
        {
          words: "Set up the extension on the console, then run:",
          argv: suggest("agents pull", [], environment),
        },
      );
    }
  },
});
