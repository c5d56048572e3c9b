import * as z from "zod/mini";
import { Format, laterFormat } from "../../schema/since.ts";
import { EntrySchema } from "../../schema/state.ts";
import { parseJson } from "../../util/parse-json.ts";
import { Damage, type Linked, chainHash, encodeLine, refuseFormat, takeLine } from "./entries.ts";
import type { Session } from "./log/session.ts";
import type { StateStore } from "./log/state-store.ts";
import { BlockRefused, movedAway } from "./log/loaded-log.ts";
import { State, type StateView } from "./state.ts";
import { StateProblem } from "./lock.ts";

/**
 * The header of a history that some versions cannot read. As a line, it looks like the first entry,
 * because versions that do not know headers find the format of a state there.
 */
const HistoryHeader = z.object({ event: z.required(Format) });

/** Returns a whole history as lines. */
export function historyFile(history: readonly Linked[]): string {
  const entries = history.map(({ entry }) => entry);
  const event = laterFormat(z.array(EntrySchema), entries);
  const text = JSON.stringify({ event });
  const header = event === undefined ? [] : [{ text, head: chainHash("", text) }];
  return [...header, ...history].map(encodeLine).join("");
}

/** Reads and verifies a file of `historyFile`. */
export function readHistoryFile(bytes: Buffer, name: string): Linked[] {
  const lines = bytes.toString("utf8").split("\n");
  const isTerminated = lines.at(-1) === "";
  if (isTerminated) lines.pop();
  const header = HistoryHeader.safeParse(parseJson(lines[0])).data;
  if (header !== undefined) refuseFormat(header.event, name);
  const first = header === undefined ? 0 : 1;
  const state = new State();
  const history = lines.slice(first).map((line, at) => {
    const where = `Line ${first + at + 1} of ${name}`;
    try {
      return takeLine(line, state);
    } catch (error) {
      if (!(error instanceof Damage)) throw error;
      const isCut = !isTerminated && first + at === lines.length - 1;
      throw notHistory(`${where} ${isCut ? "is cut off" : error.message}.`);
    }
  });
  if (history.length > 0) return history;
  throw notHistory(`${name} does not contain the history of a state.`);
}

function notHistory(what: string): StateProblem {
  return new StateProblem("IVR675", what, {
    words: "Use a file that this command wrote:",
    argv: ["state", "pull", "--out", "FILE"],
  });
}

/**
 * Returns the entries of a history that a store does not have yet. Throws if the history does not
 * continue the one in the store. Reads the store's entries only to explain what is wrong.
 */
async function missingEntries(
  history: readonly Linked[],
  state: StateView,
  store: Pick<StateStore, "history">,
): Promise<readonly Linked[]> {
  if (state.origin === null) return history;
  if (history[state.serial - 1]?.head === state.head) return history.slice(state.serial);
  const own = await store.history();
  const difference = own.findIndex(({ head }, at) => head !== history[at]?.head);
  throw refused(
    difference === history.length
      ? `This history is older: it ends at event ${history.length}, but the state is at event ${state.serial}.`
      : `This history and the state differ from event ${difference + 1} on.`,
  );
}

/** Refuses the history of a different state than the one that ivrctl.yaml names. */
export function refuseOther(
  history: readonly Linked[],
  environment: string,
  { id: named }: Pick<StateStore, "id">,
): void {
  const event = history[0]?.entry.event;
  if (event?.kind !== "begun") return;
  const { id, environment: other } = event;
  if (other !== environment) {
    throw refused(`This is the state of the environment ${other}, not of ${environment}.`);
  }
  if (named !== undefined && id !== named) {
    throw refused(`This is the state ${id}, but ivrctl.yaml has ${named}.`);
  }
}

/** Adds the entries of this history that a state does not have yet, all or none. */
export async function receiveHistory(
  store: StateStore,
  session: Session,
  history: readonly Linked[],
): Promise<void> {
  const missing = await missingEntries(history, session.state, store);
  if (missing.length > 0) await session.receive(missing);
}

function refused(message: string): StateProblem {
  return new StateProblem("IVR675", message);
}

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
  const missing = await missingEntries(history, target.state, to);
  if (isLive) {
    throw new StateProblem(
      "IVR675",
      `${to.place} already has a state of ${environment} that is in use.`,
      "Choose a backend without a state.",
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
