import { isDrawable, mermaid } from "../../graph/mermaid.ts";
import type { Change } from "../../deploy/plan/plan.ts";
import { type Diagnostic, placeOf } from "../../diagnostics/diagnostic.ts";
import { severityWords } from "../diagnostics/severity.ts";
import { code, commandList, fenced, fit, folded, marker, message, prose } from "../markdown.ts";
import { splitCommand } from "../../util/split-command.ts";
import { many } from "../../util/many.ts";
import { type Hint, hintText } from "../../util/suggest.ts";
import { doneHint, followUpWords, followUpsTitle, leftOf } from "../follow-ups.ts";
import { commandText } from "../../util/suggest.ts";
import {
  type Description,
  type Outlook,
  countsOf,
  describeOutlook,
  revisionName,
  unmanagedLine,
  wireDiff,
} from "./outlook.ts";
import { changePicture } from "./picture.ts";
import type { Row } from "./rows.ts";
import { mattersTitle, title } from "./text.ts";

/** The maximum length of a comment on GitHub in characters. UTF-16 units are never fewer. */
export const commentLimit = 65_536;

export interface Comment {
  readonly kind: "plan" | "diff";
  /** Undefined if files are invalid. */
  readonly outlook: Outlook | undefined;
  readonly environment: string | null;
  /** Warnings above everything else. */
  readonly banners: readonly string[];
  /** Whether to show the table without the details of each menu. */
  readonly summary?: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** A sentence about problems in menus that do not change. They are not in `diagnostics`. */
  readonly elsewhere?: string | undefined;
  /** A sentence about what the plan was made from. */
  readonly about?: string;
  /** What a person has to know before the changes. */
  readonly alerts?: readonly string[];
}

/** A plan as a comment. Its first line identifies it. */
export function planMarkdown(comment: Comment, limit = commentLimit): string {
  const first = marker(comment.kind, comment.environment ?? "");
  return `${first}\n\n${planSection(comment, limit - first.length - 2)}`;
}

/** How much a comment shows, from everything to only the table. The first that fits is taken. */
const renderings = ["full", "plain", "table"] as const;
type Rendering = (typeof renderings)[number];

/** A plan as a part of a comment, with at most this many characters. */
export function planSection(comment: Comment, limit: number): string {
  const { outlook, summary = false } = comment;
  const description = outlook && describeOutlook(outlook);
  const texts = renderings
    .slice(summary ? 2 : 0)
    .map((rendering) => () => sectionIn(rendering, comment, description, limit));
  for (const render of texts) {
    const text = render();
    if (text.length <= limit) return text;
  }
  return texts.at(-1)?.() ?? "";
}

function sectionIn(
  rendering: Rendering,
  comment: Comment,
  description: Description | undefined,
  limit: number,
): string {
  const { banners, alerts = [], about, outlook } = comment;
  const first = [
    `### ${headingOf(comment)}`,
    ...banners.map((line) => `> [!CAUTION]\n> <b>${prose(line)}</b>`),
    ...alerts.map((line) => `> [!WARNING]\n> ${line}`),
  ];
  const room = limit - sizeOf(first) - 500;
  const cut = rendering === "table";
  const folds = description
    ? [...followingFold(description), ...mattersFold(description, outlook)]
    : [];
  const last = [
    ...folds.map((fold) => (cut && fold.length > room / 6 ? tooLong : fold)),
    ...problemsFold(comment, cut ? Math.floor(room / 5) : Number.POSITIVE_INFINITY),
    ...(outlook
      ? [unmanagedLine(outlook) ?? []].flat().map((line) => `<sub>${prose(line)}</sub>`)
      : []),
    ...(about === undefined ? [] : [`<sub>${message(about)}</sub>`]),
  ];
  const rows = description?.rows ?? [];
  const tableRoom = cut ? room - sizeOf(last) : Number.POSITIVE_INFINITY;
  const details = cut ? [] : rows.flatMap((row) => rowFold(row, rendering));
  return `${[...first, ...rowsTable(rows, tableRoom, cut), ...details, ...last].join("\n\n")}\n`;
}

const tooLong = "<b>What needs manual action, or follows from the changes, does not fit here.</b>";

function sizeOf(blocks: readonly string[]): number {
  return blocks.reduce((size, block) => size + block.length + 2, 0);
}

function headingOf({ kind, outlook, environment, diagnostics }: Comment): string {
  const where = environment === null ? "" : ` for ${prose(environment)}`;
  if (outlook === undefined) {
    const errors = diagnostics.filter(({ severity }) => severity === "error").length;
    return `No ${kind}${where}: ${many(errors, "error")}`;
  }
  const { something, counts } = countsOf(outlook);
  if (outlook.revision === undefined) {
    const nothing = outlook.refused ? "refused, " : "nothing to do, ";
    return `Plan${where}: ${something ? "" : nothing}${counts}`;
  }
  const against = prose(revisionName(outlook.revision));
  return `Changes since ${against}${where}: ${something ? "" : "none, "}${counts}`;
}

