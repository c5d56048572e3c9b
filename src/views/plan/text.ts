import { differences } from "../../deploy/plan/diff.ts";
import { type Change, type Plan, actions, payloadsOf, summaryOf } from "../../deploy/plan/plan.ts";
import type { FollowUp } from "../../schema/state.ts";
import { type Paint, type Style, visible } from "../terminal.ts";
import { minute, period } from "../time.ts";
import { wrap } from "../wrap.ts";
import { tell, waysOf } from "./words.ts";

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
  const blocks = plan.changes.map((change) => changeText(change, look));
  const counts = countsOf(plan);
  const followUps = followUpsText(plan.followUps, look);
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

function changeText(change: Change, look: Look): string {
  const [sign, style] = signs[change.action];
  const from =
    "movedFrom" in change && change.movedFrom !== null ? `, from ${visible(change.movedFrom)}` : "";
  const head = `${sign} ${change.action.padEnd(7)}  ${visible(change.key)}`;
  const lines = details(change);
  const width = Math.min(widest(lines.map(([label]) => label)), maxLabel);
  return [
    `${look.style(style, head)}  “${visible(change.name)}”${from}`,
    ...lines.map((line) => hanging(line, width, look.columns)),
    ...(look.wireDiff?.(change) ?? []).map((line) => `    ${line}`),
    "",
  ].join("\n");
}

/** A label with what hangs behind it. */
type Line = readonly [label: string, text: string];

function details(change: Change): Line[] {
  switch (change.action) {
    case "create":
      return waysOf(change.after).map(({ place, leads }) => [visible(place), visible(leads)]);
    case "replace": {
      const { before, after } = payloadsOf(change);
      return [
        ...differences(before, after).map((difference): Line => {
          const { what, before, after } = tell(difference, change.before, change.after);
          if (before === null) return [visible(what), `${visible(after ?? "")}, new`];
          if (after === null) return [visible(what), `${visible(before)}, no longer`];
          return [visible(what), `${visible(before)} → ${visible(after)}`];
        }),
        ["note", "The old record stays on the service and becomes a follow-up."],
      ];
    }
    case "move":
      return [["note", "Only the key changes; nothing is sent."]];
    case "forget":
      return [
        ["note", "No file any more. Its record stays on the service and becomes a follow-up."],
      ];
    case "restore":
      return [["note", `Its record is still on the service: ${change.followUp.id} is struck.`]];
    case "unknown":
      return unknownLines(change);
  }
}

function unknownLines(change: Extract<Change, { action: "unknown" }>): Line[] {
  const { key, pending, file } = change;
  const ways = waysOf(pending).map(({ place, leads }) => `${place} ${leads}`);
  return [
    ["sent", period(pending.sent_at, pending.until)],
    ["seen", visible(pending.seen?.message ?? "no outcome was recorded")],
    ["look for", visible(`“${pending.payload.name}”: ${ways.join(", ")}`)],
    ...fileNotes[file],
    ["then", `ivrctl state resolve ${key} --created   if it is on the provider's console`],
    ["", `ivrctl state resolve ${key} --absent    if it is not`],
  ];
}

const fileNotes: Readonly<Record<"same" | "changed" | "gone", Line[]>> = {
  same: [],
  changed: [["note", "The file says something else by now; nothing is sent for it until then."]],
  gone: [["note", "It has no file any more."]],
};

/** Wider labels are not aligned with the others. */
const maxLabel = 28;

function hanging([label, text]: Line, width: number, columns: number): string {
  const lead = label === "" ? "" : `${label}:`;
  const indent = " ".repeat(4 + width + 2);
  const used = Math.max(lead.length - width - 1, 0);
  return `    ${lead.padEnd(width + 1)} ${wrap(text, indent, columns, used).trimStart()}`;
}

/** The open follow-ups, or nothing. */
export function followUpsText(followUps: readonly FollowUp[], look: Pick<Look, "style">): string {
  const [first] = followUps;
  if (first === undefined) return "";
  const keyWidth = widest(followUps.map(({ key }) => key));
  const idWidth = widest(followUps.map(({ id }) => id));
  const lines = followUps.map(
    ({ id, key, reason, created_at: at, record }) =>
      `  ${id.padEnd(idWidth)}  ${visible(key).padEnd(keyWidth)}  “${visible(record.payload.name)}” created ${minute(record.created_at)}, ${reason} ${minute(at)}`,
  );
  return [
    look.style("bold", "Follow-ups, old records for a person to take out of service:"),
    ...lines,
    `  Strike one that is done: ivrctl state done ${first.id}`,
    "",
  ].join("\n");
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
