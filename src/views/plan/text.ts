import { diffLines } from "diff";
import { type Change, payloadsOf } from "../../deploy/plan/plan.ts";
import type { FollowUp } from "../../schema/state.ts";
import { type Leaders, leadersIn } from "../../deploy/state/leaders.ts";
import type { StateView } from "../../deploy/state/state.ts";
import { type Page, type Paint, type Style, visible } from "../terminal.ts";
import { labelled, table, wrap } from "../text.ts";
import {
  type Block,
  type GroupBlock,
  type MenuBlock,
  blocksOf,
  changesOf,
  singleBlocks,
} from "./blocks.ts";
import { suggest } from "../../util/suggest.ts";
import { doneHint, followUpWords, followUpsHint, followUpsTitle, leftOf } from "../follow-ups.ts";
import { actionWord, countsOf, groupWords, revisionName } from "./counts.ts";
import { changedPlaces, unknownHint } from "./details.ts";
import { boundNumbers } from "./numbers.ts";
import { learnedLines } from "./on-service.ts";
import type { AnyChange, Detail, Outlook } from "./parts.ts";
import { waitHints } from "./waiting.ts";

/** The style and width of a text, and how much it shows. */
interface Look {
  readonly style: Paint;
  readonly columns: number;
  /** The width of the terminal: unlimited if there is none, so that `grep` finds whole lines. */
  readonly room: number;
  /** Whether each menu is shown on its own, with the diff of its payload, and each follow-up. */
  readonly verbose: boolean;
  /** Whether each menu is shown in one line. */
  readonly summary: boolean;
  readonly command: Page["command"];
}

interface PlanText {
  /** What changes for callers. Empty if nothing changes. */
  readonly changes: string;
  /** How to go on with unknown outcomes and open follow-ups, if there are any. */
  readonly left: string;
  /** The counts, for the end. */
  readonly closing: string;
}

const signs: Readonly<Record<Change["action"], readonly [sign: string, style: Style]>> = {
  create: ["+", "green"],
  update: ["~", "yellow"],
  replace: ["~", "yellow"],
  bind: ["~", "yellow"],
  delete: ["-", "red"],
  move: [">", "cyan"],
  forget: ["-", "red"],
  restore: ["^", "cyan"],
  missing: ["!", "magenta"],
  drift: ["!", "magenta"],
  waiting: [".", "blue"],
  unknown: ["?", "magenta"],
};

/** The most blocks that a person reads one by one. A plan with more of them is shown as a summary. */
export const mostBlocks = 30;

/** A plan as text. */
export function planText(outlook: Outlook, look: Look): PlanText {
  const blocks = look.verbose ? singleBlocks(outlook) : blocksOf(outlook);
  const isShort = look.summary || (!look.verbose && blocks.length > mostBlocks);
  return {
    changes: `${learnedText(outlook)}${changesText(blocks, isShort, outlook, look)}`,
    left: `${waitsText(outlook, look)}${unknownText(outlook, isShort, look)}${followUpsLeft(outlook, look)}`,
    closing: `${look.style("bold", closing(outlook))}\n`,
  };
}

function learnedText(outlook: Outlook): string {
  const { title, lines } = learnedLines(outlook);
  return lines.length === 0
    ? ""
    : `${title}\n${lines.map((line) => `  ${visible(line)}\n`).join("")}\n`;
}

/** `isShort` says that each menu is shown in one line. */
function changesText(
  blocks: readonly Block[],
  isShort: boolean,
  outlook: Outlook,
  look: Look,
): string {
  if (blocks.length === 0) return "";
  const text = isShort
    ? summaryText(blocks, outlook, look)
    : `${blocks.map((block) => blockText(block, outlook, look)).join("\n")}\n`;
  const isCut = !look.verbose && blocks.some(isShortened);
  return (isShort && !look.summary) || isCut
    ? `${text}Use --verbose to see each menu on its own.\n\n`
    : text;
}

