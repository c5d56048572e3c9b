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
import { idPattern } from "../schema/field-types.ts";
import { UsageError } from "../util/usage-error.ts";
import { alikeText, resolveQuestion } from "../views/state-changed.ts";
import type { Result } from "../views/result.ts";
import { visible } from "../util/visible.ts";
import type { Terminal } from "../views/terminal.ts";
import { askAboutEach, openSubjects } from "../cli/ask-outcomes.ts";
import { type Context, command } from "../cli/command.ts";
import { approveFlags, recordFlags } from "../cli/flags.ts";
import { askLocked, changeState, requireTerminal } from "../cli/state-command.ts";

const flags = {
  created: { conflicts: "absent", about: "Record that the console shows the menu" },
  absent: { about: "Record that the console does not show the menu" },
  ...approveFlags,
  ...recordFlags,
} as const;

export const resolve = command({
  arguments: {
    "[KEY..]":
      "Menu keys, follow-ups such as F1, or phone numbers; * matches any characters in keys (default: ask about everything that is open)",
  },
  about:
    "Record which menus exist on the service.\n\nLook at the console first: --created if it shows the menu (for an update: with the new content), --absent if it does not. After a delete, --absent means that it succeeded. For a phone number: --created if it points to the menu, --absent if it does not.\n\nWith --created, ivrctl records a menu without a record as its file describes it, so that apply does not create it again. KEY=ID also records or corrects its id on the console, which menus that link to it need.\n\nA pattern selects menus with an unknown outcome or, if none of these match, menus without a record. ivrctl asks once before it records what a pattern selects. Without --created and --absent, it shows each menu with an unknown outcome, asks what the console shows, and asks for the ids that other menus wait for. Each answer is recorded at once.",
  flags,
  examples: [
    ["ivrctl state resolve", "answer one question after the other"],
    ["ivrctl state resolve front-desk --created", "the console shows the menu"],
    [
      "ivrctl state resolve sales night --absent --evidence 'ticket 4711'",
      "the console shows neither menu",
    ],
    ["ivrctl state resolve 'shops/*' --created", "the console shows all of these menus"],
    [
      "ivrctl state resolve sales=71 night=72 --created --evidence 'ticket 4711'",
      "record the ids that the console shows",
    ],
  ],
  run: resolveOutcomes,
});

type OwnContext = Context<typeof flags>;

