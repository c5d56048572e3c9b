import { nameless } from "../deploy/plan/naming.ts";
import type { AgentFinding } from "../deploy/plan/agent-findings.ts";

/** What became of an agent, in words. */
export function describeFinding({ name, eid, problem }: AgentFinding): string {
  switch (problem.kind) {
    case "gone":
      return `${name === nameless(eid) ? name : `${name} (extension ${eid})`} is gone from the agent list`;
    case "blocked":
      return `${name} is blocked and gets no calls`;
    case "renamed":
      return `${name} is now called ${problem.to}`;
    case "other-eid":
      return problem.to === name
        ? `${name} now has the extension ${problem.eid} instead of ${eid}`
        : `the reference now means ${problem.to} (extension ${problem.eid}), not ${name} (${eid})`;
    case "ambiguous":
      return `the reference to ${name} now fits ${problem.count} agents`;
    case "unmeant":
      return `the reference does not hold for ${name} any more`;
  }
}
