import type { Refusal } from "../deploy/state/access.ts";
import { type Selection, isPattern, selectNames } from "../deploy/state/change.ts";
import { numbersOnRecord } from "../deploy/state/numbers.ts";
import { outcomesOf } from "../deploy/state/records.ts";
import { type StateView, liveRecords, openFollowUps } from "../deploy/state/state.ts";
import type { Pending, StateEvent } from "../schema/state.ts";
import { Interruption } from "../util/interruption.ts";
import { UsageError } from "../util/usage-error.ts";
import { choose } from "../views/ask.ts";
import {
  resolveQuestion,
  sayInterruptedRecording,
  sayNoUnknown,
  sayNothingRecorded,
  sayUnknown,
} from "../views/state-changed.ts";
import type { Terminal } from "../views/terminal.ts";
import { type Context, type ExitCode, command } from "../cli/command.ts";
import { approveFlags, recordFlags, writtenText } from "../cli/flags.ts";
import { ask, changeState, requireTerminal } from "../cli/state-command.ts";

const flags = {
  created: {
    type: "boolean",
    conflicts: "absent",
    about: "Record that the console shows the menu",
  },
  absent: { type: "boolean", about: "Record that the console does not show the menu" },
  ...approveFlags,
  ...recordFlags,
} as const;

export const resolve = command({
  takes: "[KEY… --created|--absent]",
  arguments: {
    "KEY…":
      "Menu keys with an unknown outcome, follow-ups such as F5, or phone numbers; * matches any characters in keys (default: ask about each menu)",
  },
  completes: "unknown key",
  about:
    "Record whether menus with an unknown outcome were created, updated or deleted.\n\nLook at the console first: --created if it shows the menu (for an update: with the new content), --absent if it does not. So --absent means for a delete that it succeeded. For a phone number: --created if it leads to the menu, --absent if it does not. Without KEY, ivrctl shows what to look for and asks, one menu after the other. It asks once before it records what a pattern matches.",
  flags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl state resolve", "show each menu with an unknown outcome, and ask"],
    ["ivrctl state resolve front-desk --created", "the console shows the menu"],
    [
      "ivrctl state resolve sales night --absent --evidence 'ticket 4711'",
      "the console shows neither menu",
    ],
    ["ivrctl state resolve 'shops/*' --absent", "the console shows none of these menus"],
  ],
  run: resolveOutcomes,
});

async function resolveOutcomes(context: Context<typeof flags>): Promise<ExitCode> {
  const { args, flags, terminal } = context;
  const fate = fateOf(flags);
  if (args.length === 0) checkWalk(fate, terminal);
  else if (fate === undefined) {
    throw new UsageError(
      "Add --created if the console shows the menu, or --absent if it does not.",
    );
  }
  const asks = args.some(isPattern);
  if (asks) requireTerminal(context);
  const evidence = writtenText(flags.evidence, "evidence") ?? null;
  return changeState(context, "state resolve", async (moment) => {
    const { state, environment, diagnostics } = moment;
    const unknown = unknownIn(moment.state);
    if (fate === undefined) {
      const answers = await askAboutEach(unknown, environment, terminal);
      return typeof answers === "string" ? answers : decisionOf(answers, unknown, evidence);
    }
    const { binds, bound } = state;
    const known =
      fate === "absent"
        ? numbersOnRecord(state)
        : new Set([...binds, ...bound].map(([number]) => number));
    const numbers = args.filter((word) => known.has(word));
    const words = args.filter((word) => !known.has(word));
    const changed = selectNames(words, selectionOf(moment, unknown), diagnostics);
    if (diagnostics.hasErrors) return "failed";
    const refusal =
      asks &&
      (await ask(context, {
        text: resolveQuestion(changed, unknown, fate, environment),
        sayInterrupted: sayInterruptedRecording,
        sayDeclined: sayNothingRecorded,
      }));
    if (refusal) return refusal;
    const decision = decisionOf(new Map(changed.map((key) => [key, fate])), unknown, evidence);
    return {
      events: [...decision.events, ...numbersResolved(numbers, state, fate, evidence)],
      changed: [...decision.changed, ...numbers],
    };
  });
}

type Fate = "created" | "absent";

function fateOf({ created, absent }: Context<typeof flags>["flags"]): Fate | undefined {
  return created ? "created" : absent ? "absent" : undefined;
}

/** Checks that the user can be asked about each menu. */
function checkWalk(fate: Fate | undefined, { interactive }: Terminal): void {
  if (fate !== undefined) {
    throw new UsageError(
      `Name the menus that --${fate} is about, or write '*' for all: ivrctl state resolve KEY… --${fate}`,
    );
  }
  if (!interactive) {
    throw new UsageError(
      "Without a terminal, name the menus, and add --created or --absent: ivrctl state resolve KEY… --created",
    );
  }
}

