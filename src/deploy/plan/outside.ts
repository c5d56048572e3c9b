import { isDeepStrictEqual } from "node:util";
import type { Agents } from "../../compile/agents.ts";
import type { Naming } from "../../schema/state.ts";
import { menuDestination } from "../../schema/wire.ts";
import { phoneText } from "../../util/phone.ts";
import { extensionName } from "./naming.ts";
import type { Change } from "./changes.ts";

/**
 * Describes what no file caused: somebody changed a live menu or its phone numbers on the console, or
 * an agent has a different extension, so that callers reach the wrong one.
 */
export function describeOutside(change: Change): string[] {
  return [...onConsole(change), ...strayNumbers(change), ...changedAgents(change)];
}

function onConsole(change: Change): string[] {
  const { key } = change;
  if (change.action === "missing") return [`The service does not list \`${key}\` any more.`];
  return change.drift ? [`\`${key}\` was changed on the console.`] : [];
}

/** The phone numbers that pointed to the menu on record, and point elsewhere now. */
function strayNumbers({ key, before: record, bind }: Change): string[] {
  if (!record?.identified) return [];
  const own = menuDestination(record.identified.id);
  const had = new Set(record.naming.numbers);
  const elsewhere = bind.filter(({ number, before }) => had.has(number) && before !== own);
  return elsewhere.map(
    ({ number, from }) => `${phoneText(number)} points to ${from} instead of \`${key}\`.`,
  );
}

/** The places where the file refers to an agent as before, but the agent has a different extension. */
function changedAgents({ key, before, after }: Change): string[] {
  if (!before || !after) return [];
  return before.naming.agents.flatMap((old) => {
    const now = after.naming.agents.find(
      ({ place, reference }) => place === old.place && isDeepStrictEqual(reference, old.reference),
    );
    if (now === undefined || now.eid === old.eid) return [];
    return `\`${key}\`, ${describePlace(old.place)}: ${otherAgent(old, now)}.`;
  });
}

/** What a caller does to get to a place of a menu: `key 2`, `wrong key` or `silence`. */
export function describePlace(place: string): string {
  if (place === "invalid") return "wrong key";
  return place === "timeout" ? "silence" : place;
}

type NamedAgent = Naming["agents"][number];

/** Why calls do not reach the agent that a menu named. Undefined if they do. */
export function agentProblem(
  named: NamedAgent,
  agents: Agents,
  /** The extensions of agents who were blocked when the menu was reviewed. */
  knownBlocked: ReadonlySet<string>,
): string | undefined {
  const { eid, name, reference } = named;
  const [bound] = agents.with("eid", eid);
  const found = agents.find(reference);
  const [meant] = found;
  if (found.length === 1 && meant && meant !== bound && meant.eid !== null) {
    return otherAgent(named, { name: meant.name, eid: meant.eid });
  }
  if (bound === undefined) {
    const who = name === extensionName(eid) ? name : `${name} (extension ${eid})`;
    return `${who} is no longer on the agent list`;
  }
  if (bound.blocked && !knownBlocked.has(eid)) return `${name} is blocked and gets no calls`;
  if (found.length > 1) return `the reference to ${name} now matches ${found.length} agents`;
  if (found.length === 1) return undefined;
  return bound.name === name
    ? `the reference no longer matches ${name}`
    : `${name} is now called ${bound.name}`;
}

function otherAgent({ name, eid }: NamedAgent, now: { name: string; eid: string }): string {
  return now.name === name
    ? `${name} now has extension ${now.eid} instead of ${eid}`
    : `the reference now means ${now.name} (extension ${now.eid}), not ${name} (${eid})`;
}
