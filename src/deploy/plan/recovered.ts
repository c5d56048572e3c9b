import type { StateView } from "../state/state.ts";
import { copyState } from "../state/view.ts";
import type { Desired } from "../../schema/plan.ts";

const lostRecord = "the record was lost with the state";

type Named = Pick<Desired, "key" | "movedFrom">;

/** In a recovered state, the menus that have no record and of which nobody has said that they are absent. */
export function unresolved<M extends Named>(menus: readonly M[], state: StateView): M[] {
  const { origin, keys, absent } = state;
  if (origin?.recovered === undefined) return [];
  return menus.filter(
    ({ key, movedFrom }) =>
      !keys.has(key) && !absent.has(key) && (movedFrom === undefined || !keys.has(movedFrom)),
  );
}

/** Returns a recovered state in which the outcome of every menu without a record is unknown. */
export function withUnknown(
  state: StateView,
  menus: readonly Pick<Desired, "key" | "movedFrom" | "content">[],
): StateView {
  const { recovered: at = "" } = state.origin ?? {};
  const keys = new Map(state.keys);
  for (const { key, content } of unresolved(menus, state)) {
    if (content === undefined) continue;
    const { payload, digest, naming } = content;
    const seen = { status: null, message: lostRecord };
    // There is no intent, so no outcome can be recorded: a person resolves it.
    const about = { intent: 0, key, action: "create", sent_at: at, until: at, seen } as const;
    keys.set(key, { current: null, pending: { payload, digest, naming, ...about } });
  }
  return { ...copyState(state), keys };
}

/** Whether the message of an unknown outcome says that only the record is lacking. */
export function isLost(message: string | null | undefined): boolean {
  return message === lostRecord;
}
