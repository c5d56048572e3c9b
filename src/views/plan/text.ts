import { diffLines } from "diff";
import { type Change, payloadsOf } from "../../deploy/plan/plan.ts";
import type { FollowUp } from "../../schema/state.ts";
import { type Paint, type Style, visible } from "../terminal.ts";
import { labelled } from "../text.ts";
import {
  type AnyChange,
  type Outlook,
  actionWord,
  contentOf,
  countsOf,
  detailsOf,
  doneHint,
  followUpWords,
  followUpsTitle,
  leftOf,
  revisionName,
} from "./details.ts";

/** The style and width of a text. */
interface Look {
  readonly style: Paint;
  readonly columns: number;
  /** Whether each change is shown with the diff of its payload. */
  readonly verbose: boolean;
}

const signs: Readonly<Record<Change["action"], readonly [sign: string, style: Style]>> = {
  create: ["+", "green"],
  replace: ["~", "yellow"],
  move: [">", "cyan"],
  forget: ["-", "red"],
  restore: ["^", "cyan"],
  unknown: ["?", "magenta"],
};

/** A plan as text: what changes for callers in each menu, the follow-ups, the counts. */
export function planText(outlook: Outlook, look: Look): string {
  const { environment, changes } = contentOf(outlook);
  const blocks = changes.map((change) => changeText(change, outlook, look));
  const left = outlook.kind === "plan" ? leftOf(outlook.plan) : [];
  const followUps = followUpsText(left, environment, look.style);
  return [
    ...blocks,
    ...(followUps === "" ? [] : [followUps]),
    `${look.style("bold", closing(outlook))}\n`,
  ].join("\n");
}

function closing(outlook: Outlook): string {
  const { something, counts } = countsOf(outlook);
  if (outlook.kind === "plan") return `${something ? "Plan" : "Nothing to do"}: ${counts}.`;
  const against = visible(revisionName(outlook.comparison.revision));
  return `${something ? "Changes" : "No changes"} since ${against}: ${counts}.`;
}

function changeText(change: AnyChange, outlook: Outlook, look: Look): string {
  const [sign, style] = signs[change.action];
  const from =
    "movedFrom" in change && change.movedFrom !== null ? `, from ${visible(change.movedFrom)}` : "";
  const head = `${sign} ${actionWord(change, outlook).padEnd(7)}  ${visible(change.key)}`;
  const details = detailsOf(change, outlook).map(({ label, text, command }) => ({
    line: [visible(label), visible(text)] as const,
    isCommand: command === true,
  }));
  const lines = details.flatMap(({ line, isCommand }) => (isCommand ? [] : [line]));
  const commands = details.flatMap(({ line, isCommand }) => (isCommand ? [line] : []));
  return [
    `${look.style(style, head)}  “${visible(change.name)}”${from}`,
    ...labelled(lines, look.columns),
    // A command is never wrapped, so that it can be copied.
    ...commands.flatMap(([label, command]) => [`    ${label}:`, `      ${command}`]),
    ...(look.verbose ? wireDiff(change, look.style) : []).map((line) => `    ${line}`),
    "",
  ].join("\n");
}

/** The open follow-ups as text; empty if there are none. */
export function followUpsText(
  followUps: readonly FollowUp[],
  environment: string,
  style: Paint,
): string {
  const [first, ...more] = followUps;
  if (first === undefined) return "";
  const { when, command } = doneHint([first, ...more], environment);
  const keyWidth = widest(followUps.map(({ key }) => visible(key)));
  const idWidth = widest(followUps.map(({ id }) => id));
  const lines = followUps.map((followUp) => {
    const { id, key } = followUp;
    const words = visible(followUpWords(followUp));
    return `  ${id.padEnd(idWidth)}  ${visible(key).padEnd(keyWidth)}  ${words}`;
  });
  return [style("bold", `${followUpsTitle}:`), ...lines, `  ${when}:`, `    ${command}`, ""].join(
    "\n",
  );
}

/** The diff of the payload, line by line. */
export function wireDiff(change: AnyChange, style: Paint): string[] {
  const { before, after } = payloadsOf(change);
  if (change.action === "move" || (change.action === "restore" && before === null)) return [];
  const text = (payload: object | null) =>
    payload === null ? "" : `${JSON.stringify(payload, null, 2)}\n`;
  return diffLines(text(before), text(after)).flatMap(({ value, added, removed }) =>
    value
      .trimEnd()
      .split("\n")
      .map((line) => {
        const shown = visible(line);
        if (added) return style("green", `+ ${shown}`);
        return removed ? style("red", `- ${shown}`) : style("dim", `  ${shown}`);
      }),
  );
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
