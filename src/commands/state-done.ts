import { isPattern } from "../deploy/state/change.ts";
import { UsageError } from "../util/usage-error.ts";
import { doneQuestion } from "../views/state-changed.ts";
import type { Result } from "../views/result.ts";
import { type Context, command } from "../cli/command.ts";
import { approveFlags, decision, recordFlags, requireTerminal } from "../cli/flags.ts";
import { chosenIds, numberIn, pointedNumbers } from "../operations/done.ts";
import { reportReached } from "../operations/still-linked.ts";
import { askApproval, changeState } from "../operations/state-change.ts";

const flags = {
  ...approveFlags,
  ...recordFlags,
  all: {
    type: "boolean",
    about: "Mark all phone numbers of the files as pointed to their menus",
  },
} as const;

export const done = command({
  arguments: {
    "[ID..]":
      "Follow-ups, as `ivrctl state list` shows them, their menu keys, or phone numbers; * matches any characters",
  },
  about:
    "Mark follow-ups and phone numbers as done.\n\nA phone number is done when it points to the menu whose file lists it. --all means all numbers that `ivrctl plan` asks you to point.\n\nA follow-up is done when the old menu is out of service, or when the recording has its new text. A menu key means all follow-ups of that menu. ivrctl asks once before it marks what a pattern selects.\n\nTo delete an old menu on the service instead, run `ivrctl apply --allow delete --target old:F3`.",
  flags,
  examples: [
    ["ivrctl state done F3 --evidence 'ticket 4711'", "mark a follow-up as done"],
    ["ivrctl state done 'shops/*'", "mark the follow-ups of these menus"],
    ["ivrctl state done +912241234567", "record that a number points to its menu"],
  ],
  run: markDone,
});

async function markDone(context: Context<typeof flags>): Promise<Result> {
  const { all } = context.flags;
  if (!all && context.args.length === 0) {
    throw new UsageError("Name follow-ups, menu keys or phone numbers, or add --all.");
  }
  const asks = all || context.args.some(isPattern);
  if (asks) requireTerminal(context);
  const evidence = context.flags.evidence ?? null;
  return changeState(context, decision(context.flags), "state done", async (moment) => {
    const { state, environment, diagnostics } = moment;
    const pointed = pointedNumbers(context, { words: context.args, all }, moment);
    const words = context.args.filter((word) => numberIn(word) === undefined);
    const ids = chosenIds(words, moment);
    reportReached(ids, moment);
    if (diagnostics.hasErrors) return "failed";
    if (asks) {
      const question = doneQuestion({ ids, pointed }, state, environment, context.terminal);
      const isApproved = context.flags["auto-approve"];
      const refusal = await askApproval(context, isApproved, question, "Nothing was recorded.");
      if (refusal !== undefined) return refusal;
    }
    return [
      ...pointed.map(({ key, number }) => ({ kind: "pointed", key, number, evidence }) as const),
      ...ids.map((id) => ({ kind: "done", follow_up: id, evidence }) as const),
    ];
  });
}
