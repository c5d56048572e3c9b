import { isDrawable, mermaid } from "../../graph/mermaid.ts";
import type { Action } from "../../deploy/plan/plan.ts";
import { type Diagnostic, placeOf } from "../../diagnostics/diagnostic.ts";
import { severityWords } from "../diagnostics/severity.ts";
import { code, fenced, fit, folded, marker, message, prose } from "../markdown.ts";
import { splitCommand } from "../../util/split-command.ts";
import { many } from "../../util/many.ts";
import {
  type AnyChange,
  type Detail,
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
import { changePicture } from "./picture.ts";
import { wireDiff } from "./text.ts";

/** The maximum length of a comment on GitHub in characters. UTF-16 units are never fewer. */
export const commentLimit = 65_536;

export interface Comment {
  readonly kind: Outlook["kind"];
  /** Undefined if files are invalid. */
  readonly outlook: Outlook | undefined;
  readonly environment: string | null;
  /** Warnings above everything else. */
  readonly banners: readonly string[];
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
  const { outlook, banners, about, alerts = [], elsewhere } = comment;
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
  const followUps = outlook?.kind === "plan" ? followUpsOf(outlook, page.share(0.15)) : [];
  page.reserve(followUps);
  const changes = outlook === undefined ? [] : contentOf(outlook).changes;
  if (outlook !== undefined && changes.length > 0) {
    addTable(page, outlook, changes);
    addSections(page, outlook, changes);
  }
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
  if (outlook.kind === "plan")
    return `Plan${where}: ${something ? "" : "nothing to do, "}${counts}`;
  const against = prose(revisionName(outlook.comparison.revision));
  return `Changes since ${against}${where}: ${something ? "" : "none, "}${counts}`;
}

/** Room for the note about rows and sections that are left out. */
const spare = 1_200;

function addTable(page: Page, outlook: Outlook, changes: readonly AnyChange[]): void {
  const head = "| | key | name |\n|---|---|---|";
  const rows = fit(
    changes.map((change) => ({ change, row: rowOf(change, actionWord(change, outlook)) })),
    page.room - sizeOf(head) - spare,
    ({ row }) => row.length + 1,
    ({ change }) => ranks[change.action],
  );
  if (rows.shown.length > 0) page.add([head, ...rows.shown.map(({ row }) => row)].join("\n"));
  if (rows.left.length > 0) {
    page.add(`<b>This table has no room for ${rows.left.length} of ${changes.length} menus.</b>`);
  }
}

/** Adds a section for each change, as far as there is room. */
function addSections(page: Page, outlook: Outlook, changes: readonly AnyChange[]): void {
  // A short list of sections is shown unfolded.
  const open = changes.length <= 5;
  const sections = fit(
    changes.map((change) => ({ change, block: sectionOf(change, outlook, open) })),
    page.room - spare,
    ({ block }) => sizeOf(block),
    ({ change }) => ranks[change.action],
  );
  const left = sections.left.map(({ change }) => change);
  if (left.length > 0) page.add(leftOut(left, changes.length, outlook.kind));
  for (const { block } of sections.shown) page.add(block);
}

/** The changes that need a person most come first if there is no room for all. */
const ranks: Readonly<Record<Action, number>> = {
  unknown: 0,
  replace: 1,
  forget: 2,
  move: 3,
  restore: 3,
  create: 4,
};

function leftOut(left: readonly AnyChange[], of: number, command: string): string {
  const keys = left.map(({ key }) => code(key));
  const names = fit(keys, 600, (name) => name.length + 2);
  const more = names.left.length === 0 ? "" : ` and ${names.left.length} more`;
  return `<b>The details of ${left.length} of ${of} menus are left out</b>: ${names.shown.join(", ")}${more}. To see all: <code>ivrctl ${command} --verbose</code>`;
}

function rowOf({ key, name, ...change }: AnyChange, word: string): string {
  const from =
    "movedFrom" in change && change.movedFrom !== null ? ` from ${code(change.movedFrom)}` : "";
  return `| ${word} | ${code(key)}${from} | ${prose(name)} |`;
}

function sectionOf(change: AnyChange, outlook: Outlook, open: boolean): string {
  const { key, name } = change;
  const words = detailsOf(change, outlook).map(lineOf);
  const picture = changePicture(change);
  const drawn = picture === undefined ? [] : mermaid(picture);
  const wire = wireDiff(change, (_, text) => text);
  const blocks = [
    words.join("\n"),
    ...(drawn.length === 0
      ? []
      : [
          isDrawable(drawn)
            ? fenced("mermaid", drawn)
            : "This menu has too many keys for a picture.",
        ]),
    ...(wire.length === 0 ? [] : [folded("payload", fenced("diff", wire))]),
  ];
  return folded(
    `<b>${actionWord(change, outlook)}</b> ${code(key)} “${prose(name)}”`,
    blocks.join("\n\n"),
    open,
  );
}

function lineOf({ label, text, command }: Detail): string {
  const shown = command ? code(text) : prose(text);
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
function adviceOf(hint: string): string {
  const { words, command } = splitCommand(hint);
  return command === undefined ? message(words) : `${message(words)}<br>${code(command)}`;
}

function followUpsOf({ plan }: Extract<Outlook, { kind: "plan" }>, room: number): string[] {
  const left = leftOf(plan);
  const [first, ...more] = left;
  if (first === undefined) return [];
  const { when, command } = doneHint([first, ...more], plan.environment);
  return [
    ...listed(
      `#### ${followUpsTitle}`,
      left.map((one) => `- ${code(one.id)} ${code(one.key)}: ${prose(followUpWords(one))}`),
      room,
      (count) => `${count} more are left out. To see all: <code>ivrctl state list</code>`,
    ),
    `${when}: ${code(command)}`,
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