/** One line for each menu. */
function summaryText(blocks: readonly Block[], outlook: Outlook, { room }: Look): string {
  const changes = changesOf(blocks);
  const rows = changes.map((change) => [
    `${signs[change.action][0]} ${actionWord(change, outlook)}`,
    visible(change.key),
    visible(change.name),
    visible(changedPlaces(change)),
  ]);
  return `${table(["ACTION", "KEY", "NAME", "CHANGES"], rows, room)}\n`;
}

function closing(outlook: Outlook): string {
  const { something, counts } = countsOf(outlook);
  if (outlook.kind === "plan") {
    const nothing = outlook.refused === true ? "Plan refused" : "Nothing to do";
    return `${something ? "Plan" : nothing}: ${counts}.`;
  }
  const against = visible(revisionName(outlook.comparison.revision));
  return `${something ? "Changes" : "No changes"} since ${against}: ${counts}.`;
}

/** How to get what menus wait for. */
function waitsText(outlook: Outlook, { room, command }: Look): string {
  const hints = outlook.kind === "diff" ? [] : waitHints(outlook);
  return hints
    .map(({ words, commands }) => {
      const lines = commands.map((argv) => `  ${command(argv)}\n`).join("");
      return `${wrap(visible(words), "", room)}\n${lines}\n`;
    })
    .join("");
}

/** How to resolve unknown outcomes. The block of a menu already has the commands for that menu alone. */
function unknownText(outlook: Outlook, isShort: boolean, { command }: Look): string {
  if (outlook.kind === "diff") return "";
  const { changes, environment } = outlook.plan;
  const unknown = changes.flatMap(({ action, key }) => (action === "unknown" ? key : []));
  if (unknown.length < (isShort ? 1 : 2)) return "";
  const { words, argv } = unknownHint(unknown, environment);
  return `${words}\n  ${command(argv)}\n\n`;
}

function followUpsLeft(outlook: Outlook, look: Look): string {
  if (outlook.kind === "diff") return "";
  const { environment } = outlook.plan;
  const left = leftOf(outlook.plan);
  if (!look.verbose) {
    return followUpsCount(left, environment, { ...look, wordWrap: look.room });
  }
  const text = followUpsText(left, environment, look);
  return text === "" ? "" : `${text}\n`;
}

function blockText(block: Block, outlook: Outlook, look: Look): string {
  return block.kind === "menu" ? menuText(block, outlook, look) : groupText(block, outlook, look);
}

function menuText({ change, details }: MenuBlock, outlook: Outlook, look: Look): string {
  return [
    `${headText(change, outlook, look, visible(change.key))}  “${visible(change.name)}”${comma(idText(change))}${comma(fromText(change))}`,
    ...detailLines(details, look),
    ...(look.verbose ? wireDiff(change, look.style) : []).map((line) => `    ${line}`),
    "",
  ].join("\n");
}

function groupText(block: GroupBlock, outlook: Outlook, look: Look): string {
  const { example, members, details, notes } = block;
  const shown = isShortened(block) ? members.slice(0, mostKeys - 2) : members;
  const keys = shown.map((member) =>
    [visible(member.key), newName(member), fromText(member), visible(boundNumbers(member))]
      .filter((part) => part !== "")
      .join(" "),
  );
  const more = members.length === shown.length ? "" : `, and ${members.length - shown.length} more`;
  const menus = { label: "menus", text: `${keys.join(", ")}${more}` };
  return [
    headText(example, outlook, look, groupWords(block)),
    ...detailLines([...details, menus, ...notes], look),
    "",
  ].join("\n");
}

/** The most menu keys that are listed for a group. */
const mostKeys = 12;

function isShortened(block: Block): boolean {
  return block.kind === "group" && block.members.length > mostKeys;
}

