import {
  type Moment,
  isPattern,
  meanings,
  reportTwoMeanings,
  selectNames,
} from "../deploy/state/change.ts";
import { currentInboundLinks } from "../deploy/state/inbound-links.ts";
import { recordRef } from "../deploy/state/records.ts";
import { liveRecord, openFollowUps, openTexts } from "../deploy/state/view.ts";
import { isMenu, menuRef, nameIn } from "../schema/ref.ts";
import type { FollowUp } from "../schema/state.ts";
import { suggest } from "../util/suggest.ts";
import { doneQuestion } from "../views/state-changed.ts";
import type { Result } from "../views/result.ts";
import { type Context, command } from "../cli/command.ts";
import { approveFlags, decision, recordFlags, requireTerminal } from "../cli/flags.ts";
import { askApproval, changeState } from "../operations/state-change.ts";

const flags = {
  ...approveFlags,
  ...recordFlags,
} as const;

export const done = command({
  arguments: {
    "<ID..>":
      "Follow-ups, as `ivrctl state list` shows them, or their menu keys; * matches any characters",
  },
  about:
    "Mark follow-ups as done.\n\nA follow-up is done when the old menu is out of service, or when the recording has its new text. A menu key means all follow-ups of that menu. ivrctl asks once before it marks what a pattern selects.\n\nTo delete an old menu on the service instead, run `ivrctl apply --allow delete --target old:F3`.",
  flags,
  examples: [
    ["ivrctl state done F3 --evidence 'ticket 4711'", "mark a follow-up as done"],
    ["ivrctl state done 'shops/*'", "mark the follow-ups of these menus"],
  ],
  run: markDone,
});

async function markDone(context: Context<typeof flags>): Promise<Result> {
  const asks = context.args.some(isPattern);
  if (asks) requireTerminal(context);
  const evidence = context.flags.evidence ?? null;
  return changeState(context, decision(context.flags), "state done", async (moment) => {
    const { state, environment, diagnostics } = moment;
    const ids = chosenIds(context.args, moment);
    reportReached(ids, moment);
    if (diagnostics.hasErrors) return "failed";
    if (asks) {
      const question = doneQuestion(ids, state, environment, context.terminal);
      const isApproved = context.flags["auto-approve"];
      const refusal = await askApproval(context, isApproved, question, "Nothing was recorded.");
      if (refusal !== undefined) return refusal;
    }
    return ids.map((id) => ({ kind: "done", follow_up: id, evidence }));
  });
}

/** The follow-ups that words name: by their id, or all of a menu key or pattern. */
function chosenIds(words: readonly string[], moment: Moment): string[] {
  const { state } = moment;
  const open = openFollowUps(state);
  const texts = openTexts(state).map(({ open: { follow_up: id } }) => id);
  const chosenTexts = texts.filter((id) =>
    words.some((word) => meanings(word).includes(`old:${id}`)),
  );
  const named = words.flatMap((word) => {
    const refs = meanings(word);
    const byId = open.filter((one) => refs.includes(recordRef(one)));
    const ofKey = open.filter(({ key }) => refs.includes(menuRef(key)));
    const isText = texts.some((id) => refs.includes(`old:${id}`));
    if (!isText && byId.length === 0 && ofKey.length === 0) return ofPattern(word, open, moment);
    const isOfBoth = ofKey.some((one) => !byId.includes(one));
    if ((isText || byId.length > 0) && isOfBoth) reportTwoMeanings(word, moment);
    return [...byId, ...ofKey];
  });
  const chosen = new Set(named);
  const old = open.filter((one) => chosen.has(one)).map(({ id }) => id);
  return [...old, ...chosenTexts];
}

/** The follow-ups whose id or menu key matches a pattern. Reports a word that matches nothing. */
function ofPattern(word: string, open: readonly FollowUp[], moment: Moment): FollowUp[] {
  const { environment } = moment;
  const names = new Set(open.flatMap(({ id, key }) => [id, key]));
  const matched = selectNames([word], names, moment, {
    help: {
      words: "List the open follow-ups:",
      argv: suggest("state list", [], environment, ["--follow-ups"]),
    },
    describe(shown) {
      const name = nameIn(shown);
      const isFollowUp = isId(name) && !isMenu(shown);
      return `${environment} has no open follow-up ${isFollowUp ? name.toUpperCase() : `of ${name}`}.`;
    },
  });
  return open.filter(({ id, key }) => matched.includes(id) || matched.includes(key));
}

/** Whether a word has the form of an id. Ids are not case-sensitive. */
function isId(word: string): boolean {
  return /^f\d+$/i.test(word);
}

/** Reports old menus that cannot be out of service, because recorded menus link to them. */
function reportReached(ids: readonly string[], { state, environment, report }: Moment): void {
  const linksTo = currentInboundLinks(state);
  for (const id of ids) {
    const record = liveRecord(state, `old:${id}`);
    const sources = record === undefined ? [] : linksTo(record);
    if (sources.length === 0) continue;
    const names = sources.join(" and ");
    report(
      `${id} is still in use: ${names} ${sources.length === 1 ? "links" : "link"} to this old menu (id ${record?.identified?.id}).`,
      {
        words: `Apply the change of ${names} first. To see what is left to do, run:`,
        argv: suggest("plan", [], environment),
      },
    );
  }
}
