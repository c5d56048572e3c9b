import { begun, newStateId } from "./begin.ts";
import { instruction, keyPattern, keyRule } from "../../schema/field-types.ts";
import {
  type Ref,
  isMenu,
  isOld,
  isRecording,
  menuRef,
  nameIn,
  recordingRef,
} from "../../schema/ref.ts";
import type { StateEvent } from "../../schema/state.ts";
import type { Diagnostics, Severity } from "../../diagnostics/diagnostic.ts";
import { nearestKeys } from "../../workspace/select-files.ts";
import { didYouMean } from "../../util/nearest.ts";
import { secrets } from "../../util/secrets.ts";
import { type Hint, suggest } from "../../util/suggest.ts";
import { UsageError } from "../../util/usage-error.ts";
import { Patterns } from "../../util/patterns.ts";
import { type Refusal, reporting, underLock } from "./access.ts";
import { type EntryWithEffects, replayHistory } from "./history.ts";
import type { StateStore } from "./log/state-store.ts";
import type { OpenState } from "./open-store.ts";
import { State, type StateView } from "./state.ts";
import type { Claim } from "./lock.ts";
import { menuKeys } from "./view.ts";

/** What a decision is made from. */
export interface Moment {
  readonly state: StateView;
  readonly environment: string;
  /** Where the state is. */
  readonly place: string;
  readonly diagnostics: Diagnostics;
  readonly report: ReportProblem;
  /** Records events before the decision is complete. Returns undefined if that fails. */
  readonly record: (
    events: readonly StateEvent[],
  ) => Promise<readonly EntryWithEffects[] | undefined>;
}

/** Reports why records cannot be shown or changed as the user asked. */
export type ReportProblem = (message: string, hint?: Hint, severity?: Severity) => void;

export function reportAt(
  { place }: Pick<StateStore, "place">,
  diagnostics: Diagnostics,
): ReportProblem {
  return (...problem) => diagnostics.addAt("IVR631", { file: place }, ...problem);
}

type Decided = readonly StateEvent[] | Refusal;

/** Decides under the lock which events to record. If there is an error, nothing is recorded. */
export type Decide = (moment: Moment) => Promise<Decided> | Decided;

/** Takes the lock and records what `decide` decides. Returns the new entries. */
export async function recordChange(
  root: string,
  opened: OpenState,
  claim: Claim,
  decide: Decide,
  diagnostics: Diagnostics,
): Promise<readonly EntryWithEffects[] | Refusal> {
  const by = claim.by && secrets.mask(claim.by);
  return underLock(root, opened, { ...claim, by }, diagnostics, async ({ session }) => {
    const { environment, store } = opened;
    const { state } = session;
    const report = reportAt(store, diagnostics);
    const record: Moment["record"] = async (unmasked) => {
      const before = new State(state);
      const events = unmasked.map(withoutSecrets);
      if (state.origin === null && events.length > 0) {
        // Only the state of the embedded sandbox begins on its own.
        events.unshift(begun({ id: newStateId(), environment, address: "sandbox" }));
      }
      if (events.length === 0) return [];
      const recorded = await reporting(store, diagnostics, () => session.append(...events));
      return recorded && replayHistory(recorded, before);
    };
    const decided = await decide({
      state,
      environment,
      place: store.place,
      diagnostics,
      report,
      record,
    });
    if (typeof decided === "string") return decided;
    if (diagnostics.hasErrors) return "failed";
    return (await record(decided)) ?? "failed";
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
  { state, report }: Pick<Moment, "state" | "report">,
  leaving?: string,
): void {
  for (const other of menuKeys(state)) {
    if (other.toLowerCase() !== key.toLowerCase() || (other === leaving && other !== key)) continue;
    const taken =
      other === key
        ? `${key} already has a record.`
        : `${key} differs only in case from ${other}, which already has a record.`;
    const hint = "Choose a menu key that has no record, or first delete or move that record.";
    report(taken, hint);
  }
}

interface Selection {
  /** Says why a word selects nothing. A pattern is in quotes. */
  readonly describe?: (word: string) => string;
  /** How to find the right names. Default: how to list all menu keys. */
  readonly help?: Hint;
}

/**
 * Returns the names that words select: a word is a name, or a pattern as in `--target`. Reports
 * every word that selects nothing, with the nearest name.
 */
export function selectNames(
  words: Iterable<string>,
  names: ReadonlySet<string>,
  { environment, report }: Pick<Moment, "environment" | "report">,
  {
    describe = (word) => `${word} has no record in the state of ${environment}.`,
    help,
  }: Selection = {},
): string[] {
  // The number of a follow-up says nothing about another one that is near.
  const keys = [...names].filter((name) => !/^F\d+$/.test(name));
  const list = { words: "List all menu keys:", argv: suggest("state list", [], environment) };
  const selected = [...words].flatMap((word) => {
    if (names.has(word)) return word;
    const patterns = new Patterns([word]);
    const own = isPattern(word) ? [...names].filter((name) => patterns.has(name)).sort() : [];
    if (own.length > 0) return own;
    const near = isPattern(word) ? undefined : didYouMean(nearestKeys(word, keys));
    report(describe(isPattern(word) ? `'${word}'` : word), near ?? help ?? list);
    return [];
  });
  return [...new Set(selected)];
}

/** What a word can mean. Only `menu:KEY`, `old:F1` and `recording:NAME` say which. Ids of follow-ups are not case-sensitive. */
export function meanings(word: string): Ref[] {
  if (isMenu(word)) return [word];
  if (isRecording(word)) return [word];
  if (isOld(word)) return [`old:${nameIn(word).toUpperCase()}`];
  // Phone numbers are printed with spaces.
  const number = word.replaceAll(" ", "");
  return [menuRef(word), `old:${word.toUpperCase()}`, `number:${number}`, recordingRef(word)];
}

/** Reports a word that means a menu and the follow-up of a different one. */
export function reportTwoMeanings(word: string, { report }: Pick<Moment, "report">): void {
  report(
    `${word} is a menu key, and also a follow-up.`,
    `Write menu:${word} for the menu, or old:${word.toUpperCase()} for the follow-up.`,
  );
}

/** Whether a word is a pattern. A menu key cannot contain these characters. */
export function isPattern(word: string): boolean {
  return /[*?]/.test(word);
}