async function resolveOutcomes(context: OwnContext): Promise<Result> {
  const { args, flags, terminal } = context;
  const fate = flags.created ? "created" : flags.absent ? "absent" : undefined;
  const evidence = flags.evidence ?? null;
  const words = args.map(wordOf);
  checkWords(words, fate, evidence, terminal);
  const asks = words.some(({ name }) => isPattern(name));
  if (asks && fate !== undefined) requireTerminal(context);
  return changeState(context, "state resolve", async (moment) => {
    const { state, environment, diagnostics } = moment;
    const isRecovered = state.origin?.recovered !== undefined;
    const files = fate === "absent" && !isRecovered ? undefined : await existingMenus(context);
    if (fate === undefined) {
      const menus = files?.menus ?? [];
      const open = openSubjects(state, menus, fileMenusAt(context));
      const names = new Map(open.map((one) => [nameIn(one.ref), one]));
      const describe = (word: string) =>
        `${word} has no unknown outcome, and no menu waits for its id.`;
      const wanted = words.map(({ name }) => name);
      const chosen = selectNames(wanted, new Set(names.keys()), moment, { describe });
      if (diagnostics.hasErrors) return "failed";
      // Nothing can be asked about a menu whose file has errors, or without a list of agents.
      const isUnread = unresolved(menus, state).some(({ content }) => content === undefined);
      if (isUnread && files)
        diagnostics.addAll(files.problems, ({ severity }) => severity === "error");
      const some = chosen.flatMap((name) => names.get(name) ?? []);
      return askAboutEach(words.length === 0 ? open : some, files, { moment, evidence }, context);
    }
    const recorded = subjectsIn(withUnknown(state, files?.menus ?? []));
    const known = new Map([...unrecorded(files, state, fate), ...recorded]);
    const subjects = withContents(select(words, known, fate, moment), files, moment);
    checkIds(subjects, moment);
    if (diagnostics.hasErrors) return "failed";
    const question = resolveQuestion(subjects, fate, environment);
    const refusal = asks && (await askLocked(context, question, nothingRecorded));
    if (refusal) return refusal;
    for (const subject of subjects) {
      const { id, ref } = subject;
      terminal.note(alikeText(subject, state));
      if (id !== undefined && id === recordedId(subject)) {
        terminal.note(`${visible(nameIn(ref))} already has the id ${visible(id)}.\n`);
      }
    }
    return eventsFor(subjects, files, state, evidence);
  });
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

/** A word of the command line. */
interface Word {
  /** A menu key, a follow-up, a phone number or a pattern. */
  readonly name: string;
  readonly id: string | undefined;
}

function wordOf(word: string): Word {
  const [name = "", ...rest] = word.split("=");
  return { name, id: rest.length === 0 ? undefined : rest.join("=") };
}

function checkWords(
  words: readonly Word[],
  fate: Fate | undefined,
  evidence: string | null,
  { interactive }: Terminal,
): void {
  if (words.length === 0 && fate !== undefined) {
    throw new UsageError({
      words: `Specify the menus for --${fate}, or '*' for all:`,
      argv: ["state", "resolve", "KEY", `--${fate}`],
    });
  }
  if (words.length === 0 && !interactive) {
    throw new UsageError({
      words: "Without a terminal, specify the menus, and add --created or --absent:",
      argv: ["state", "resolve", "KEY", "--created"],
    });
  }
  if (fate === undefined && (!interactive || words.some(({ id }) => id !== undefined))) {
    throw new UsageError(
      "Add --created if the console shows the menu, or --absent if it does not.",
    );
  }
  for (const { name, id } of words) {
    if (id === undefined) continue;
    if (!idPattern.test(id)) {
      throw new UsageError(
        `\`${id}\` cannot be an id. Write only the id, without spaces and \`||\`, for example 7926.`,
      );
    }
    if (isPattern(name)) {
      throw new UsageError(`An id belongs to one menu. Write a menu key instead of \`${name}\`.`);
    }
    if (fate === "absent") {
      throw new UsageError(`A menu that does not exist has no id. Write ${name} without =${id}.`);
    }
    if (words.some((other) => other.name === name && other.id !== id)) {
      throw new UsageError(`Write ${name} only once, with one id.`);
    }
    if (evidence === null) {
      throw new UsageError("Add --evidence TEXT, to record where you read the id.");
    }
  }
}

/** Returns what words select, each once. Reports words that select nothing. */
function select(
  words: readonly Word[],
  known: ReadonlyMap<Ref, Subject>,
  fate: Fate,
  moment: Moment,
): Chosen[] {
  const isCreated = fate === "created";
  const all = [...known.values()];
  const unknown = all.filter(({ pending }) => pending !== null);
  const without = all.filter(({ ref, current, pending }) => !current && !pending && isMenu(ref));
  const isSettled = ({ current, pending }: Subject) => current !== null && pending === null;
  const chosen = new Map<Ref, Chosen>();
  for (const { name: word, id } of words) {
    const meant = meanings(word).flatMap((ref) => known.get(ref) ?? []);
    if (meant.length > 1) {
      reportTwoMeanings(word, moment);
      continue;
    }
    const [one] = meant;
    if (one && isSettled(one) && id === undefined) {
      const name = nameIn(one.ref);
      const next = isCreated
        ? `. To record its id, write ${name}=ID`
        : ", so there is nothing to resolve";
      moment.report(`The outcome of ${name} is already known${next}.`);
      continue;
    }
    const patterns = new Patterns([word]);
    const isMatched = ({ ref }: Subject) => patterns.has(nameIn(ref));
    const ofPattern = unknown.some(isMatched) ? unknown : without;
    const describe = (shown: string) =>
      isPattern(word)
        ? `No menu with an unknown outcome${isCreated ? ", and no menu without a record," : ""} matches ${shown}.`
        : `${word} has no record in the state of ${moment.environment}${isCreated ? ", and no file under ivrs/" : ""}.`;
    const among = isPattern(word) ? ofPattern : all;
    const found = one ? meant : among.filter(isMatched);
    if (found.length === 0) {
      const names = among.map(({ ref }) => nameIn(ref));
      selectNames([word], new Set(names), moment, { describe });
    }
    for (const subject of found) {
      const { ref } = subject;
      chosen.set(ref, { ...subject, id: chosen.get(ref)?.id ?? id, fate });
    }
  }
  return [...chosen.values()];
}

const nothingRecorded = "Nothing was recorded.";
