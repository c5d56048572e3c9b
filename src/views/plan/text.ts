import { differences } from "../../deploy/plan/diff.ts";
import { type Change, type Made, type Plan, actions, summaryOf } from "../../deploy/plan/plan.ts";
import { suggest } from "../../deploy/suggest.ts";
import type { Confirmed, FollowUp } from "../../schema/state.ts";
import { type Line, labelled } from "../labelled.ts";
import { type Paint, type Style, visible } from "../terminal.ts";
import { period, second } from "../time.ts";
import { menuLines, tell, waysOf } from "./words.ts";

/** How a text is to look. */
export interface Look {
  readonly style: Paint;
  readonly columns: number;
  /** The wire diff of each menu, made where it is wanted. */
  readonly wireDiff?: (change: Change) => readonly string[];
}

const signs: Readonly<Record<Change["action"], readonly [sign: string, style: Style]>> = {
  create: ["+", "green"],
  replace: ["~", "yellow"],
  move: [">", "cyan"],
  forget: ["-", "red"],
  restore: ["^", "cyan"],
  unknown: ["?", "magenta"],
};

/** A plan for a person: each menu with what changes for callers, the counts, what is left to do. */
export function planText(plan: Plan, look: Look): string {
  const blocks = plan.changes.map((change) => changeText(change, plan.environment, look));
  const counts = countsOf(plan);
  const back = new Set(
    plan.changes.flatMap((change) => (change.action === "restore" ? change.followUp.id : [])),
  );
  // What this very plan takes back into service is nobody's to take out of it.
  const left = plan.followUps.filter(({ id }) => !back.has(id));
  const followUps = followUpsText(left, plan.environment, look);
  return [
    ...blocks,
    `${look.style("bold", counts)}\n`,
    ...(followUps === "" ? [] : [followUps]),
  ].join("\n");
}

const toDo: Readonly<Record<Change["action"], string>> = {
  create: "to create",
  replace: "to replace",
  move: "to move",
  forget: "to forget",
  restore: "to restore",
  unknown: "unknown",
};

function countsOf(plan: Plan): string {
  const summary = summaryOf(plan);
  const parts = actions
    .filter((action) => summary[action] > 0)
    .map((action) => `${summary[action]} ${toDo[action]}`);
  const unchanged = `${summary.unchanged} unchanged`;
  return parts.length === 0
    ? `Nothing to do: ${unchanged}.`
    : `Plan: ${parts.join(", ")}; ${unchanged}.`;
}

function changeText(change: Change, environment: string, look: Look): string {
  const [sign, style] = signs[change.action];
  const from =
    "movedFrom" in change && change.movedFrom !== null ? `, from ${visible(change.movedFrom)}` : "";
  const head = `${sign} ${change.action.padEnd(7)}  ${visible(change.key)}`;
  const lines = details(change, environment);
  return [
    `${look.style(style, head)}  “${visible(change.name)}”${from}`,
    ...labelled(lines, look.columns),
    ...(look.wireDiff?.(change) ?? []).map((line) => `    ${line}`),
    "",
  ].join("\n");
}

function details(change: Change, environment: string): Line[] {
  switch (change.action) {
    case "create":
      return linesOf(menuLines(change.after));
    case "replace":
      return [
        ...changedLines(change.before, change.after),
        [
          "note",
          "A second record is created; callers stay on the old one until its number is pointed at the new one.",
        ],
      ];
    case "move":
      return [["note", "Only the key changes; nothing is sent."]];
    case "forget":
      return [
        ...linesOf(waysOf(change.before)),
        ["note", "No file any more. Its record stays on the service and becomes a follow-up."],
      ];
    case "restore":
      return [["note", `Its record is still on the service: ${change.followUp.id} is struck.`]];
    case "unknown":
      return unknownLines(change, environment);
  }
}

function linesOf(ways: readonly { place: string; leads: string }[]): Line[] {
  return ways.map(({ place, leads }) => [visible(place), visible(leads)]);
}

function changedLines(old: Made, now: Made): Line[] {
  return differences(old.payload, now.payload).map((difference): Line => {
    const { what, before, after } = tell(difference, old, now);
    if (before === null) return [visible(what), `${visible(after ?? "")}, new`];
    if (after === null) return [visible(what), `${visible(before)}, no longer`];
    return [visible(what), `${visible(before)} → ${visible(after)}`];
  });
}

function unknownLines(
  { key, before, pending, file }: Extract<Change, { action: "unknown" }>,
  environment: string,
): Line[] {
  const ways = waysOf(pending).map(({ place, leads }) => `${place} ${leads}`);
  const resolve = (fate: string) => suggest("state resolve", [key], environment, fate);
  return [
    ["sent", period(pending.sent_at, pending.until)],
    ["seen", visible(pending.seen?.message ?? "no outcome was recorded")],
    ["look for", visible(`“${pending.payload.name}”: ${ways.join(", ")}`)],
    ...(before === null ? [] : beside(before, pending)),
    ...fileNotes[file],
    ["found", resolve("--created")],
    ["not there", resolve("--absent")],
  ];
}

/** A replace: there is an older record, which must not be taken for the new one. */
function beside(before: Confirmed, pending: Made): Line[] {
  return [
    [
      "beware",
      `The record before it, “${visible(before.payload.name)}” of ${second(before.created_at)} UTC, is there in any case. What was sent differs from that in:`,
    ],
    ...changedLines(before, pending).map(([label, text]): Line => ["", `${label}: ${text}`]),
  ];
}

const fileNotes: Readonly<Record<"same" | "changed" | "gone", Line[]>> = {
  same: [],
  changed: [["note", "The file says something else by now; nothing is sent for it until then."]],
  gone: [["note", "It has no file any more."]],
};

/** The open follow-ups, or nothing. */
export function followUpsText(
  followUps: readonly FollowUp[],
  environment: string,
  look: Pick<Look, "style">,
): string {
  const [first] = followUps;
  if (first === undefined) return "";
  const keyWidth = widest(followUps.map(({ key }) => key));
  const idWidth = widest(followUps.map(({ id }) => id));
  const lines = followUps.map(
    ({ id, key, reason, created_at: at, record }) =>
      `  ${id.padEnd(idWidth)}  ${visible(key).padEnd(keyWidth)}  “${visible(record.payload.name)}” ${howOld(record)}, ${reason} ${second(at)}`,
  );
  return [
    look.style("bold", "Follow-ups, old records for a person to take out of service:"),
    ...lines,
    `  Strike one that is done: ${suggest("state done", [first.id], environment)}`,
    "",
  ].join("\n");
}

function howOld({ settled, created_at: at }: Confirmed): string {
  // When it was created on the service nobody knows.
  return `${settled.how === "adopted" ? "adopted" : "created"} ${second(at)}`;
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
