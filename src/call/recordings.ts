import { groupBy } from "../util/group-by.ts";
import { recordingRows } from "./call-comparison.ts";
import type { CallMenu, CallRecording } from "../model/call-menu.ts";

/** A recording, and where callers hear it. */
export interface Scripted {
  readonly recording: CallRecording;
  /** When a menu plays it (`after a silence`), and the names of the menus that do. */
  readonly places: readonly { readonly when: string; readonly menus: readonly string[] }[];
}

/** Each recording of some menus once, in the order in which callers hear them. */
export function recordingScript(menus: readonly CallMenu[]): Scripted[] {
  const all = menus.flatMap((menu) =>
    recordingRows(menu).map(({ id: when, value }) => ({ when, recording: value, name: menu.name })),
  );
  return Array.from(groupBy(all, ({ recording }) => recording.id).values(), (uses) => ({
    recording: uses[0].recording,
    places: Array.from(
      groupBy(uses, ({ when }) => when),
      ([when, group]) => ({ when, menus: group.map(({ name }) => name) }),
    ),
  }));
}
