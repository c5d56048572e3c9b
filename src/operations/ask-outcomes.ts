import { orderMenus } from "../compile/flow.ts";
import type { MatterSources } from "../deploy/matters/matters.ts";
import type { ExistingMenus } from "../deploy/plan/existing-menus.ts";
import { withUnknown } from "../deploy/listed/reconcile.ts";
import { type Chosen, eventsFor, withContents } from "../deploy/plan/resolved-menus.ts";
import type { Refusal } from "../deploy/state/access.ts";
import { type Moment, reportAt } from "../deploy/state/change.ts";
import { type Fate, type Subject, byCreation, subjectsIn } from "../deploy/state/resolve.ts";
import type { StateView } from "../deploy/state/state.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { isMenu } from "../schema/ref.ts";
import { choose } from "../views/ask.ts";
import { diagnosticsText } from "../views/diagnostics/diagnostics-text.ts";
import { alikeText, changedText, outcomeQuestion, unknownText } from "../views/state-changed.ts";
import { askId } from "./ask-id.ts";
import type { Caller } from "./caller.ts";
import { askAll } from "./state-change.ts";

/** Something to ask about. */
interface Open extends Subject {
  /** Whether menus that link to it need its id. */
  readonly isIdNeeded: boolean;
}

/** The menus with unknown outcomes, and those whose ids other menus wait for, in the order of the console. */
export function openSubjects(
  state: StateView,
  menus: ExistingMenus["menus"],
  { files = [], operations }: Pick<MatterSources, "files" | "operations">,
): readonly Open[] {
  const links = new Map(files.map((menu) => [menu.key, menu.links]));
  const linked = new Set(
    operations?.has("list")
      ? []
      : files.flatMap(({ key, links: to }) => to.filter((other) => other !== key)),
  );
  // Nothing says when a menu of a lost state was created, but it was after those that it links to.
  const order = [...orderMenus(links.keys(), links).order];
  return [...subjectsIn(withUnknown(state, menus)).values()]
    .map((subject) => {
      const { made } = subject;
      if (made) return Object.assign(subject, { isIdNeeded: !made.current?.identified });
      const isNamed = isMenu(subject.ref) && linked.has(subject.key);
      const isKnown = subject.current?.identified !== undefined && subject.pending === null;
      return Object.assign(subject, { isIdNeeded: isNamed && !isKnown });
    })
    .filter(({ pending, isIdNeeded }) => pending !== null || isIdNeeded)
    .sort((a, b) => byCreation(a, b) || order.indexOf(a.key) - order.indexOf(b.key));
}

const fates: Readonly<Record<string, Fate | undefined>> = {
  created: "created",
  absent: "absent",
  skip: undefined,
};

const answers = {
  words: Object.keys(fates),
  standard: "skip",
  also: { yes: "created", no: "absent" },
} as const;

interface Asking {
  readonly moment: Moment;
  readonly evidence: string | null;
}

/**
 * Asks about each menu: whether the console shows it, and its id if others need that. Records each answer
 * before the next question.
 */
export async function askAboutEach(
  open: readonly Open[],
  files: ExistingMenus | undefined,
  { moment, evidence }: Asking,
  context: Pick<Caller, "host" | "terminal">,
): Promise<Refusal | readonly []> {
  const { terminal } = context;
  const { state, environment, place, record } = moment;
  if (open.length === 0 && moment.diagnostics.hasErrors) return "failed";
  if (open.length === 0) {
    terminal.say(`The state of ${environment} has no menu with an unknown outcome.\n`);
    return [];
  }
  let isRecorded = false;
  let isRefused = false;
  /** Returns whether the answer is recorded. */
  const keep = async (answer: Chosen, proof = evidence): Promise<boolean> => {
    const problems = new Diagnostics();
    const own = { ...moment, diagnostics: problems, report: reportAt({ place }, problems) };
    const subjects = withContents([answer], files, own);
    if (problems.hasErrors) {
      isRefused = true;
      terminal.say(`This was not recorded:\n${diagnosticsText(problems.sorted(), terminal)}`);
      return false;
    }
    for (const subject of subjects) terminal.note(alikeText(subject, state));
    const entries = await record(eventsFor(subjects, files, state, proof));
    if (entries === undefined) return false;
    isRecorded = true;
    terminal.note(changedText(entries));
    return true;
  };
  const outcome = () =>
    isRecorded ? "Your answers so far are recorded." : "Nothing was recorded.";
  return askAll(context, outcome, async (halt) => {
    for (const [index, subject] of open.entries()) {
      const { ref, isIdNeeded, made } = subject;
      const pending = made?.pending ?? subject.pending;
      if (pending) {
        terminal.say(unknownText(subject, { number: index + 1, of: open.length }, terminal));
        const answer = await choose(outcomeQuestion(pending), answers, context, halt);
        if (answer === undefined) return undefined;
        const fate = fates[answer];
        if (fate === undefined || !(await keep({ ...subject, fate })) || fate === "absent")
          continue;
      }
      const now = subjectsIn(state).get(ref);
      if (!isIdNeeded || now === undefined) continue;
      const id = await askId(now, state, context, halt);
      if (id === undefined) return undefined;
      if (id !== "")
        await keep({ ...now, id, fate: "created" }, evidence ?? "entered at the terminal");
    }
    if (!isRecorded) terminal.say("Nothing was recorded.\n");
    return isRefused ? "failed" : [];
  });
}
