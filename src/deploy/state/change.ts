import { instruction, keyPattern, keyRule } from "../../schema/field-types.ts";
import type { StateEvent } from "../../schema/state.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { nearestKeys } from "../../project/menu-names.ts";
import { didYouMean } from "../../util/nearest.ts";
import { secrets } from "../../util/secrets.ts";
import { type Hint, suggest } from "../../util/suggest.ts";
import { UsageError } from "../../util/usage-error.ts";
import { begun, newStateId } from "../plan/plan.ts";
import { Patterns } from "../plan/targets.ts";
import { type LockRequest, type Refusal, reporting, underLock } from "./access.ts";
import { type EntryWithEffects, replayHistory } from "./history.ts";
import type { OpenState } from "./open-store.ts";
import { State, type StateView } from "./state.ts";
import { menuKeys } from "./view.ts";

/** Decides under the lock which events to record. If there is an error, nothing is recorded. */
export type Decide = (moment: {
  readonly state: StateView;
  readonly environment: string;
  /** Problems with keys and ids are reported at this file. */
  readonly place: string;
  readonly diagnostics: Diagnostics;
}) => Promise<Decided> | Decided;

type Decided = readonly StateEvent[] | Refusal;

/** Takes the lock and records what `decide` decides. Returns the new entries. */
export async function recordChange(
  root: string,
  opened: OpenState,
  request: LockRequest,
  decide: Decide,
  diagnostics: Diagnostics,
): Promise<readonly EntryWithEffects[] | Refusal> {
  const by = request.by && secrets.mask(request.by);
  return underLock(root, opened, { ...request, by }, diagnostics, async ({ session }) => {
    const { environment, store } = opened;
    const { state } = session;
    const before = new State(state);
    const decided = await decide({ state, environment, place: store.place, diagnostics });
    if (typeof decided === "string") return decided;
    if (diagnostics.hasErrors) return "failed";
    const events = decided.map(withoutSecrets);
    if (state.origin === null && events.length > 0) {
      // Only the state of the embedded sandbox begins on its own.
      events.unshift(begun({ id: newStateId(), environment, address: "sandbox" }));
    }
    if (events.length === 0) return [];
    const recorded = await reporting(store, diagnostics, () => session.append(...events));
    return recorded
      ? replayHistory(
          recorded.map(({ entry }) => entry),
          before,
        )
      : "failed";
  });
}

/** Masks secrets in the evidence that a person gave, because the history is never deleted. */
function withoutSecrets(event: StateEvent): StateEvent {
  return "evidence" in event && event.evidence !== null
    ? { ...event, evidence: secrets.mask(event.evidence) }
    : event;
}

/** Refuses an invalid menu key for a record. */
export function checkNewKey(key: string): void {
  if (!keyPattern.test(key))
    throw new UsageError(`\`${key}\` cannot be a menu key. ${instruction(keyRule)}`);
}

/**
 * Reports a menu key that already has a record, and a key that differs from a recorded one only
 * in case. `leaving` is the key whose record moves away.
 */
export function refuseTaken(
  key: string,
  state: StateView,
  place: string,
  diagnostics: Diagnostics,
  leaving?: string,
): void {
  for (const other of menuKeys(state)) {
    if (other.toLowerCase() !== key.toLowerCase() || (other === leaving && other !== key)) continue;
    const taken =
      other === key
        ? `${key} already has a record.`
        : `${key} differs only in case from ${other}, which already has a record.`;
    diagnostics.addAt("IVR631", { file: place }, taken, freeKey);
  }
}

const freeKey = "Choose a menu key that has no record, or first delete or move that record.";

/** The names that a command can be about. */
interface Selection {
  readonly names: ReadonlySet<string>;
  /** Says why a word selects nothing. A pattern is in quotes. */
  readonly describe: (word: string) => string;
  readonly place: string;
  readonly environment: string;
  /** How to find the right names. Default: how to list all menu keys. */
  readonly help?: Hint;
}

/**
 * Returns the names that words select: a word is a name, or a pattern as in `--target`. Reports
 * every word that selects nothing, with the nearest name.
 */
export function selectNames(
  words: Iterable<string>,
  { names, describe, place, environment, help = allKeys(environment) }: Selection,
  diagnostics: Diagnostics,
): string[] {
  // The number of a follow-up says nothing about another one that is near.
  const keys = [...names].filter((name) => !/^F\d+$/.test(name));
  const selected = [...words].flatMap((word) => {
    if (names.has(word)) return word;
    const patterns = new Patterns([word]);
    const own = isPattern(word) ? [...names].filter((name) => patterns.has(name)).sort() : [];
    if (own.length > 0) return own;
    const near = isPattern(word) ? undefined : didYouMean(nearestKeys(word, keys));
    const message = describe(isPattern(word) ? `'${word}'` : word);
    diagnostics.addAt("IVR631", { file: place }, message, near ?? help);
    return [];
  });
  return [...new Set(selected)];
}

function allKeys(environment: string): Hint {
  return { words: "List all menu keys:", argv: suggest("state list", [], environment) };
}

/** Whether a word is a pattern. A menu key cannot contain these characters. */
export function isPattern(word: string): boolean {
  return /[*?]/.test(word);
}
