import type { Compared, Comparison, Revision } from "../../deploy/plan/compare.ts";
import { differences } from "../../deploy/plan/digest.ts";
import {
  type Action,
  type Change,
  type MenuContent,
  type Plan,
  actions,
  summaryOf,
} from "../../deploy/plan/plan.ts";
import { suggest } from "../../util/suggest.ts";
import type { Confirmed, FollowUp } from "../../schema/state.ts";
import { period, second } from "../time.ts";
import { type DescribedDifference, describeDifference, menuLines, waysOf } from "./words.ts";

/** A plan, or a comparison of files with files: both are shown in the same words. */
export type Outlook =
  | { readonly kind: "plan"; readonly plan: Plan }
  | { readonly kind: "diff"; readonly comparison: Comparison };

export type AnyChange = Change | Compared;

export function contentOf(outlook: Outlook): {
  readonly environment: string;
  readonly changes: readonly AnyChange[];
  readonly unchanged: number;
} {
  return outlook.kind === "plan" ? outlook.plan : outlook.comparison;
}

/** One thing to say about a menu. It may hold text from outside, so each format escapes it. */
export interface Detail {
  readonly label: string;
  readonly text: string;
  /** A command to copy. */
  readonly command?: true;
}

/** What happens to a menu, for its callers first. */
export function detailsOf(change: AnyChange, outlook: Outlook): Detail[] {
  switch (change.action) {
    case "create":
      return linesOf(menuLines(change.after));
    case "replace":
      return change.before === null
        ? [...linesOf(menuLines(change.after)), wasAtFault]
        : [...changedLines(change.before, change.after), ...notes(outlook, secondRecord)];
    case "move":
      return [
        note(
          outlook.kind === "plan"
            ? "Only the key changes; nothing is sent."
            : "Only the key changes.",
        ),
      ];
    case "forget":
      return [
        ...(change.before === null ? [] : linesOf(waysOf(change.before))),
        ...(outlook.kind === "plan" ? [note(recordStays)] : [note("No file any more.")]),
      ];
    case "restore":
      return [note(`Its record is still on the service: ${change.followUp.id} is struck.`)];
    case "unknown":
      return unknownLines(change, contentOf(outlook).environment);
  }
}

const secondRecord =
  "A second record is created; callers stay on the old one until its number is pointed at the new one.";
const recordStays = "No file any more. Its record stays on the service and becomes a follow-up.";
const wasAtFault: Detail = {
  label: "note",
  text: "Its file was at fault then, so that there is nothing to compare it with.",
};

function note(text: string): Detail {
  return { label: "note", text };
}

/** Words about records make sense only where there are any. */
function notes({ kind }: Outlook, text: string): Detail[] {
  return kind === "plan" ? [note(text)] : [];
}

function linesOf(ways: readonly { place: string; leads: string }[]): Detail[] {
  return ways.map(({ place, leads }) => ({ label: place, text: leads }));
}

function changedLines(old: MenuContent, now: MenuContent): Detail[] {
  return differences(old.payload, now.payload).map((difference) => {
    const described = describeDifference(difference, old, now);
    return { label: described.what, text: turned(described) };
  });
}

/** How one thing changes: `Ravi Kumar → Asha Rao`. */
export function turned({ before, after }: Pick<DescribedDifference, "before" | "after">): string {
  if (before === null) return `${after ?? ""}, new`;
  return after === null ? `${before}, no longer` : `${before} → ${after}`;
}

function unknownLines(
  { key, before, pending, file }: Extract<Change, { action: "unknown" }>,
  environment: string,
): Detail[] {
  const ways = waysOf(pending).map(({ place, leads }) => `${place} ${leads}`);
  const resolve = (fate: string) => suggest("state resolve", [key], environment, fate);
  return [
    { label: "sent", text: period(pending.sent_at, pending.until) },
    { label: "seen", text: pending.seen?.message ?? "no outcome was recorded" },
    { label: "look for", text: `“${pending.payload.name}”: ${ways.join(", ")}` },
    ...(before === null ? [] : beside(before, pending)),
    ...fileNotes[file],
    { label: "found", text: resolve("--created"), command: true },
    { label: "not there", text: resolve("--absent"), command: true },
  ];
}

/** After a replace there is an older record, which must not be mistaken for the new one. */
function beside(before: Confirmed, pending: MenuContent): Detail[] {
  return [
    {
      label: "beware",
      text: `The record before it, “${before.payload.name}” of ${second(before.created_at)} UTC, is there in any case. What was sent differs from that in:`,
    },
    ...changedLines(before, pending).map(({ label, text }) => ({
      label: "",
      text: `${label}: ${text}`,
    })),
  ];
}

const fileNotes: Readonly<Record<"same" | "changed" | "gone", Detail[]>> = {
  same: [],
  changed: [note("The file says something else by now; nothing is sent for it until then.")],
  gone: [note("It has no file any more.")],
};

const counted: Readonly<Record<Outlook["kind"], Readonly<Record<Action, string>>>> = {
  plan: {
    create: "to create",
    replace: "to replace",
    move: "to move",
    forget: "to forget",
    restore: "to restore",
    unknown: "unknown",
  },
  diff: {
    create: "new",
    replace: "changed",
    move: "moved",
    forget: "gone",
    restore: "restored",
    unknown: "unknown",
  },
};

/** How much of what: `1 to create, 2 to replace; 3 unchanged`. */
export function countsOf(outlook: Outlook): {
  readonly something: boolean;
  readonly counts: string;
} {
  const summary = summaryOf(contentOf(outlook));
  const parts = actions
    .filter((action) => summary[action] > 0)
    .map((action) => `${summary[action]} ${counted[outlook.kind][action]}`);
  const unchanged = `${summary.unchanged} unchanged`;
  return parts.length === 0
    ? { something: false, counts: unchanged }
    : { something: true, counts: `${parts.join(", ")}; ${unchanged}` };
}

/** A revision as it was given, with its commit. */
export function revisionName({ ref, commit }: Revision): string {
  const short = commit.slice(0, 7);
  return commit.startsWith(ref) ? short : `${ref} (${short})`;
}

/** The follow-ups that a plan leaves open: without those whose records it restores. */
export function leftOf({ changes, followUps }: Plan): FollowUp[] {
  const back = new Set(
    changes.flatMap((change) => (change.action === "restore" ? change.followUp.id : [])),
  );
  return followUps.filter(({ id }) => !back.has(id));
}

/** What a follow-up is about: which record, since when. */
export function followUpWords({ reason, created_at: at, record }: FollowUp): string {
  // It is not known when an adopted record was created on the service.
  const how = record.settled.how === "adopted" ? "adopted" : "created";
  const since =
    reason === "duplicate"
      ? `a second menu beside the key's own, recorded ${second(at)}: find out which of the two the number uses`
      : `${reason} ${second(at)}`;
  return `“${record.payload.name}” ${how} ${second(record.created_at)}, ${since}`;
}

export const followUpsTitle = "Follow-ups, old records for a person to take out of service";

/** The command that marks a follow-up as done. */
export function doneCommand({ id }: FollowUp, environment: string): string {
  return suggest("state done", [id], environment);
}
