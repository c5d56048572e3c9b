import { idsOnRecord, type StateView, liveRecords } from "../state/view.ts";
import type { Agents } from "../../project/agent-list.ts";
import type { AgentDestination, Destination } from "../../model/menu.ts";
import { ownWords } from "../../schema/destination-kinds.ts";
import { isOld } from "../../schema/ref.ts";
import type { Names } from "../service/decode-payload.ts";
import type { LiveMenus } from "./live-menus.ts";

/** The names of what somebody can choose on the console. */
export function namesFor(state: StateView, agents: Agents | undefined): Names {
  return { agents, menus: new Map([...idsOnRecord(state)].map(([key, id]) => [id, key])) };
}

/** What callers reach at a destination: `menu sales (7926)`. */
export type DestinationWords = (destination: Destination | null) => string;

/**
 * Names what phone numbers and keys can point to. `agents` is the service's list, so that it also tells
 * who gets no calls. Without it, agents have only their extensions.
 */
export function reachedOn(
  state: StateView,
  { menus, unreadable }: LiveMenus,
  agents?: Agents,
): DestinationWords {
  const [records, listed] = [liveRecords(state), [...menus, ...unreadable]];
  return (destination) => {
    const id = destination?.kind === "menu" ? destination.id : undefined;
    const menu = id === undefined ? undefined : listed.find((one) => one.id === id);
    const record = menu && records.find(({ current }) => current.identified?.id === id);
    if (record === undefined) {
      const words = describeReached(destination, menu && (menu.name ?? "without a name"), agents);
      if (destination?.kind !== "agent" || agents === undefined) return words;
      const [agent] = agents.with("eid", destination.eid);
      if (agent === undefined) return `${words}, which is not on the agent list`;
      return agent.blocked ? `${words}, who is blocked and gets no calls` : words;
    }
    return `${isOld(record.ref) ? "the old menu of" : "menu"} ${record.key} (${id})`;
  };
}

/** What callers of a number reach: `Asha Rao (extension 500101)`, `menu “Front desk” (7926)`. */
export function describeReached(
  destination: Destination | null,
  menu: string | undefined,
  agents: Agents | undefined,
): string {
  switch (destination?.kind) {
    case undefined:
      return "nothing";
    case "menu": {
      const id = destination.id ?? destination.key;
      return menu === undefined ? `menu ${id}, which does not exist` : `menu “${menu}” (${id})`;
    }
    case "agent": {
      const { eid } = destination;
      const name = agents?.with("eid", eid)[0]?.name;
      return name === undefined ? `extension ${eid}` : `${name} (extension ${eid})`;
    }
    case "other": {
      const { name, id } = destination;
      return name === "" ? id : (ownWords(name, id, "reached") ?? `${name} ${id}`);
    }
  }
}

/** What a caller does to get to a place of a menu: `key 2`, `wrong key` or `silence`. */
export function describePlace(place: string): string {
  if (place === "invalid") return "wrong key";
  return place === "timeout" ? "silence" : place;
}

/** Why calls do not reach the agent that a menu named. Undefined if they do. */
export function agentProblem(
  named: AgentDestination,
  agents: Agents,
  /** The extensions of agents who were blocked when the menu was reviewed. */
  knownBlocked: ReadonlySet<string>,
): string | undefined {
  const { eid, name = `extension ${eid}`, reference = { eid } } = named;
  const [bound] = agents.with("eid", eid);
  const matches = agents.find(reference);
  const [meant] = matches;
  if (matches.length === 1 && meant && meant !== bound && meant.eid !== null) {
    return otherAgent(named, { name: meant.name, eid: meant.eid });
  }
  if (bound === undefined) {
    return `${name} (extension ${eid}) is no longer on the agent list`;
  }
  if (bound.blocked && !knownBlocked.has(eid)) return `${name} is blocked and gets no calls`;
  if (matches.length > 1) return `the reference to ${name} now matches ${matches.length} agents`;
  if (matches.length === 1) return undefined;
  return bound.name === name
    ? `the reference no longer matches ${name}`
    : `${name} is now called ${bound.name}`;
}

function otherAgent(
  { name, eid }: AgentDestination,
  now: Pick<AgentDestination, "name" | "eid">,
): string {
  return now.name === name
    ? `${name} now has extension ${now.eid} instead of ${eid}`
    : `the reference now means ${now.name} (extension ${now.eid}), not ${name} (${eid})`;
}
