import type { AgentReference } from "../compile/agents.ts";
import type { Placed } from "../diagnostics/source.ts";
import {
  type Destination,
  type ResolvedDestination,
  type ResolvedMenu,
  type ResolvedOption,
  type UnreachableAgent,
  lookedUp,
} from "../compile/menu.ts";
import { allFieldsDefined, allItemsDefined } from "../util/defined.ts";
import type { CallDestination, CallMenu, CallMenus, CallOption } from "./model.ts";

/** The menu for the call model; undefined if calls cannot be simulated. */
export function toCallMenu(menu: ResolvedMenu): CallMenu | undefined {
  const { key, name, facts, options, walkable } = menu;
  if (!walkable) return undefined;
  return allFieldsDefined({
    key,
    name: name?.value,
    recording: facts.recording?.value,
    options: options && allItemsDefined(options.map(callOption)),
    invalid: allFieldsDefined({
      retries: retriesIn(facts["invalid.retries"]),
      recording: facts["invalid.recording"]?.value,
      destination: callDestinationOf(facts["invalid.destination"]),
    }),
    timeout: allFieldsDefined({
      wait: facts["timeout.wait"]?.value,
      retries: retriesIn(facts["timeout.retries"]),
      retryRecording: facts["timeout.retry_recording"]?.value,
      recording: facts["timeout.recording"]?.value,
      destination: callDestinationOf(facts["timeout.destination"]),
    }),
  });
}

/** The menus that calls can continue in. The menus of unreadable files exist, but cannot be called. */
export function toCallMenus(
  calls: ReadonlyMap<ResolvedMenu, CallMenu | undefined>,
  unreadable: readonly string[],
): CallMenus {
  const menus = new Map<string, CallMenu | undefined>(unreadable.map((key) => [key, undefined]));
  // Two menus with one key are reported elsewhere. The last counts.
  for (const [{ key }, call] of calls) if (key !== undefined) menus.set(key, call);
  return menus;
}

function callOption({ key, for: purpose, destination }: ResolvedOption): CallOption | undefined {
  const reached = callDestinationOf(destination);
  return (
    reached && {
      key,
      ...(purpose === undefined ? {} : { for: purpose.value }),
      destination: reached,
    }
  );
}

function callDestinationOf(resolved: ResolvedDestination | undefined): CallDestination | undefined {
  const destination = lookedUp(resolved);
  return destination && callDestination(destination);
}

export function callDestination(destination: Destination | UnreachableAgent): CallDestination {
  switch (destination.kind) {
    case "extension": {
      const { name, team, blocked } = destination.agent;
      return { kind: "agent", name, eid: destination.eid, team, blocked };
    }
    case "menu":
      return { kind: "menu", key: destination.key };
    case "other":
      return { kind: "other", name: destination.name, id: destination.id };
    case "unreachable":
      return { kind: "unreachable", name: described(destination.reference), why: destination.why };
  }
}

/** The limit of simulated retries. No caller makes more, and a huge number could fill the memory. */
const mostRetries = 1000;

function retriesIn(retries: Placed<string> | undefined): number | undefined {
  return retries && Math.min(Number(retries.value), mostRetries);
}

function described({ agent, ...others }: AgentReference): string {
  if (agent !== undefined) return agent;
  return Object.entries(others)
    .map(([field, value]) => `${field} ${value}`)
    .join(", ");
}
