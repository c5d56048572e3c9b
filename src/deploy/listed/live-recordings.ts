import type { Named } from "../../schema/agent.ts";
import { recordingsIn } from "../../model/menu.ts";
import type { Desired } from "../../schema/saved-plan.ts";
import type { StateEvent } from "../../schema/state.ts";
import { groupBy } from "../../util/group-by.ts";
import { many } from "../../util/many.ts";
import { clockTime } from "../../util/time.ts";
import { outcomeEvent } from "../state/records.ts";
import { type StateView, madeRecording, recordsOf } from "../state/view.ts";

/** The recordings that the service listed at one time. */
export interface LiveRecordings {
  readonly items: readonly Named[];
  readonly at: string;
}

/**
 * What the list proves about recordings that ivrctl makes: their names are unique, so one with this name is the
 * recording. One that a file wants and that has no record was made by an earlier run, whose state was lost.
 */
export function recordingEvents(
  state: StateView,
  { items, at }: LiveRecordings,
  files: readonly Desired[],
): StateEvent[] {
  const wanted = new Map(
    files.flatMap(({ content }) =>
      (content ? recordingsIn(content) : []).flatMap(({ id, make }) => (make ? [[id, make]] : [])),
    ),
  );
  const byName = groupBy(items, ({ name }) => name);
  const list = `${many(items.length, "recording")} listed at ${clockTime(at)}`;
  const recorded = recordsOf(state, "recording").map(({ key }) => key);
  return [...new Set([...recorded, ...wanted.keys()])].flatMap((key): StateEvent[] => {
    const record = madeRecording(state, key);
    const [found, ...others] = byName.get(key) ?? [];
    // A list may show a recording before it is ready. If there is a batch, that says it.
    const { identified, batch } = record?.current ?? {};
    if (identified || batch !== undefined || !found || others.length > 0) return [];
    const { id } = found;
    const evidence = `recording ${id} is the only one with this name (${list})`;
    const proof = { how: "list", evidence } as const;
    const about = { key, recording: true, follow_up: null, id } as const;
    if (record?.pending) {
      const created = outcomeEvent(record.pending, { ...proof, as: "done" });
      return [created, { kind: "identified", ...about, ...proof }];
    }
    const make = record === undefined && wanted.get(key);
    return [{ kind: "identified", ...about, ...proof, ...(make && { make }) }];
  });
}
