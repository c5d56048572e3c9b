import { movedAway } from "../lock.ts";
import { type Session, StateProblem, type StateStore } from "../store.ts";
import { missingEntries } from "../transfer.ts";
import { BlockRefused } from "./verified-log.ts";

/** A place of a state, under its lock. */
interface LockedPlace {
  readonly store: Pick<StateStore, "place" | "history">;
  readonly session: Session;
}

/**
 * Moves a state. The source is marked before the target becomes live, so there are never two live
 * states. If a run is killed in between, the same call finishes the move.
 */
export async function moveState(
  environment: string,
  { store: from, session: source }: LockedPlace,
  { store: to, session: target }: LockedPlace,
): Promise<void> {
  const { movedTo } = source;
  if (movedTo !== null && movedTo !== to.place) throw movedAway(environment, from.place, movedTo);
  const history = await from.history();
  if (history.length === 0) {
    const what = `The environment ${environment} has no state at ${from.place}.`;
    throw new StateProblem("IVR631", what, "Check `from:` in ivrctl.yaml.");
  }
  const { origin } = target.state;
  const isLive = origin !== null && target.movedTo === null;
  // An earlier run has finished the move.
  if (isLive && movedTo !== null && origin.id === source.state.origin?.id) return;
  const missing = await missingEntries(history, {
    state: target.state,
    entries: () => to.history(),
  });
  if (isLive) {
    throw new StateProblem(
      "IVR675",
      `${to.place} already has a state of ${environment} that is in use.`,
      "Choose a place without a state.",
    );
  }
  await target.confirm();
  if (movedTo === null) await source.moveTo(to.place);
  try {
    await target.receive(missing);
  } catch (error) {
    // Only if the target has certainly not become live. Without an answer, it may.
    if (error instanceof BlockRefused) await source.moveTo(null);
    throw error;
  }
}
