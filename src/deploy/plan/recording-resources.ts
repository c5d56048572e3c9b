import { recordingsIn } from "../../model/menu.ts";
import { menuRef, recordingRef } from "../../schema/ref.ts";
import type { Desired } from "../../schema/saved-plan.ts";
import { groupBy } from "../../util/group-by.ts";
import { type StateView, madeRecording } from "../state/view.ts";
import type { Resource } from "./steps/resource.ts";

/**
 * The recordings that apply makes for menus of the files, or has made. A recording never changes: a different
 * text is a different resource, and the one before keeps its record, so that a rollback finds its id.
 */
export function recordingResources(wanted: readonly Desired[], state: StateView): Resource[] {
  const uses = wanted.flatMap(({ key, content }) =>
    (content ? recordingsIn(content) : []).flatMap(({ id, alias, make }) =>
      make ? { key, name: id, alias: alias ?? id, make } : [],
    ),
  );
  return [...groupBy(uses, ({ name }) => name)].map(([name, all]): Resource => {
    const { current, pending } = madeRecording(state, name) ?? {};
    const [{ make, alias }] = all;
    const content = { make };
    const isRecorded = current !== undefined;
    return {
      ref: recordingRef(name),
      desired: content,
      prior: isRecorded
        ? {
            content: current ? content : undefined,
            id: current?.identified?.id,
            pending: pending ? { op: "create", content } : undefined,
          }
        : undefined,
      observed: { kind: "unread" },
      spares: [],
      doubts: [],
      used: { alias, by: [...new Set(all.map(({ key }) => menuRef(key)))] },
    };
  });
}
