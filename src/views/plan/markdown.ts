import { isDrawable, mermaid } from "../../graph/mermaid.ts";
import type { Action } from "../../deploy/plan/plan.ts";
import { type Diagnostic, placeOf } from "../../diagnostics/diagnostic.ts";
import { severityWords } from "../diagnostics/severity.ts";
import { code, commandList, fenced, fit, folded, marker, message, prose } from "../markdown.ts";
import { splitCommand } from "../../util/split-command.ts";
import { many } from "../../util/many.ts";
import { type Hint, commandText, hintText, suggest } from "../../util/suggest.ts";
import { type Block, type GroupBlock, type MenuBlock, blocksOf, changesOf } from "./blocks.ts";
import { doneHint, followUpWords, followUpsTitle, leftOf } from "../follow-ups.ts";
import { actionWord, countsOf, groupWords, revisionName } from "./counts.ts";
import { changedPlaces } from "./details.ts";
import { type AnyChange, type Detail, type Outlook, type PlanOutlook, contentOf } from "./parts.ts";
import { boundNumbers } from "./numbers.ts";
import { learnedLines } from "./on-service.ts";
import { changePicture } from "./picture.ts";
import { mostBlocks, wireDiff } from "./text.ts";
import { waitHints } from "./waiting.ts";

/** The maximum length of a comment on GitHub in characters. UTF-16 units are never fewer. */
export const commentLimit = 65_536;

export interface Comment {
  readonly kind: Outlook["kind"];
  /** Undefined if files are invalid. */
  readonly outlook: Outlook | undefined;
  readonly environment: string | null;
  /** Warnings above everything else. */
  readonly banners: readonly string[];
  /** Whether to show the table without the details of each menu. */
  readonly summary?: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** A sentence about what the plan was made from. */
  readonly about?: string;
  /** What a person has to know before the changes. */
  readonly alerts?: readonly string[];
  /** A sentence about problems in menus that do not change. They are not in `diagnostics`. */
  readonly elsewhere?: string | undefined;
}

/** A plan as a comment on a pull request. */
export function planMarkdown(comment: Comment, limit = commentLimit): string {
  const first = marker(comment.kind, comment.environment ?? "");
  return `${first}\n\n${planSection(comment, limit - sizeOf(first))}`;
}

/** A plan as a part of a comment: the counts, the changes, their problems, the follow-ups. */
export function planSection(comment: Comment, limit: number): string {
  const { outlook, banners, summary = false, about, alerts = [], elsewhere } = comment;
  const page = new Page(limit);
  page.add(`### ${headingOf(comment)}`);
  for (const line of banners) page.add(`> [!CAUTION]\n> <b>${prose(line)}</b>`);
  for (const line of alerts) page.add(`> [!WARNING]\n> ${line}`);
  // Room for the blocks below is reserved first, so that menus are left out before problems.
  const closing = about === undefined ? [] : [`<sub>${message(about)}</sub>`];
  page.reserve(closing);
  const problems = [
    ...problemsOf(comment.diagnostics, page.share(0.25)),
    ...(elsewhere === undefined ? [] : [elsewhere]),
  ];
  page.reserve(problems);
  const followUps =
    outlook?.kind === "plan"
      ? [...waitHints(outlook).map(commandList), ...followUpsOf(outlook, page.share(0.15))]
      : [];
  page.reserve(followUps);
  if (outlook !== undefined) addLearned(page, outlook);
  const blocks = outlook === undefined ? [] : blocksOf(outlook);
  const table = tableKind(blocks, summary);
  if (outlook !== undefined && table !== "folded") addTable(page, outlook, blocks, table);
  if (outlook !== undefined && !summary) addSections(page, outlook, blocks);
  if (outlook !== undefined && table === "folded") addTable(page, outlook, blocks, table);
  page.addReserved([...problems, ...followUps, ...closing]);
  return page.text();
}

