import { isDrawable, mermaid } from "../../graph/mermaid.ts";
import type { Change } from "../../deploy/plan/changes/changes.ts";
import { type Diagnostic, diagnosticPlace } from "../../diagnostics/diagnostic.ts";
import { severityNames } from "../diagnostics/severity.ts";
import {
  advice,
  code,
  commentLimit,
  fenced,
  fitting,
  folded,
  marker,
  message,
  prose,
} from "../markdown.ts";
import { joined, listed, many } from "../../util/many.ts";
import { commandText, hintParts } from "../../util/suggest.ts";
import { type Description, type PlanReport, describe } from "./describe.ts";
import { mattersTitle, mostNames, title } from "./plan-result.ts";
import { matterHint } from "../../deploy/reasons/matter.ts";
import { peopleLines } from "./people-lines.ts";
import { changePicture } from "./plan-picture.ts";
import { type ChangeRow, fewNamed } from "./rows.ts";

/** A plan in a comment on a pull request. */
interface Comment extends PlanReport {
  /** What a reader has to know before the changes, as Markdown. */
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

/** How much a comment shows: everything, no pictures, or only the table. */
type Rendering = "full" | "plain" | "table";

/** A plan as a part of a comment, with at most this many characters. */
export function planSection(comment: Comment, limit: number): string {
  const description = describe(comment);
  for (const rendering of comment.summary ? [] : (["full", "plain"] as const)) {
    const text = sectionIn(rendering, comment, description);
    if (text.length <= limit) return text;
  }
  return fitting(limit, (most) => sectionIn("table", comment, description, most));
}

function sectionIn(
  rendering: Rendering,
  comment: Comment,
  description: Description,
  most = Number.POSITIVE_INFINITY,
): string {
  const { alerts = [], about } = comment;
  const { banners, rows, following, unmanaged } = description;
  const firstRows = new Map(rows.toReversed().map((row) => [row.changes[0], row]));
  const follows = following.map((line) => `- ${prose(line)}`);
  const people = peopleLines(comment.plan?.changes ?? []).map((line) => `- ${prose(line)}`);
  const blocks = [
    `### ${headingOf(comment, description)}`,
    ...banners.map((line) => `> [!CAUTION]\n> <b>${prose(line)}</b>`),
    ...mattersIn(description, comment, true).map(
      (text) => `> [!WARNING]\n> ${text.replaceAll("\n", "\n> ")}`,
    ),
    ...alerts.map((line) => `> [!WARNING]\n> ${line}`),
    ...rowsTable(rows, most, rendering === "table"),
    ...listFold("Whose keys change", people, "\n", most),
    ...listFold(mattersTitle, mattersIn(description, comment, false), "\n\n", most, true),
    ...(rendering === "table"
      ? []
      : rows.flatMap((row) => {
          const isFirst = rendering === "full" && firstRows.get(row.changes[0]) === row;
          return rowFold(row, isFirst ? pictureOf(row.changes[0]) : []);
        })),
    ...listFold("What follows from that", follows, "\n", most),
    ...problemsFold(description, comment, most / 5),
    ...(unmanaged === undefined ? [] : [`<sub>${prose(unmanaged)}</sub>`]),
    ...(about === undefined ? [] : [`<sub>${message(about)}</sub>`]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function headingOf(comment: Comment, { total }: Description): string {
  const { kind, environment, directory, diagnostics } = comment;
  const folder = directory === undefined ? "" : ` (${prose(directory)})`;
  const where = environment === null ? "" : ` for ${prose(environment)}${folder}`;
  if (total !== undefined) return `${prose(total.what)}${where}: ${total.counts}`;
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return `No ${kind ?? "plan"}${where}: ${many(errors, "error")}`;
}

/** What changes for callers. `isShort` leaves out what a reader can do without. */
function rowsTable(rows: readonly ChangeRow[], most: number, isShort: boolean): string[] {
  if (rows.length === 0) return [];
  const head = `| menu | ${title.toLowerCase()} |\n|---|---|`;
  const shownRows = rows.slice(0, most).map((row) => tableRow(row, isShort));
  const left = rows.length - shownRows.length;
  return [
    [head, ...shownRows].join("\n"),
    ...(left === 0 ? [] : [`<b>There is no room for ${left} of ${many(rows.length, "row")}.</b>`]),
  ];
}

function tableRow({ changes, subject, lines, names }: ChangeRow, isShort: boolean): string {
  const [{ key }, ...more] = changes;
  const isFew = names.length > 0 && names.length <= fewNamed;
  const what = prose(isFew ? joined(names, "and") : subject);
  const name = more.length > 0 || isShort ? what : `${what} ${code(key)}`;
  const cells = lines.map(({ text, mark }) =>
    mark === undefined ? prose(text) : `${prose(text)} <b>${prose(mark)}</b>`,
  );
  const which = names.length <= fewNamed ? [] : [prose(listed(names, mostNames))];
  return `| ${name} | ${[...cells, ...which].join("<br>")} |`;
}

/** The menus of a row, and the picture of the first one, unless another row shows them. */
function rowFold({ changes, subject }: ChangeRow, whole: readonly string[]): string[] {
  const [first, ...more] = changes;
  const names = changes.map(({ key, name }) => `${code(key)} ${prose(name)}`).join(", ");
  const blocks = [...(more.length > 0 ? [names] : []), ...whole];
  const head = more.length > 0 ? prose(subject) : `${prose(subject)} ${code(first.key)}`;
  return blocks.length === 0 ? [] : [folded(head, blocks.join("\n\n"))];
}

/** The picture of a changed menu. */
function pictureOf(change: Change): string[] {
  const picture = changePicture(change);
  if (picture === undefined) return [];
  const drawn = mermaid(picture);
  return [
    isDrawable(drawn) ? fenced("mermaid", drawn) : "This menu has too many keys for a picture.",
  ];
}

function listFold(
  head: string,
  items: readonly string[],
  separator: string,
  most: number,
  open = false,
): string[] {
  if (items.length === 0) return [];
  const left = items.length - most;
  const rest = left > 0 ? [`- There is no room for ${left} more.`] : [];
  return [folded(head, [...items.slice(0, most), ...rest].join(separator), open)];
}

/** What needs a person. What makes a command fail is shown before the changes. */
function mattersIn({ matters }: Description, { directory }: Comment, isUrgent: boolean): string[] {
  return matters
    .filter(({ exit }) => exit > 0 === isUrgent)
    .map((matter) => {
      const { words, command } = hintParts(matterHint(matter), (argv) =>
        commandText(argv, directory),
      );
      return command === undefined ? prose(words) : `${prose(words)}\n- ${code(command)}`;
    });
}

function problemsFold(
  { problems, elsewhere }: Description,
  { run, directory }: Comment,
  most: number,
): string[] {
  const link = run === undefined ? "" : ` See <a href="${run}">this run</a>.`;
  const others = elsewhere === undefined ? [] : [`${elsewhere}${link}`];
  if (problems.length === 0) return others;
  const isError = ({ severity }: Diagnostic) => severity === "error";
  const errors = problems.filter(isError);
  const warnings = problems.filter((problem) => !isError(problem));
  const firstProblems = [...errors, ...warnings].slice(0, most);
  const left = problems.length - firstProblems.length;
  const lines = [
    firstProblems.map((problem) => problemLine(problem, directory)).join("\n"),
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
