import type { Agents } from "../../compile/agents.ts";
import type { Naming } from "../../schema/state.ts";
import { nameless } from "./naming.ts";

/** A problem with an agent that a menu leads to. */
export interface AgentFinding {
  /** `key 2`, `invalid` or `timeout`. */
  readonly place: string;
  readonly eid: string;
  /** The name of the agent when the payload was made. */
  readonly name: string;
  readonly problem: AgentProblem;
  /** Calls still reach the right agent: only the name has changed. */
  readonly harmless: boolean;
}

type AgentProblem =
  | { readonly kind: "gone" }
  | { readonly kind: "blocked" }
  | { readonly kind: "renamed"; readonly to: string }
  /** The reference now means an agent with another extension id. */
  | { readonly kind: "other-eid"; readonly to: string; readonly eid: string }
  | { readonly kind: "ambiguous"; readonly count: number }
  /** The agent exists, but the reference no longer matches the agent. */
  | { readonly kind: "mismatch" };

/** Problems with the agents of a menu. A blocked agent in `knownBlocked` is not a problem. */
export function agentFindings(
  naming: Naming,
  agents: Agents,
  knownBlocked: ReadonlySet<string> = none,
): AgentFinding[] {
  return naming.agents.flatMap((binding) => {
    const problem = problemOf(binding, agents, knownBlocked);
    if (problem === undefined) return [];
    const { place, eid, name } = binding;
    return { place, eid, name, ...problem };
  });
}

/** What a caller does to get to a place of a menu: `key 2`, `wrong key` or `silence`. */
export function describePlace(place: string): string {
  if (place === "invalid") return "wrong key";
  return place === "timeout" ? "silence" : place;
}

/** The problem as a clause: `Asha Rao is blocked and gets no calls`. */
export function describeFinding({ name, eid, problem }: AgentFinding): string {
  switch (problem.kind) {
    case "gone":
      return `${name === nameless(eid) ? name : `${name} (extension ${eid})`} is no longer on the agent list`;
    case "blocked":
      return `${name} is blocked and gets no calls`;
    case "renamed":
      return `${name} is now called ${problem.to}`;
    case "other-eid":
      return problem.to === name
        ? `${name} now has extension ${problem.eid} instead of ${eid}`
        : `the reference now means ${problem.to} (extension ${problem.eid}), not ${name} (${eid})`;
    case "ambiguous":
      return `the reference to ${name} now matches ${problem.count} agents`;
    case "mismatch":
      return `the reference no longer matches ${name}`;
  }
}

const none: ReadonlySet<string> = new Set();

function problemOf(
  { eid, name, reference }: Naming["agents"][number],
  agents: Agents,
  knownBlocked: ReadonlySet<string>,
): Pick<AgentFinding, "problem" | "harmless"> | undefined {
  const serious = (problem: AgentProblem) => ({ problem, harmless: false });
  const [bound] = agents.with("eid", eid);
  const [meant, ...others] = agents.find(reference);
  const other =
    meant !== undefined && others.length === 0 && meant !== bound && meant.eid !== null
      ? serious({ kind: "other-eid", to: meant.name, eid: meant.eid })
      : undefined;
  if (bound === undefined) return other ?? serious({ kind: "gone" });
  if (bound.blocked && !knownBlocked.has(eid)) return serious({ kind: "blocked" });
  if (meant === bound && others.length === 0) {
    // The name was unknown when the payload was made, so the agent was not renamed.
    if (bound.name === name || name === nameless(eid)) return undefined;
    return { problem: { kind: "renamed", to: bound.name }, harmless: true };
  }
  if (other !== undefined) return other;
  if (others.length > 0) return serious({ kind: "ambiguous", count: others.length + 1 });
  return serious(bound.name === name ? { kind: "mismatch" } : { kind: "renamed", to: bound.name });
}
