import { fileMenusAt } from "../deploy/matters/menus-in-files.ts";
import { type ExistingMenus, existingMenus } from "../deploy/plan/existing-menus.ts";
import { unresolved, withUnknown } from "../deploy/listed/reconcile.ts";
import { type Chosen, eventsFor, withContents } from "../deploy/plan/resolved-menus.ts";
import { Patterns } from "../util/patterns.ts";
import {
  type Moment,
  isPattern,
  meanings,
  reportTwoMeanings,
  selectNames,
} from "../deploy/state/change.ts";
import { menuRecord, numbersOnRecord, recordsOf } from "../deploy/state/view.ts";
import { type Ref, isMenu, menuRef, nameIn } from "../schema/ref.ts";
import {
  type Fate,
  type Subject,
  checkIds,
  recordedId,
  subjectsIn,
} from "../deploy/state/resolve.ts";
import type { StateView } from "../deploy/state/state.ts";
import { alikeText, resolveQuestion } from "../views/state-changed.ts";
import type { Result } from "../views/result.ts";
import { visible } from "../util/visible.ts";
import { askAboutEach, openSubjects } from "./ask-outcomes.ts";
import type { Caller } from "./caller.ts";
import { type AskedChange, askApproval, changeState } from "./state-change.ts";

/** What a person says exists, or does not exist. */
export interface NamedSubject {
  /** A menu key, a follow-up, a phone number or a pattern. */
  readonly name: string;
  /** Its id on the console. */
  readonly id: string | undefined;
}

interface AskedResolution extends AskedChange {
  readonly subjects: readonly NamedSubject[];
  /** What the console shows of all of them. Undefined: the person at the terminal is asked about each. */
  readonly fate: Fate | undefined;
  /** How the person knows. */
  readonly evidence: string | null;
  /** Whether nobody is asked before it is recorded what a pattern selects. */
  readonly isApproved: boolean;
}

/** Records which menus exist on the service. Without a fate, and without subjects, asks about all that is open. */
export function resolveOutcomes(caller: Caller, asked: AskedResolution): Promise<Result> {
  const { subjects: named, fate, evidence, isApproved } = asked;
  return changeState(caller, asked, "state resolve", async (moment) => {
    if (fate === undefined) return askOpen(caller, named, evidence, moment);
    const { state, environment, diagnostics } = moment;
    const isRecovered = state.origin?.recovered !== undefined;
    const files = fate === "absent" && !isRecovered ? undefined : await existingMenus(caller);
    const recorded = subjectsIn(withUnknown(state, files?.menus ?? []));
    const byRef = new Map([...unrecorded(files, state, fate), ...recorded]);
    const subjects = withContents(select(named, byRef, fate, moment), files, moment);
    checkIds(subjects, moment);
    if (diagnostics.hasErrors) return "failed";
    // What has no pattern was named one by one.
    const isNamed = !named.some(({ name }) => isPattern(name));
    const question = resolveQuestion(subjects, fate, environment);
    const refusal = await askApproval(
      caller,
      isApproved || isNamed,
      question,
      "Nothing was recorded.",
    );
    if (refusal) return refusal;
    for (const subject of subjects) {
      const { id, ref } = subject;
      caller.terminal.note(alikeText(subject, state));
      if (id !== undefined && id === recordedId(subject)) {
        caller.terminal.note(`${visible(nameIn(ref))} already has the id ${visible(id)}.\n`);
      }
    }
    return eventsFor(subjects, files, state, evidence);
  });
}

/** Asks about each subject that is open, or about those with these names. */
async function askOpen(
  caller: Caller,
  named: readonly NamedSubject[],
  evidence: string | null,
  moment: Moment,
) {
  const { state, diagnostics } = moment;
  const files = await existingMenus(caller);
  const menus = files?.menus ?? [];
  const open = openSubjects(state, menus, fileMenusAt(caller));
  const byName = new Map(open.map((subject) => [nameIn(subject.ref), subject]));
  const describe = (word: string) =>
    `${word} has no unknown outcome, and no menu waits for its id.`;
  const wanted = named.map(({ name }) => name);
  const chosen = selectNames(wanted, new Set(byName.keys()), moment, { describe });
  if (diagnostics.hasErrors) return "failed";
  // Nothing can be asked about a menu whose file has errors, or without a list of agents.
  const isUnread = unresolved(menus, state).some(({ content }) => content === undefined);
  if (isUnread && files) diagnostics.addAll(files.problems, ({ severity }) => severity === "error");
  const selected = named.length === 0 ? open : chosen.flatMap((name) => byName.get(name) ?? []);
  return askAboutEach(selected, files, { moment, evidence }, caller);
}

/** What has no record of its own: the menus of the files that may exist, and phone numbers. */
function unrecorded(
  files: ExistingMenus | undefined,
  state: StateView,
  fate: Fate,
): [Ref, Subject][] {
  const menus = fate === "created" ? (files?.menus ?? []).map(({ key }) => key) : [];
  const numbers =
    fate === "created"
      ? recordsOf(state, "number").map(({ number }) => number)
      : numbersOnRecord(state);
  return [
    ...menus.filter((key) => !menuRecord(state, key)).map(menuRef),
    ...[...numbers].map((number) => `number:${number}` as const),
  ].map((ref) => [ref, { ref, key: nameIn(ref), current: null, pending: null }]);
}

/** Returns what names select, each once. Reports names that select nothing. */
function select(
  named: readonly NamedSubject[],
  subjects: ReadonlyMap<Ref, Subject>,
  fate: Fate,
  moment: Moment,
): Chosen[] {
  const isCreated = fate === "created";
  const all = [...subjects.values()];
  const unknown = all.filter(({ pending, made }) => (made?.pending ?? pending) !== null);
  const without = all.filter(({ ref, current, pending }) => !current && !pending && isMenu(ref));
  const isSettled = ({ current, pending }: Subject) => current !== null && pending === null;
  const chosen = new Map<Ref, Chosen>();
  for (const { name: word, id } of named) {
    const meant = meanings(word).flatMap((ref) => subjects.get(ref) ?? []);
    if (meant.length > 1) {
      reportTwoMeanings(word, moment);
      continue;
    }
    const [exact] = meant;
    const isMade = isCreated && exact?.made !== undefined && !exact.made.pending;
    if (exact && (isSettled(exact) || isMade) && id === undefined) {
      const name = nameIn(exact.ref);
      const next = isCreated
        ? `. To record its id, write ${name}=ID`
        : ", so there is nothing to resolve";
      moment.report(`The outcome of ${name} is already known${next}.`);
      continue;
    }
    const patterns = new Patterns([word]);
    const isMatched = ({ ref }: Subject) => patterns.has(nameIn(ref));
    const ofPattern = unknown.some(isMatched) ? unknown : without;
    const describe = (pattern: string) =>
      isPattern(word)
        ? `No menu with an unknown outcome${isCreated ? ", and no menu without a record," : ""} matches ${pattern}.`
        : `${word} has no record in the state of ${moment.environment}${isCreated ? ", and no file under ivrs/" : ""}.`;
    const among = isPattern(word) ? ofPattern : all;
    const selected = exact ? meant : among.filter(isMatched);
    if (selected.length === 0) {
      const names = among.map(({ ref }) => nameIn(ref));
      selectNames([word], new Set(names), moment, { describe });
    }
    for (const subject of selected) {
      const { ref } = subject;
      chosen.set(ref, { ...subject, id: chosen.get(ref)?.id ?? id, fate });
    }
  }
  return [...chosen.values()];
}
