import { randomUUID } from "node:crypto";
import type { StateEvent } from "../../schema/state.ts";
import type { Run } from "../apply/rescue.ts";
import type { StateView } from "./state.ts";
import { suggest } from "../../util/suggest.ts";
import {
  type Claim,
  type Note,
  type Session,
  StateProblem,
  type StateStore,
  type StoreWatcher,
  describeLock,
} from "./store.ts";
import { whoami } from "./process-identity.ts";
import type { Diagnostics, Severity } from "../../diagnostics/diagnostic.ts";
import { sayLockWaitedFor } from "../../views/lock.ts";
import { type Context, type ExitCode, UsageError } from "../../cli/command.ts";
import { takeInRescues } from "../apply/rescue-files.ts";
import type { Target } from "./target.ts";
import type { Kept } from "./open-store.ts";

/** Reads the state without a lock. Undefined, and reported, if it cannot be read. */
export async function readState(
  store: StateStore,
  diagnostics: Diagnostics,
): Promise<StateView | undefined> {
  return whereSound(store, diagnostics, async () => {
    const { state, notes } = await store.read();
    addNotes(notes, store, diagnostics);
    return state;
  });
}

/** The flags of every command that takes the lock. */
export const lockFlags = {
  "lock-id": {
    type: "string",
    value: "ID",
    about: "Use this id for the lock, so that a later step can run `ivrctl unlock ID`",
  },
  "lock-timeout": {
    type: "string",
    value: "SECONDS",
    about: "How long to wait for the lock of another run, in seconds (default: 0)",
  },
} as const;

export interface LockWishes {
  readonly "lock-id": string | undefined;
  readonly "lock-timeout": string | undefined;
}

export type Access =
  | { readonly kind: "session"; readonly session: Session; readonly run: Run }
  /** The reason is reported; exit with this code. */
  | { readonly kind: "refused"; readonly exit: ExitCode };

/** Takes the lock of an environment's state. */
export async function lockState(
  context: Pick<Context, "root" | "globals" | "terminal"> & { readonly flags: LockWishes },
  { environment, store }: Kept,
  about: {
    readonly command: string;
    readonly by?: string | undefined;
    readonly signal?: AbortSignal;
    readonly stop?: AbortSignal;
    readonly watcher?: StoreWatcher;
    readonly accepts?: Claim["accepts"];
    /** The store, if it is not the one in ivrctl.yaml. */
    readonly target?: Target | undefined;
  },
  diagnostics: Diagnostics,
): Promise<Access> {
  const { root, flags } = context;
  const { command, by = whoami(), signal, stop, watcher, accepts, target } = about;
  const claim = {
    id: lockId(flags["lock-id"]),
    by,
    command,
    wait: seconds(flags["lock-timeout"]) * 1000,
    ...(accepts === undefined ? {} : { accepts }),
    ...(signal === undefined ? {} : { signal }),
    ...(stop === undefined ? {} : { stop }),
    ...(watcher === undefined ? {} : { watcher }),
  };
  const since = new Date().toISOString();
  const locked = await whereSound(store, diagnostics, async () => {
    const atOnce = await store.lock({ ...claim, wait: 0 });
    if (atOnce.kind === "locked" || claim.wait === 0) return atOnce;
    sayLockWaitedFor(environment, atOnce.lock, claim.wait / 1000, context);
    return store.lock(claim);
  }).catch((error: unknown) => {
    if (signal?.aborted) return "interrupted" as const;
    throw error;
  });
  if (locked === "interrupted") return { kind: "refused", exit: 130 };
  if (locked === undefined) return { kind: "refused", exit: 1 };
  if (locked.kind === "held") {
    diagnostics.addAt(
      "IVR601",
      { file: store.lockFile ?? store.place },
      `The state of ${environment} is locked by ${describeLock(locked.lock)}.`,
      `Wait for it (--lock-timeout SECONDS). If that run is dead: ${suggest("unlock", [locked.lock.id], environment, target?.flags)}`,
    );
    return { kind: "refused", exit: 4 };
  }
  addNotes(locked.notes, store, diagnostics);
  const { session } = locked;
  const sound = await whereSound(store, diagnostics, async () => {
    // Rescue files of this project belong to the state that ivrctl.yaml names.
    const isLive = target === undefined && session.filling === null && session.movedTo === null;
    if (isLive) await takeInRescues(root, environment, store, session, diagnostics);
    return true;
  });
  if (sound === undefined) {
    await session.close();
    return { kind: "refused", exit: 1 };
  }
  return { kind: "session", session, run: { id: claim.id, by, since } };
}

/** Adds events. False, and reported, if they could not be recorded. */
export async function record(
  session: Session,
  events: readonly StateEvent[],
  store: Pick<StateStore, "place">,
  diagnostics: Diagnostics,
): Promise<boolean> {
  const done = await whereSound(store, diagnostics, async () => {
    await session.append(...events);
    return true;
  });
  return done ?? false;
}

/** Reports a problem of the state instead of throwing it. */
export async function whereSound<T>(
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

/** Reports at the file that the problem is about, or else at the store. */
export function addProblem(
  { code, message, hint, at }: StateProblem,
  place: string,
  diagnostics: Diagnostics,
  severity?: Severity,
): void {
  diagnostics.addAt(code, at ?? { file: place }, message, hint, severity);
}

function addNotes(
  notes: readonly Note[],
  { place }: Pick<StateStore, "place">,
  diagnostics: Diagnostics,
): void {
  for (const note of notes) {
    if (typeof note === "string") diagnostics.addAt("IVR605", { file: place }, note);
    else addProblem(note, place, diagnostics, "warning");
  }
}

export function lockId(given: string | undefined): string {
  if (given === undefined) return randomUUID().slice(0, 8);
  if (/^[\w.:@/+-]{1,200}$/.test(given)) return given;
  throw new UsageError("--lock-id is letters, digits and any of . : @ / + - _, 200 at the most.");
}

function seconds(given: string | undefined): number {
  if (given === undefined) return 0;
  if (/^\d+(?:\.\d+)?$/.test(given) && Number(given) <= 86_400) return Number(given);
  throw new UsageError(`--lock-timeout is a number of seconds up to 86400, not ${given}.`);
}
