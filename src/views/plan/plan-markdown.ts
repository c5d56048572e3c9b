import { isDrawable, mermaid } from "../../graph/mermaid.ts";
import type { Change } from "../../deploy/plan/changes.ts";
import { type Diagnostic, diagnosticPlace } from "../../diagnostics/diagnostic.ts";
import { severityNames } from "../diagnostics/severity.ts";
import { advice, code, fenced, fit, folded, marker, message, prose } from "../markdown.ts";
import { many } from "../../util/many.ts";
import { commandText, hintParts } from "../../util/suggest.ts";
import { type Description, type Shown, describe, wireDiff } from "./describe.ts";
import { mattersTitle, title } from "./index.ts";
import { changePicture } from "./plan-picture.ts";
import type { Row } from "./rows.ts";

/** The maximum length of a comment on GitHub in characters. UTF-16 units are never fewer. */
export const commentLimit = 65_536;

/** A plan in a comment on a pull request. */
interface Comment extends Shown {
  /** What a person has to know before the changes, as Markdown. */
  readonly alerts?: readonly string[];
  /** The folder of the project in its repository, if it is not the top. */
  readonly directory?: string | undefined;
  /** The address of the run that has all problems. */
  readonly run?: string;
}

/** A plan as a comment. Its first line identifies it. */
export function planMarkdown(comment: Comment, limit = commentLimit): string {
  const first = marker(comment.kind ?? "plan", comment.environment ?? "");
  return `${first}\n\n${planSection(comment, limit - first.length - 2)}`;
}

/** How much a comment shows, from everything to only the table. The first that fits is taken. */
const renderings = ["full", "plain", "table"] as const;
type Rendering = (typeof renderings)[number];

/** A plan as a part of a comment, with at most this many characters. */
export function planSection(comment: Comment, limit: number): string {
  const description = describe(comment);
  let text = "";
  for (const rendering of renderings.slice(comment.summary ? 2 : 0)) {
    text = sectionIn(rendering, comment, description, limit);
    if (text.length <= limit) break;
  }
  return text;
}

function sectionIn(
  rendering: Rendering,
  comment: Comment,
  description: Description,
  limit: number,
): string {
  const { alerts = [], about } = comment;
  const { banners, rows, unmanaged } = description;
  const first = [
    `### ${headingOf(comment, description)}`,
    ...banners.map((line) => `> [!CAUTION]\n> <b>${prose(line)}</b>`),
    ...alerts.map((line) => `> [!WARNING]\n> ${line}`),
  ];
  const room = limit - sizeOf(first) - 500;
  const cut = rendering === "table";
  const folds = [...followingFold(description), ...mattersFold(description, comment)];
  const last = [
    ...folds.map((fold) => (cut && fold.length > room / 6 ? tooLong : fold)),
    ...problemsFold(description, comment, cut ? Math.floor(room / 5) : Number.POSITIVE_INFINITY),
    ...(unmanaged === undefined ? [] : [`<sub>${prose(unmanaged)}</sub>`]),
    ...(about === undefined ? [] : [`<sub>${message(about)}</sub>`]),
  ];
  const tableRoom = cut ? room - sizeOf(last) : Number.POSITIVE_INFINITY;
  const details = cut ? [] : rows.flatMap((row) => rowFold(row, rendering));
  return `${[...first, ...rowsTable(rows, tableRoom, cut), ...details, ...last].join("\n\n")}\n`;
}

const tooLong = "<b>What needs manual action, or follows from the changes, does not fit here.</b>";

function sizeOf(blocks: readonly string[]): number {
  return blocks.reduce((size, block) => size + block.length + 2, 0);
}

function headingOf({ kind, environment, diagnostics }: Comment, { total }: Description): string {
  const where = environment === null ? "" : ` for ${prose(environment)}`;
  if (total !== undefined) return `${prose(total.what)}${where}: ${total.counts}`;
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return `No ${kind ?? "plan"}${where}: ${many(errors, "error")}`;
}

/** What changes for callers. `isShort` leaves out what a reader can do without. */
function rowsTable(rows: readonly Row[], room: number, isShort: boolean): string[] {
  if (rows.length === 0) return [];
  const head = `| menu | ${title.toLowerCase()} |\n|---|---|`;
  const { shown, left } = fit(
    rows.map((row) => tableRow(row, isShort)),
    room - head.length,
  );
  return [
    [head, ...shown].join("\n"),
    ...(left === 0 ? [] : [`<b>There is no room for ${left} of ${many(rows.length, "row")}.</b>`]),
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

function mattersFold({ matters }: Description, { directory }: Comment): string[] {
  if (matters.length === 0) return [];
  const blocks = matters.map((matter) => {
    const { words, command } = hintParts(matter, (argv) => commandText(argv, directory));
    return command === undefined ? prose(words) : `${prose(words)}\n- ${code(command)}`;
  });
  return [folded(mattersTitle, blocks.join("\n\n"))];
}

function problemsFold(
  { problems, elsewhere }: Description,
  { run, directory }: Comment,
  room: number,
): string[] {
  const link = run === undefined ? "" : ` See <a href="${run}">this run</a>.`;
  const others = elsewhere === undefined ? [] : [`${elsewhere}${link}`];
  if (problems.length === 0) return others;
  const isError = ({ severity }: Diagnostic) => severity === "error";
  const errors = problems.filter(isError);
  const warnings = problems.filter((problem) => !isError(problem));
  const { shown, left } = fit(
    [...errors, ...warnings].map((problem) => problemLine(problem, directory)),
    room,
  );
  const lines = [
    shown.join("\n"),
    ...(left === 0 ? [] : [`${left} more problems are left out.`]),
    ...others,
  ];
  const counts = [
    ...(errors.length === 0 ? [] : [many(errors.length, "error")]),
    ...(warnings.length === 0 ? [] : [many(warnings.length, "warning")]),
  ];
  return [
    folded(counts.join(", "), lines.filter((line) => line !== "").join("\n\n"), errors.length > 0),
  ];
}

function problemLine(diagnostic: Diagnostic, directory: string | undefined): string {
  const { severity, code: id, rule, message: words, hint } = diagnostic;
  const place = code(diagnosticPlace(diagnostic));
  const help = hint === undefined ? "" : `<br>${advice(hint, directory)}`;
  const name = rule === undefined ? id : `${id} ${code(rule)}`;
  return `- <b>${severityNames[severity]}</b> ${name} at ${place}: ${message(words)}${help}`;
}
