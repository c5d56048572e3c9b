import { isDeepStrictEqual } from "node:util";
import { type StateEvent, versionFor } from "../../schema/state.ts";
import type { StateView } from "../state/state.ts";
import { type Difference, differences } from "./digest.ts";
import { among, identified } from "./learn.ts";
import { idsOnRecord, referencesIn, withIds } from "./links.ts";
import type { LiveMenus } from "./live.ts";
import type { MenuContent } from "./plan.ts";

/**
 * Returns the events that bring the record of a menu up to date, if somebody changed the menu on the
 * console to what its file says. Then nothing has to be sent. A file that also changes what the list
 * does not show, for example the kind of a recording, needs a request.
 */
export function agreedEvents(
  key: string,
  wanted: MenuContent,
  state: StateView,
  live: LiveMenus,
): StateEvent[] {
  const record = state.keys.get(key);
  const id = record?.pending === null ? record.current.identified?.id : undefined;
  const content = withIds(wanted, idsOnRecord(state));
  if (!record?.current || id === undefined || referencesIn(content).length > 0) return [];
  const { payload, digest, naming } = content;
  const seen = live.see(id, record.current.payload);
  const isSame =
    seen.kind === "listed" &&
    seen.drift.length > 0 &&
    isDeepStrictEqual(facts(seen.drift), facts(differences(record.current.payload, payload)));
  if (!isSame) return [];
  const evidence = `menu ${id} has the content of the file (${among(live)})`;
  return [
    { kind: "dropped", key, evidence },
    { kind: "adopted", key, payload, digest, naming, ...versionFor(naming), evidence },
    identified(key, null, id, live),
  ];
}

function facts(all: readonly Difference[]): string[] {
  return all.map(({ field, after }) => `${field} ${after?.replace(/^recording\|\|/, "")}`).sort();
}
