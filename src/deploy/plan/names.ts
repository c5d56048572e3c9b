import { keyPlace } from "../../call/describe-call.ts";
import type { Agents } from "../../compile/agents.ts";
import {
  type CompiledMenu,
  type ResolvedDestination,
  type ResolvedMenu,
  menuRecordings,
} from "../../compile/menu.ts";
import { destinationParts, ownWords } from "../../schema/destination-kinds.ts";
import { isOld } from "../../schema/ref.ts";
import type { Naming } from "../../schema/state.ts";
import { menuIdIn, menuReference } from "../../schema/wire.ts";
import { type Difference, payloadDigest } from "./digest.ts";
import type { MenuContent } from "../../schema/plan.ts";
import { type StateView, liveRecords } from "../state/view.ts";
import { idsOnRecord } from "./menu-ids.ts";
import type { LiveMenus } from "./live-menus.ts";

/** The content of a compiled menu, with the names that its file uses for the ids in the payload. */
export function compiledContent({ payload, menu }: CompiledMenu): MenuContent {
  return { payload, digest: payloadDigest(payload), naming: namingOf(menu) };
}

/** The names that a menu's file uses for the ids in its payload. */
function namingOf(menu: ResolvedMenu): Naming {
  const { options = [], facts, numbers } = menu;
  const destinations: { readonly place: string; readonly to: ResolvedDestination | undefined }[] = [
    ...options.map(({ key, destination }) => ({ place: keyPlace(key), to: destination })),
    { place: "invalid", to: facts["invalid.destination"] },
    { place: "timeout", to: facts["timeout.destination"] },
  ];
  return {
    agents: destinations
      .flatMap(({ place, to }) =>
        to?.value?.kind === "agent" && to.reference
          ? { place, eid: to.value.eid, name: to.value.name, reference: to.reference }
          : [],
      )
      .sort(byPlace),
    recordings: Object.fromEntries(
      menuRecordings(menu).flatMap(({ value: { id, alias } }) =>
        alias === undefined ? [] : [[id, alias]],
      ),
    ),
    purposes: Object.fromEntries(
      options.flatMap((option) =>
        option.for === undefined ? [] : [[option.key, option.for.value]],
      ),
    ),
    ...(numbers.length === 0 ? {} : { numbers: numbers.map(({ value }) => value) }),
  };
}

/** The names in a menu that was changed on the console: its own, and those of what was changed. */
export function withConsoleNames(
  naming: Naming,
  differences: readonly Difference[],
  agents: Agents | undefined,
  state: StateView,
): Naming {
  const used = new Set(differences.map(({ after }) => menuIdIn(after ?? "")));
  const menus = [...idsOnRecord(state)].flatMap(([key, id]) => (used.has(id) ? [[id, key]] : []));
  const found = differences.flatMap(({ field, after }) => {
    const eid = /^extension\|\|(.+)$/s.exec(after ?? "")?.[1];
    const name = eid === undefined ? undefined : agents?.with("eid", eid)[0]?.name;
    return eid === undefined || name === undefined
      ? []
      : { place: field, eid, name, reference: { agent: name } };
  });
  return {
    ...naming,
    agents: [...found, ...naming.agents],
    menus: { ...naming.menus, ...Object.fromEntries(menus) },
  };
}

/** A destination with the key of its menu instead of the id, which changes with every replacement. */
export function namedDestination(destination: string, { menus }: Naming): string {
  const key = menus?.[menuIdIn(destination) ?? ""];
  return key === undefined ? destination : menuReference(key);
}

/** Sorts keys before `invalid` and `timeout`, so that the order in the file does not matter. */
function byPlace(a: { readonly place: string }, b: { readonly place: string }): number {
  const rank = ({ place }: { readonly place: string }) => Number(!place.startsWith(keyPlace("")));
  return rank(a) - rank(b) || (a.place < b.place ? -1 : 1);
}

/** What callers reach at a destination: `menu sales (7926)`. */
export type Reached = (destination: string | null) => string;

/** Names what phone numbers and keys can point to. Without the agent list, agents have only their extensions. */
export function reachedOn(
  state: StateView,
  { menus, unreadable }: LiveMenus,
  agents?: Agents,
): Reached {
  const [records, listed] = [liveRecords(state), [...menus, ...unreadable]];
  return (destination) => {
    const id = menuIdIn(destination ?? "");
    const menu = id === undefined ? undefined : listed.find((one) => one.id === id);
    const record = menu && records.find(({ current }) => current.identified?.id === id);
    if (record === undefined) {
      return describeReached(destination, menu && (menu.name ?? "without a name"), agents);
    }
    return `${isOld(record.ref) ? "the old menu of" : "menu"} ${record.key} (${id})`;
  };
}

/** What callers of a number reach: `Asha Rao (extension 500101)`, `menu “Front desk” (7926)`. */
export function describeReached(
  destination: string | null,
  menu: string | undefined,
  agents: Agents | undefined,
): string {
  if (destination === null) return "nothing";
  const { kind, id } = destinationParts(destination);
  switch (kind) {
    case "ivr":
      return menu === undefined ? `menu ${id}, which does not exist` : `menu “${menu}” (${id})`;
    case "extension":
    case "agent": {
      const name = agents?.with("eid", id)[0]?.name;
      return name === undefined ? `extension ${id}` : `${name} (extension ${id})`;
    }
    case "":
      return destination;
    default:
      return ownWords(kind, id, "reached") ?? `${kind} ${id}`;
  }
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
    return `${name} (extension ${eid}) is no longer on the agent list`;
  }
  if (bound.blocked && !knownBlocked.has(eid)) return `${name} is blocked and gets no calls`;
  if (found.length > 1) return `the reference to ${name} now matches ${found.length} agents`;
  if (found.length === 1) return undefined;
  return bound.name === name
    ? `the reference no longer matches ${name}`
    : `${name} is now called ${bound.name}`;
}

export function otherAgent({ name, eid }: NamedAgent, now: { name: string; eid: string }): string {
  return now.name === name
    ? `${name} now has extension ${now.eid} instead of ${eid}`
    : `the reference now means ${now.name} (extension ${now.eid}), not ${name} (${eid})`;
}
