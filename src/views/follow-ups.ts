import type { Plan } from "../deploy/plan/plan.ts";
import { type Leaders, currentLeadersIn, leadersIn } from "../deploy/state/leaders.ts";
import type { StateView } from "../deploy/state/state.ts";
import type { Confirmed, FollowUp, Naming } from "../schema/state.ts";
import { joined } from "../util/many.ts";
import { phoneText } from "../util/phone.ts";
import { type Argv, suggest } from "../util/suggest.ts";
import { second } from "../util/time.ts";

/** The follow-ups that a plan leaves open: all except those whose menus it restores. */
export function leftOf({ changes, followUps }: Plan): FollowUp[] {
  const back = new Set(
    changes.flatMap((change) => (change.action === "restore" ? change.followUp.id : [])),
  );
  return followUps.filter(({ id }) => !back.has(id));
}

/** The old menu of a follow-up, and when it was replaced or removed. */
export function followUpWords({ reason, created_at: at, record, pending }: FollowUp): string {
  const since =
    reason === "duplicate"
      ? `found to be a second menu ${second(at)} UTC. Find out which of the two the phone number uses`
      : `${reason} ${second(at)} UTC`;
  const { identified } = record;
  const id = identified === undefined ? "" : ` (id ${identified.id})`;
  const point =
    reason === "replaced" && record.naming.numbers !== undefined
      ? `. Point ${numbersOf(record.naming)} at the new menu`
      : "";
  const open = pending === undefined ? "" : ". It may be deleted: the outcome is unknown";
  return `“${record.payload.name}”${id} ${madeWords(record)}, ${since}${point}${open}`;
}

/** The phone numbers of a menu, or `the phone number` if its file names none. */
export function numbersOf({ numbers = [] }: Naming): string {
  return joined(numbers.map(phoneText), "and") || "the phone number";
}

/** When a menu was created. Nothing records when an adopted menu was created on the service. */
export function madeWords(record: Confirmed): string {
  const how = record.settled.how === "adopted" ? "adopted" : "created";
  return `${how} ${second(record.created_at)} UTC`;
}

/** The number of open follow-ups, and the command that lists them. */
export function followUpsHint(
  followUps: readonly FollowUp[],
  environment: string,
): { readonly words: string; readonly argv: Argv } {
  const twice = followUps.filter(({ reason }) => reason === "duplicate").length;
  const count =
    followUps.length === 1
      ? "1 follow-up is open (an old menu to take out of service on the console)."
      : `${followUps.length} follow-ups are open (old menus to take out of service on the console).`;
  return {
    words: [
      count,
      ...(twice === 0 ? [] : [`TWO MENUS EXIST for ${twice} of them.`]),
      followUps.length === 1 ? "To see it, run:" : "To list them, run:",
    ].join(" "),
    argv: suggest("state list", [], environment, ["--follow-ups"]),
  };
}

export const followUpsTitle = "Follow-ups (old menus to take out of service on the console)";

/**
 * The command that marks a follow-up as done, when to run it, and the one that also deletes the old
 * menu. The example is an old menu that no other one leads to, else one that no current menu leads to.
 * Undefined if current menus lead to all of them: `state done` would refuse.
 */
export function doneHint(
  followUps: readonly FollowUp[],
  environment: string,
  state?: StateView,
): { readonly when: string; readonly argv: Argv; readonly deleting: Argv } | undefined {
  const none = () => [];
  const [all, current] = state ? [leadersIn(state), currentLeadersIn(state)] : [none, none];
  const without = (leadersOf: Leaders) =>
    followUps.find(({ record }) => leadersOf(record).length === 0);
  const id = (without(all) ?? without(current))?.id;
  if (id === undefined) return undefined;
  return {
    when:
      followUps.length === 1
        ? "When the old menu is out of service, run"
        : "When one of them is out of service, run (for example)",
    argv: suggest("state done", [id], environment),
    deleting: suggest("state done", [id], environment, ["--delete"]),
  };
}
