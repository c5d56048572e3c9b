import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { suggest } from "../../util/suggest.ts";
import { readState, reporting } from "./access.ts";
import { openState } from "./open-store.ts";
import { describeLock } from "./store.ts";

/**
 * Finds what in the state needs a person: a state that is missing although menus may exist, unknown
 * outcomes, and the lock of a run that has ended. `hasEnded` says whether the run with this lock
 * has ended, if that is known.
 */
export async function findLeftBehind(
  context: Parameters<typeof openState>[0],
  mustExist: boolean,
  hasEnded: (lockId: string) => Promise<boolean | undefined>,
): Promise<Diagnostics> {
  const found = new Diagnostics();
  const { environment, store } = await openState(context, found);
  const state = store && (await readState(store, found));
  if (store === undefined || state === undefined) return found;
  if (state.origin === null && mustExist) {
    found.addFile(
      "IVR608",
      store.place,
      "There is no state, so nothing can be checked.",
      "If menus were applied before, the state was lost: restore it (docs/state.md). If not, merge the first change, and apply its plan by hand with `new-state` (docs/ci.md). Until then, this check fails.",
    );
  }
  const unknown = [...state.keys].flatMap(([key, { pending }]) => (pending === null ? [] : key));
  const lock = await reporting(store, found, () => store.holder());
  const isAbandoned = lock ? (await hasEnded(lock.id)) === true : false;
  // The requests of a run in progress look like unknown outcomes.
  if (unknown.length > 0 && (!lock || isAbandoned)) {
    found.addFile(
      "IVR684",
      store.place,
      `The outcome of ${unknown.join(", ")} is unknown.`,
      `Look for them on the console, then run: ${suggest("state resolve", unknown.slice(0, 1), environment)}`,
    );
  }
  if (lock && isAbandoned) {
    found.addFile(
      "IVR684",
      store.place,
      `The run that holds the lock has ended: ${describeLock(lock)}.`,
      `Release the lock: ${suggest("unlock", [lock.id], environment)}`,
    );
  }
  return found;
}
