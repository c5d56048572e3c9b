import { type Linked } from "./chain.ts";
import { encodeLine, replay, verify } from "./journal.ts";
import { State, type StateView } from "./state.ts";
import { type Session, StateProblem } from "./store.ts";

/** A whole history as a file: a journal, as the file store keeps it, each line a batch of its own. */
export function historyFile(history: readonly Linked[]): string {
  return history.map((linked) => encodeLine(linked.entry.seq, linked)).join("");
}

/** The history in such a file, or in a journal: every line verified. */
export function readHistoryFile(bytes: Buffer, shown: string): Linked[] {
  const journal = { ...verify(bytes, shown), inode: undefined };
  const history = journal.torn ? [] : replay(journal, 0, new State(), shown);
  if (history.length > 0) return history;
  throw new StateProblem(
    "IVR675",
    journal.torn
      ? `${shown} is cut off in line ${journal.lines.length + 1}.`
      : `${shown} holds no history of a state.`,
    "`ivrctl state pull --out FILE` makes such a file.",
  );
}

/**
 * What of a history a place lacks. It has to be the history that is there, gone
 * on; `there` is asked for its own only where that is needed to say what is wrong.
 */
export async function missingOf(
  history: readonly Linked[],
  environment: string,
  there: { readonly state: StateView; readonly entries: () => Promise<readonly Linked[]> },
): Promise<readonly Linked[]> {
  const { state } = there;
  const first = history[0]?.entry.event;
  if (first?.kind === "begun" && first.environment !== environment) {
    throw refused(
      `It is the state of the environment ${first.environment}, not of ${environment}.`,
    );
  }
  if (state.origin === null) return history;
  const lineage = first?.kind === "begun" ? first.lineage : "";
  if (state.origin.lineage !== lineage) {
    throw refused(`It is another state: its lineage is ${lineage}, not ${state.origin.lineage}.`);
  }
  if (history[state.serial - 1]?.head === state.head) return history.slice(state.serial);
  const own = await there.entries();
  const parted = own.findIndex(({ head }, at) => head !== history[at]?.head);
  throw refused(
    parted === history.length
      ? `It is older: it ends at event ${history.length}, and the state is at event ${state.serial}.`
      : `It has gone another way: the two differ from event ${parted + 1} on.`,
  );
}

/** So many entries are copied at once. */
const portion = 500;

export async function copyAll(session: Session, entries: readonly Linked[]): Promise<void> {
  for (let from = 0; from < entries.length; from += portion) {
    await session.copy(entries.slice(from, from + portion));
  }
}

function refused(message: string): StateProblem {
  return new StateProblem("IVR675", message);
}