/** The requests with an unknown outcome: by menu key, sorted, and then by follow-up. */
function unknownIn(state: StateView): ReadonlyMap<string, UnknownRecord> {
  const unknown = [...state.keys].flatMap(([key, { current, pending }]) =>
    pending ? [[key, { key, current, pending }] as const] : [],
  );
  const old = openFollowUps(state).flatMap(({ id, key, record, pending }) =>
    pending ? [[id, { key, followUp: id, current: record, pending }] as const] : [],
  );
  return new Map([...unknown.sort(([a], [b]) => (a < b ? -1 : 1)), ...old]);
}

type UnknownRecord = Parameters<typeof sayUnknown>[1] & {
  readonly key: string;
  /** The follow-up whose menu was to be deleted. */
  readonly followUp?: string;
};

function selectionOf(
  { state, environment, place }: { state: StateView; environment: string; place: string },
  unknown: ReadonlyMap<string, { readonly pending: Pending }>,
): Selection {
  return {
    names: new Set(unknown.keys()),
    place,
    environment,
    describe: (key) =>
      state.keys.has(key)
        ? `The outcome of ${key} is already known, so there is nothing to resolve.`
        : `${key} has no record in the state of ${environment}.`,
    describePattern: (pattern) => `No menu with an unknown outcome matches ${pattern}.`,
  };
}

function decisionOf(
  fates: ReadonlyMap<string, Fate>,
  unknown: ReadonlyMap<string, UnknownRecord>,
  evidence: string | null,
) {
  const events = [...fates].flatMap(([name, fate]): StateEvent[] => {
    const record = unknown.get(name);
    if (record === undefined) return [];
    const { key, followUp, pending } = record;
    const subject = followUp === undefined ? { key } : { key, follow_up: followUp };
    return [{ kind: "resolved", ...subject, as: outcomeOf(pending, fate), evidence }];
  });
  return { events, changed: [...fates.keys()] };
}

/**
 * Plans resolve phone numbers themselves, except those that the account does not have any more. Where
 * a number leads to after its bind is asked only if the list may lag behind.
 */
function numbersResolved(
  numbers: readonly string[],
  state: StateView,
  fate: Fate,
  evidence: string | null,
): StateEvent[] {
  const { binds, bound } = state;
  return numbers.flatMap((number) => {
    const sent = (binds.get(number) ?? bound.get(number))?.key;
    const named = liveRecords(state).flatMap(({ key, record }) =>
      record.naming.numbers?.includes(number) ? key : [],
    );
    const keys = fate === "created" ? [sent] : [sent, ...named];
    return [...new Set(keys)].flatMap((key): StateEvent | [] =>
      key === undefined
        ? []
        : {
            kind: "bind-resolved",
            key,
            number,
            as: fate === "created" ? "bound" : "not-bound",
            how: "person",
            evidence: evidence ?? "seen on the console",
          },
    );
  });
}

/** A menu that was to be deleted is still there if the console shows it. */
function outcomeOf({ action }: Pending, fate: Fate) {
  const { done, not } = outcomesOf[action];
  return (fate === "created") === (action !== "delete") ? done : not;
}

const answers: Readonly<Record<string, Fate | undefined>> = {
  found: "created",
  "not found": "absent",
  skip: undefined,
};

/** Shows each menu and asks whether the console has it. Nothing is recorded before the last answer. */
async function askAboutEach(
  unknown: ReadonlyMap<string, UnknownRecord>,
  environment: string,
  terminal: Terminal,
): Promise<ReadonlyMap<string, Fate> | Refusal> {
  const fates = new Map<string, Fate>();
  // A signal during the questions must not leave the lock behind.
  const interruption = new Interruption(() => sayInterruptedRecording(terminal));
  try {
    let number = 0;
    for (const [key, record] of unknown) {
      number += 1;
      sayUnknown(key, record, { number, of: unknown.size }, terminal);
      const words = Object.keys(answers);
      const question = "Is it on the console?";
      const options = { words, standard: "skip" };
      const answer = await choose(question, options, terminal, interruption.halt);
      if (interruption.halt.aborted) return "interrupted";
      if (answer === undefined) {
        sayNothingRecorded(terminal);
        return "declined";
      }
      const fate = answers[answer];
      if (fate !== undefined) fates.set(key, fate);
    }
  } finally {
    interruption.end();
  }
  if (unknown.size === 0) sayNoUnknown(environment, terminal);
  else if (fates.size === 0) sayNothingRecorded(terminal);
  return fates;
}
