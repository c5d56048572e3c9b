import { isDeepStrictEqual } from "node:util";
import type { StateEvent } from "../../schema/state.ts";
import type { StateView } from "../state/state.ts";
import { type Difference, differences } from "./digest.ts";
import { among } from "./learn.ts";
import { knownIds, referencesIn, withIds } from "./links.ts";
import type { LiveMenus } from "./live.ts";
import type { MenuContent } from "./plan.ts";

/**
 * Returns the event that brings the record of a menu up to date, if somebody changed the menu on the
 * console to what its file says. Then nothing has to be sent. A file that also changes what the list
 * does not show, for example the kind of a recording, needs a request.
 */
export function agreement(
  key: string,
  wanted: MenuContent,
  state: StateView,
  live: LiveMenus,
): StateEvent | readonly [] {
  const record = state.keys.get(key);
  const id = record?.pending === null ? record.current.identified?.id : undefined;
  if (!record?.current || id === undefined) return [];
  const seen = live.see(id, record.current.payload);
  if (seen.kind !== "listed" || seen.drift.length === 0) return [];
  const content = withIds(wanted, knownIds(wanted, state));
  if (referencesIn(content).length > 0) return [];
  const { payload, digest, naming } = content;
  const wantedChange = differences(record.current.payload, payload);
  if (!isDeepStrictEqual(facts(seen.drift), facts(wantedChange))) return [];
  const evidence = `menu ${id} has the content of the file (${among(live)})`;
  return { kind: "changed-on-console", key, payload, digest, naming, evidence };
}

function facts(all: readonly Difference[]): string[] {
  return all.map(({ field, after }) => `${field} ${after?.replace(/^recording\|\|/, "")}`).sort();
}