/** The blocks of a comment, separated by blank lines, and the room that is left. */
class Page {
  readonly #blocks: string[] = [];
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  get room(): number {
    return Math.max(this.#room, 0);
  }

  share(part: number): number {
    return Math.floor(this.room * part);
  }

  add(block: string): void {
    this.#room -= sizeOf(block);
    this.#blocks.push(block);
  }

  /** Keeps room for blocks that are added later. */
  reserve(blocks: readonly string[]): void {
    for (const block of blocks) this.#room -= sizeOf(block);
  }

  addReserved(blocks: readonly string[]): void {
    this.#blocks.push(...blocks);
  }

  text(): string {
    return `${this.#blocks.join("\n\n")}\n`;
  }
}

function sizeOf(block: string): number {
  return block.length + 2;
}

function headingOf({ kind, outlook, environment, diagnostics }: Comment): string {
  const where = environment === null ? "" : ` for ${prose(environment)}`;
  if (outlook === undefined) {
    const errors = diagnostics.filter(({ severity }) => severity === "error").length;
    return `No ${kind}${where}: ${many(errors, "error")}`;
  }
  const { something, counts } = countsOf(outlook);
  if (outlook.kind === "plan") {
    const nothing = outlook.refused === true ? "refused, " : "nothing to do, ";
    return `Plan${where}: ${something ? "" : nothing}${counts}`;
  }
  const against = prose(revisionName(outlook.comparison.revision));
  return `Changes since ${against}${where}: ${something ? "" : "none, "}${counts}`;
}

function addLearned(page: Page, outlook: Outlook): void {
  const { title, lines } = learnedLines(outlook);
  if (lines.length > 0)
    page.add([prose(title), ...lines.map((line) => `- ${prose(line)}`)].join("\n"));
}

/** Room for the note about rows and sections that are left out. */
const spare = 1_200;

/**
 * The table of all menus comes first. With many sections, it also says what changes in each menu.
 * With many menus in few sections, the sections are more important, so it comes last and folded.
 */
type TableKind = "open" | "summary" | "folded";

function tableKind(blocks: readonly Block[], summary: boolean): TableKind {
  if (summary || blocks.length > mostBlocks) return "summary";
  return changesOf(blocks).length > mostBlocks ? "folded" : "open";
}

function addTable(page: Page, outlook: Outlook, blocks: readonly Block[], kind: TableKind): void {
  const isSummary = kind === "summary";
  const changes = isSummary ? changesOf(blocks) : contentOf(outlook).changes;
  if (changes.length === 0) return;
  const head = isSummary
    ? "| | key | name | changes |\n|---|---|---|---|"
    : "| | key | name |\n|---|---|---|";
  const wrapped = (table: string) =>
    kind === "folded" ? folded(`All ${changes.length} menus`, table) : table;
  const rows = fit(
    changes.map((change) => ({ change, row: rowOf(change, outlook, isSummary) })),
    page.room - sizeOf(wrapped(head)) - spare,
    ({ row }) => row.length + 1,
    ({ change }) => ranks[change.action],
  );
  if (rows.shown.length > 0) {
    page.add(wrapped([head, ...rows.shown.map(({ row }) => row)].join("\n")));
  }
  if (rows.left.length > 0) {
    page.add(`<b>This table has no room for ${rows.left.length} of ${changes.length} menus.</b>`);
  }
}

/** Adds a section for each block, as far as there is room. */
function addSections(page: Page, outlook: Outlook, blocks: readonly Block[]): void {
  // A short list of sections is shown unfolded.
  const open = blocks.length <= 5;
  const sections = fit(
    blocks.map((block) => ({ block, text: sectionOf(block, outlook, open) })),
    page.room - spare,
    ({ text }) => sizeOf(text),
    ({ block }) => ranks[block.kind === "menu" ? block.change.action : block.example.action],
  );
  const left = changesOf(sections.left.map(({ block }) => block));
  const count = contentOf(outlook).changes.length;
  if (left.length > 0) page.add(leftOut(left, count, outlook));
  for (const { text } of sections.shown) page.add(text);
}

/** The changes that need a person most come first if there is no room for all. */
const ranks: Readonly<Record<Action, number>> = {
  unknown: 0,
  missing: 0,
  drift: 0,
  update: 1,
  waiting: 1,
  replace: 1,
  bind: 1,
  delete: 1,
  forget: 2,
  move: 3,
  restore: 3,
  create: 4,
};

function leftOut(left: readonly AnyChange[], of: number, outlook: Outlook): string {
  const keys = keyList(
    left.map(({ key }) => code(key)),
    600,
  );
  const revision = outlook.kind === "plan" ? [] : [outlook.comparison.revision.ref];
  const command = suggest(outlook.kind, revision, contentOf(outlook).environment, ["--verbose"]);
  return `<b>The details of ${left.length} of ${of} menus are left out</b>: ${keys}. To see all: ${code(commandText(command))}`;
}

/** As many keys as there is room for, and the number of the others. */
function keyList(keys: readonly string[], room: number): string {
  const { shown, left } = fit(keys, room, (key) => key.length + 2);
  return `${shown.join(", ")}${left.length === 0 ? "" : ` and ${left.length} more`}`;
}

function rowOf(change: AnyChange, outlook: Outlook, isSummary: boolean): string {
  const cells = [
    actionWord(change, outlook),
    `${code(change.key)}${fromOf(change)}`,
    prose(change.name),
    ...(isSummary ? [prose(changedPlaces(change))] : []),
  ];
  return `| ${cells.join(" | ")} |`;
}

function fromOf(change: AnyChange): string {
  return "movedFrom" in change && change.movedFrom !== null
    ? ` from ${code(change.movedFrom)}`
    : "";
}

function idOf(change: AnyChange): string {
  return "id" in change ? `, id ${code(change.id)}` : "";
}

function sectionOf(block: Block, outlook: Outlook, open: boolean): string {
  return block.kind === "menu"
    ? menuSection(block, outlook, open)
    : groupSection(block, outlook, open);
}

function menuSection({ change, details }: MenuBlock, outlook: Outlook, open: boolean): string {
  return folded(
    `<b>${actionWord(change, outlook)}</b> ${code(change.key)} “${prose(change.name)}”${idOf(change)}`,
    [details.map(lineOf).join("\n"), ...wholeOf(change)].join("\n\n"),
    open,
  );
}

/** What is the same in several menus, all their keys, and one of them as an example. */
function groupSection(block: GroupBlock, outlook: Outlook, open: boolean): string {
  const { example, members, details, notes } = block;
  const keys = keyList(
    members.map((member) => {
      const name = member.action === "create" ? ` “${prose(member.name)}”` : "";
      const numbers = boundNumbers(member);
      return `${code(member.key)}${name}${fromOf(member)}${numbers === "" ? "" : ` ${prose(numbers)}`}`;
    }),
    8_000,
  );
  const whole = wholeOf(example);
  const blocks = [
    [...details, ...notes].map(lineOf).join("\n"),
    members.length > mostBlocks ? folded(`${members.length} menus`, keys) : keys,
    ...(whole.length === 0 ? [] : [folded(`For example ${code(example.key)}`, whole.join("\n\n"))]),
  ];
  return folded(
    `<b>${actionWord(example, outlook)}</b> ${groupWords(block)}`,
    blocks.join("\n\n"),
    open,
  );
}

/** The picture of a changed menu and the diff of its payload. */
function wholeOf(change: AnyChange): string[] {
  const picture = changePicture(change);
  const drawn = picture === undefined ? [] : mermaid(picture);
  const wire = wireDiff(change, (_, text) => text);
  return [
    ...(drawn.length === 0
      ? []
      : [
          isDrawable(drawn)
            ? fenced("mermaid", drawn)
            : "This menu has too many keys for a picture.",
        ]),
    ...(wire.length === 0 ? [] : [folded("payload", fenced("diff", wire))]),
  ];
}

function lineOf({ label, text, argv }: Detail): string {
  const shown = argv ? code(text) : prose(text);
  return label === "" ? `  - <span></span>${shown}` : `- <b>${prose(label)}</b>: ${shown}`;
}

function problemsOf(diagnostics: readonly Diagnostic[], room: number): string[] {
  if (diagnostics.length === 0) return [];
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const others = diagnostics.filter(({ severity }) => severity !== "error");
  return listed(
    "#### Problems",
    [...errors, ...others].map(problemOf),
    room,
    (count) => `${count} more problems are left out.`,
  );
}

function problemOf(diagnostic: Diagnostic): string {
  const { severity, code: id, rule, message: words, hint } = diagnostic;
  const place = code(placeOf(diagnostic));
  const advice = hint === undefined ? "" : `<br>${adviceOf(hint)}`;
  const name = rule === undefined ? id : `${id} ${code(rule)}`;
  return `- <b>${severityWords[severity]}</b> ${name} at ${place}: ${message(words)}${advice}`;
}

/** A hint with the command at its end on its own line. */
function adviceOf(hint: Hint): string {
  const { words, command } = splitCommand(hintText(hint));
  return command === undefined ? message(words) : `${message(words)}<br>${code(command)}`;
}

function followUpsOf({ plan }: PlanOutlook, room: number): string[] {
  const left = leftOf(plan);
  const hint = doneHint(left, plan.environment);
  if (hint === undefined) return [];
  const [heading = "", ...list] = listed(
    `#### ${followUpsTitle}`,
    left.map((one) => `- ${code(one.id)} ${code(one.key)}: ${prose(followUpWords(one))}`),
    room,
    (count) =>
      `${count} more are left out. To see all: ${code(commandText(suggest("state list", [], plan.environment, ["--follow-ups"])))}`,
  );
  const isLong = left.length > 5;
  return [
    heading,
    ...(isLong ? [folded(many(left.length, "follow-up"), list.join("\n\n"))] : list),
    `${hint.when}: ${code(commandText(hint.argv))}`,
  ];
}

/** A heading and as much of a list as there is room for. */
function listed(
  heading: string,
  items: readonly string[],
  room: number,
  more: (count: number) => string,
): string[] {
  const { shown, left } = fit(items, room, (item) => item.length + 1);
  return [
    heading,
    ...(shown.length === 0 ? [] : [shown.join("\n")]),
    ...(left.length === 0 ? [] : [more(left.length)]),
  ];
}