/** What changes for callers. `isShort` leaves out what a reader can do without. */
function rowsTable(rows: readonly Row[], room: number, isShort: boolean): string[] {
  if (rows.length === 0) return [];
  const head = `| menu | ${title.toLowerCase()} |\n|---|---|`;
  const { shown, left } = fit(
    rows.map((row) => tableRow(row, isShort)),
    room - head.length,
    (row) => row.length + 1,
  );
  return [
    [head, ...shown].join("\n"),
    ...(left.length === 0
      ? []
      : [`<b>There is no room for ${left.length} of ${many(rows.length, "row")}.</b>`]),
  ];
}

function tableRow({ changes, subject, lines }: Row, isShort: boolean): string {
  const [{ key }, ...more] = changes;
  const name = more.length > 0 || isShort ? prose(subject) : `${prose(subject)} ${code(key)}`;
  const cells = lines.map(({ text, mark }) =>
    mark === undefined ? prose(text) : `${prose(text)} <b>${prose(mark)}</b>`,
  );
  return `| ${name} | ${cells.join("<br>")} |`;
}

/** The menus of a row, and the picture and payload of the first one. */
function rowFold({ changes, subject }: Row, rendering: Rendering): string[] {
  const [first, ...more] = changes;
  const names = changes.map(({ key, name }) => `${code(key)} ${prose(name)}`).join(", ");
  const blocks = [
    ...(more.length > 0 ? [names] : []),
    ...(rendering === "full" ? wholeOf(first) : []),
  ];
  const head = more.length > 0 ? prose(subject) : `${prose(subject)} ${code(first.key)}`;
  return blocks.length === 0 ? [] : [folded(head, blocks.join("\n\n"))];
}

/** The picture of a changed menu and the diff of its payload. */
function wholeOf(change: Change): string[] {
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

function followingFold({ following }: Description): string[] {
  if (following.length === 0) return [];
  return [folded("What follows from that", following.map((line) => `- ${prose(line)}`).join("\n"))];
}

function mattersFold({ matters }: Description, outlook: Outlook | undefined): string[] {
  if (matters.length === 0 || outlook === undefined) return [];
  const { plan } = outlook;
  const left = leftOf(plan);
  const hint = doneHint(left, plan.environment);
  const followUps = left
    .slice(0, mostFollowUps)
    .map((one) => `- ${code(one.id)} ${code(one.key)}: ${prose(followUpWords(one))}`);
  const blocks = [
    ...matters.map(commandList),
    ...(hint === undefined
      ? []
      : [
          `${followUpsTitle}:\n${followUps.join("\n")}`,
          `${hint.when}: ${code(commandText(hint.argv))}`,
        ]),
  ];
  return [folded(mattersTitle, blocks.join("\n\n"))];
}

const mostFollowUps = 20;

function problemsFold({ diagnostics, elsewhere }: Comment, room: number): string[] {
  if (diagnostics.length === 0) return elsewhere === undefined ? [] : [elsewhere];
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const others = diagnostics.filter(({ severity }) => severity !== "error");
  const { shown, left } = fit(
    [...errors, ...others].map(problemLine),
    room,
    (line) => line.length + 1,
  );
  const lines = [
    shown.join("\n"),
    ...(left.length === 0 ? [] : [`${left.length} more problems are left out.`]),
    ...(elsewhere === undefined ? [] : [elsewhere]),
  ];
  const counts = [
    ...(errors.length === 0 ? [] : [many(errors.length, "error")]),
    ...(others.length === 0 ? [] : [many(others.length, "warning")]),
  ];
  return [
    folded(counts.join(", "), lines.filter((line) => line !== "").join("\n\n"), errors.length > 0),
  ];
}

function problemLine(diagnostic: Diagnostic): string {
  const { severity, code: id, rule, message: words, hint } = diagnostic;
  const place = code(placeOf(diagnostic));
  const advice = hint === undefined ? "" : `<br>${adviceText(hint)}`;
  const name = rule === undefined ? id : `${id} ${code(rule)}`;
  return `- <b>${severityWords[severity]}</b> ${name} at ${place}: ${message(words)}${advice}`;
}

/** A hint with the command at its end on its own line. */
function adviceText(hint: Hint): string {
  const { words, command } = splitCommand(hintText(hint));
  return command === undefined ? message(words) : `${message(words)}<br>${code(command)}`;
}
