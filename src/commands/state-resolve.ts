import { isPattern } from "../deploy/state/change.ts";
import type { Fate } from "../deploy/state/resolve.ts";
import { idPattern } from "../schema/field-types.ts";
import { UsageError } from "../util/usage-error.ts";
import type { Result } from "../views/result.ts";
import type { Terminal } from "../views/terminal.ts";
import { type Context, command } from "../cli/command.ts";
import { approveFlags, decision, recordFlags, requireTerminal } from "../cli/flags.ts";
import { type NamedSubject, resolveOutcomes } from "../operations/resolve.ts";

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
  run: resolveNamed,
});

async function resolveNamed(context: Context<typeof flags>): Promise<Result> {
  const { args, flags, terminal } = context;
  const fate = flags.created ? "created" : flags.absent ? "absent" : undefined;
  const evidence = flags.evidence ?? null;
  const subjects = args.map(subjectOf);
  checkSubjects(subjects, fate, evidence, terminal);
  const isApproved = flags["auto-approve"];
  const hasPattern = subjects.some(({ name }) => isPattern(name));
  if (hasPattern && fate !== undefined) requireTerminal(context);
  return resolveOutcomes(context, { ...decision(flags), subjects, fate, evidence, isApproved });
}

/** The subject of an argument: `KEY` or `KEY=ID`. */
function subjectOf(word: string): NamedSubject {
  const [name = "", ...rest] = word.split("=");
  return { name, id: rest.length === 0 ? undefined : rest.join("=") };
}

function checkSubjects(
  subjects: readonly NamedSubject[],
  fate: Fate | undefined,
  evidence: string | null,
  { interactive }: Terminal,
): void {
  if (subjects.length === 0 && fate !== undefined) {
    throw new UsageError({
      words: `Specify the menus for --${fate}, or '*' for all:`,
      argv: ["state", "resolve", "KEY", `--${fate}`],
    });
  }
  if (subjects.length === 0 && !interactive) {
    throw new UsageError({
      words: "Without a terminal, specify the menus, and add --created or --absent:",
      argv: ["state", "resolve", "KEY", "--created"],
    });
  }
  if (fate === undefined && (!interactive || subjects.some(({ id }) => id !== undefined))) {
    throw new UsageError(
      "Add --created if the console shows the menu, or --absent if it does not.",
    );
  }
  for (const { name, id } of subjects) {
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
    if (subjects.some((other) => other.name === name && other.id !== id)) {
      throw new UsageError(`Write ${name} only once, with one id.`);
    }
    if (evidence === null) {
      throw new UsageError("Add --evidence TEXT, to record where you read the id.");
    }
  }
}
