import { type Linked } from "./entries.ts";
import { encodeLine, replay, verify } from "./file/journal.ts";
import { State, type StateView } from "./state.ts";
import { beingFilled } from "./marks.ts";
import { type Session, StateProblem, type StateStore } from "./store.ts";

/** Returns a whole history in the format of a journal. */
export function historyFile(history: readonly Linked[]): string {
  return history.map(encodeLine).join("");
}

/** Reads and verifies the history in a file of `historyFile`, or in a journal. */
export function readHistoryFile(bytes: Buffer, shown: string): Linked[] {
  const journal = { ...verify(bytes, shown), inode: undefined };
  const history = journal.torn ? [] : replay(journal, 0, new State(), shown);
  if (history.length > 0) return history;
  throw new StateProblem(
    "IVR675",
    journal.torn
      ? `${shown} is cut off in line ${journal.lines.length + 1}.`
      : `${shown} does not contain the history of a state.`,
    { words: "Use a file that this command wrote:", argv: ["state", "pull", "--out", "FILE"] },
  );
}

/**
 * Returns the entries of a history that a store does not have yet. Throws if the history does not
 * continue the one in the store. Reads the store's entries only to explain what is wrong.
 */
async function missingOf(
  history: readonly Linked[],
  environment: string,
  there: { readonly state: StateView; readonly entries: () => Promise<readonly Linked[]> },
): Promise<readonly Linked[]> {
  const { state } = there;
  const first = history[0]?.entry.event;
  if (first?.kind === "begun" && first.environment !== environment) {
    throw refused(
      `This is the state of the environment ${first.environment}, not of ${environment}.`,
    );
  }
  if (state.origin === null) return history;
  const lineage = first?.kind === "begun" ? first.lineage : "";
  if (state.origin.lineage !== lineage) {
    throw refused(`This is another state: its lineage is ${lineage}, not ${state.origin.lineage}.`);
  }
  if (history[state.serial - 1]?.head === state.head) return history.slice(state.serial);
  const own = await there.entries();
  const difference = own.findIndex(({ head }, at) => head !== history[at]?.head);
  throw refused(
    difference === history.length
      ? `This history is older: it ends at event ${history.length}, but the state is at event ${state.serial}.`
      : `This history and the state differ from event ${difference + 1} on.`,
  );
}

/** The number of entries to copy at once. */
const portion = 500;

interface Fill {
  readonly environment: string;
  readonly store: StateStore;
  readonly session: Session;
  readonly history: readonly Linked[];
  readonly filling: Parameters<Session["fill"]>[0];
  /** Ends the copying after the current portion; `fill` then rejects with IVR677. */
  readonly halt: AbortSignal;
  /** Called after each portion. */
  readonly onCopied?: (done: number, total: number) => void;
}

/**
 * Adds the entries of this history that a state does not have yet, all or none, and returns their
 * number. Finishes an interrupted call. `beforeOpen` runs when everything is copied and the state
 * is still marked as incomplete.
 */
export async function fill(
  { environment, store, session, history, filling, halt, onCopied }: Fill,
  beforeOpen?: () => Promise<void>,
): Promise<number> {
  refuseOtherCommand(environment, store, session, filling);
  const head = history.at(-1)?.head ?? "";
  const missing = await missingOf(history, environment, {
    state: session.state,
    entries: () => store.history(),
  });
  if (missing.length === 0 && session.filling === null && beforeOpen === undefined) return 0;
  if (!(await isStaged(session, head))) {
    await session.fill(filling);
    for (let from = 0; from < missing.length; from += portion) {
      const copied = missing.slice(from, from + portion);
      await session.copy(copied);
      onCopied?.(from + copied.length, missing.length);
      if (halt.aborted && session.filling !== null) {
        throw beingFilled(environment, store.place, session.filling);
      }
    }
    await session.seal(head);
  }
  await beforeOpen?.();
  await session.open();
  return missing.length;
}

/**
 * Refuses to finish the copy of another command. Its history could be older, or the source of a
 * migration could stay live as well.
 */
function refuseOtherCommand(
  environment: string,
  { place }: StateStore,
  { filling: begun }: Session,
  { command, source }: Fill["filling"],
): void {
  if (begun === null || (begun.command === command && begun.source === source)) return;
  throw beingFilled(environment, place, begun);
}

/** Whether an interrupted fill has staged all of this history. Reads it again, because it may be damaged since. */
async function isStaged(session: Session, head: string): Promise<boolean> {
  if (session.filling?.head !== head) return false;
  try {
    await session.seal(head);
    return true;
  } catch (error) {
    if (error instanceof StateProblem && error.code === "IVR675") return false;
    throw error;
  }
}

function refused(message: string): StateProblem {
  return new StateProblem("IVR675", message);
}
