import { type Ref, isMenu, isOld, nameIn } from "../../schema/ref.ts";
import type { Confirmed } from "../../schema/state.ts";
import { destinationsOf, linkedIds } from "../../model/menu.ts";
import { groupBy } from "../../util/group-by.ts";
import { type StateView, liveRecord, liveRecords } from "./view.ts";

/** Finds the records of menus that link to a record: as menu keys or follow-ups. */
export type InboundLinks = (record: Confirmed) => readonly string[];

/** How the records of a state link to each other, as far as their ids are known. */
export function recordedLinks(state: StateView): InboundLinks {
  const sources = linkSources(state);
  return (record) => sources(record).map(nameIn);
}

/** The current menus from which callers reach a record, directly or over old menus: as menu keys. */
export function currentInboundLinks(state: StateView): InboundLinks {
  const sources = linkSources(state);
  return (record) => {
    const seen = new Set(sources(record));
    // A Set iterates over what is added meanwhile.
    for (const ref of seen) {
      const old = isOld(ref) ? liveRecord(state, ref) : undefined;
      for (const source of old ? sources(old) : []) seen.add(source);
    }
    return [...seen].filter(isMenu).map(nameIn);
  };
}

function linkSources(state: StateView): (record: Confirmed) => readonly Ref[] {
  const links = liveRecords(state).flatMap(({ ref, current }) =>
    linkedIds(destinationsOf(current.menu)).map((to) => ({ to, ref })),
  );
  const byId = groupBy(links, ({ to }) => to);
  return ({ identified }) => {
    if (identified === undefined) return [];
    return (byId.get(identified.id) ?? []).map(({ ref }) => ref);
  };
}
