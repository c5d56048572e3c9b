import { lockMatter } from "./lock-matter.ts";
import { type Claim, StateProblem } from "./lock.ts";
import type { Reading, StateStore } from "./log/state-store.ts";
import type { Session } from "./log/session.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { recordRescues } from "./rescue-files.ts";
import type { OpenState } from "./open-store.ts";

/** Reads the state without a lock. If that fails, reports why and returns undefined. */
export async function readState(
  store: StateStore,
  diagnostics: Diagnostics,
): Promise<Reading | undefined> {
  return reporting(store, diagnostics, async () => {
    const reading = await store.read();
    for (const note of reading.notes) addProblem(note, store.place, diagnostics);
    return reading;
  });
}

/** Why a command did not do its work. The diagnostics may say more. */
export type Refusal = "failed" | "locked" | "interrupted" | "declined";

/** A state that this process may change. */
export interface LockedState extends OpenState {
  readonly session: Session;
  /** The id of the run, which its entries have. */
  readonly run: string;
}

/**
 * Takes the lock of a state, calls `act` and releases the lock. First it records the rescue
 * files of earlier runs.
 */
export async function underLock<T>(
  root: string,
  opened: OpenState,
  claim: Claim,
  diagnostics: Diagnostics,
  act: (locked: LockedState) => Promise<T>,
): Promise<T | Refusal> {
  const { environment, store } = opened;
  const locked = await reporting(store, diagnostics, () => store.lock(claim)).catch(
    (error: unknown) => {
      if (claim.signal?.aborted) return "interrupted" as const;
      throw error;
    },
  );
  if (locked === undefined) return "failed";
  if (locked === "interrupted") return locked;
  if (locked.kind === "held") {
    const { lock, isOver } = locked;
    const reader = claim.hasEnded === undefined ? "command" : "job";
    const { code, words, fix } = lockMatter(lock, environment, reader, isOver);
    diagnostics.addAt(code, { file: store.place }, words, fix[0]);
    return "locked";
  }
  for (const note of locked.notes) addProblem(note, store.place, diagnostics);
  const { session } = locked;
  try {
    const isLive = session.state.origin !== null && session.movedTo === null;
    const isComplete = await reporting(store, diagnostics, async () => {
      if (isLive) await recordRescues(root, environment, store, session, diagnostics);
      return true;
    });
    if (!isComplete) return "failed";
    return await act({ ...opened, session, run: claim.id });
  } finally {
    await session.close();
  }
}

/** Calls `act`. If it throws a `StateProblem`, reports it as a diagnostic and returns undefined. */
export async function reporting<T>(
  { place }: Pick<StateStore, "place">,
  diagnostics: Diagnostics,
  act: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof StateProblem)) throw error;
    addProblem(error, place, diagnostics);
    return undefined;
  }
}

/** Adds a problem as a diagnostic, at its file or at the store. */
export function addProblem(
  { code, message, hint, at }: StateProblem,
  place: string,
  diagnostics: Diagnostics,
): void {
  diagnostics.addAt(code, at ?? { file: place }, message, hint);
}