function headText(change: AnyChange, outlook: Outlook, { style }: Look, subject: string): string {
  const [sign, color] = signs[change.action];
  return style(color, `${sign} ${actionWord(change, outlook).padEnd(7)}  ${subject}`);
}

function fromText(change: AnyChange): string {
  return "movedFrom" in change && change.movedFrom !== null
    ? `from ${visible(change.movedFrom)}`
    : "";
}

/** The id on the service, if the plan has compared the menu with the service. */
function idText(change: AnyChange): string {
  return "id" in change ? `id ${visible(change.id)}` : "";
}

/** The name of a new menu. Other menus have a name that the reader knows. */
function newName({ action, name }: AnyChange): string {
  return action === "create" ? `“${visible(name)}”` : "";
}

function comma(text: string): string {
  return text === "" ? "" : `, ${text}`;
}

function detailLines(all: readonly Detail[], { columns, command }: Look): string[] {
  const details = all.map(({ label, text, argv }) => ({
    line: [visible(label), argv ? command(argv) : visible(text)] as const,
    isCommand: argv !== undefined,
  }));
  const lines = details.flatMap(({ line, isCommand }) => (isCommand ? [] : [line]));
  const commands = details.flatMap(({ line, isCommand }) => (isCommand ? [line] : []));
  return [
    ...labelled(lines, columns),
    // A command is never wrapped, so that it can be copied.
    ...commands.flatMap(([label, text]) => [`    ${label}:`, `      ${text}`]),
  ];
}

/** The number of open follow-ups and how to list them; empty if there are none. */
export function followUpsCount(
  followUps: readonly FollowUp[],
  environment: string,
  { wordWrap, command }: Pick<Page, "wordWrap" | "command">,
): string {
  if (followUps.length === 0) return "";
  const { words, argv } = followUpsHint(followUps, environment);
  return `${wrap(words, "", wordWrap)}\n  ${command(argv)}\n\n`;
}

/** The open follow-ups as text; empty if there are none. */
export function followUpsText(
  followUps: readonly FollowUp[],
  environment: string,
  { style, command }: Pick<Page, "style" | "command">,
  { state, canDelete = false }: { readonly state?: StateView; readonly canDelete?: boolean } = {},
): string {
  if (followUps.length === 0) return "";
  const hint = doneHint(followUps, environment, state);
  return [
    style("bold", `${followUpsTitle}:`),
    ...followUpLines(followUps, state && leadersIn(state)),
    `  ${hint?.when ?? "Callers still reach them from live menus. To see what to apply first, run"}:`,
    `    ${command(hint?.argv ?? suggest("plan", [], environment))}`,
    ...(hint && canDelete
      ? ["  To delete it on the service, run:", `    ${command(hint.deleting)}`]
      : []),
    "",
  ].join("\n");
}

/** One line for each follow-up, in columns, and the menus that lead to the old one, if they are known. */
export function followUpLines(followUps: readonly FollowUp[], leadersOf?: Leaders): string[] {
  const keyWidth = widest(followUps.map(({ key }) => visible(key)));
  const idWidth = widest(followUps.map(({ id }) => id));
  return followUps.map((followUp) => {
    const { id, key } = followUp;
    const leaders = leadersOf?.(followUp.record) ?? [];
    const reached = leaders.length === 0 ? "" : `. Menus that lead to it: ${leaders.join(", ")}`;
    const words = visible(`${followUpWords(followUp)}${reached}`);
    return `  ${id.padEnd(idWidth)}  ${visible(key).padEnd(keyWidth)}  ${words}`;
  });
}

/** The diff of the payload, line by line. */
export function wireDiff(change: AnyChange, style: Paint): string[] {
  const { before, after } = payloadsOf(change);
  if (change.action === "move" || change.action === "drift" || change.action === "missing")
    return [];
  if (change.action === "bind") return [];
  if (change.action === "restore" && before === null) return [];
  if (change.action === "update" && change.before.digest === change.after.digest) return [];
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
