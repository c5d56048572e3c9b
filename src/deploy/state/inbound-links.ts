import type { Confirmed } from "../../schema/state.ts";
import { destinationsIn, menuDestination } from "../../schema/wire.ts";
import { groupBy } from "../../util/group-by.ts";
import type { StateView } from "./state.ts";
import { liveRecords } from "./view.ts";

/** Finds the records of menus that link to a record: as menu keys or follow-ups. */
export type InboundLinks = (record: Confirmed) => readonly string[];

/** How the records of a state link to each other, as far as their ids are known. */
export function inboundLinks(state: StateView): InboundLinks {
  const inbound = liveRecords(state).flatMap(({ key, followUp, record }) =>
    [...new Set(destinationsIn(record.payload))].map((to) => ({ to, by: followUp ?? key })),
  );
  const byDestination = groupBy(inbound, ({ to }) => to);
  return ({ identified }) => {
    if (identified === undefined) return [];
    return (byDestination.get(menuDestination(identified.id)) ?? []).map(({ by }) => by);
  };
}

/** The current menus from which callers reach a record, directly or over old menus: as menu keys. */
export function currentInboundLinks(state: StateView): InboundLinks {
  const linksTo = inboundLinks(state);
  return (record) => {
    const seen = new Set<string>();
    const visit = (reached: Confirmed): void => {
      for (const source of linksTo(reached)) {
        if (seen.has(source)) continue;
        seen.add(source);
        const old = state.followUps.get(source)?.record;
        if (old !== undefined) visit(old);
      }
    };
    visit(record);
    return [...seen].filter((source) => state.keys.has(source));
  };
}
