import { isAbout } from "../../diagnostics/groups.ts";
import { type Diagnostic, Diagnostics } from "../../diagnostics/diagnostic.ts";
import { Source, type Span } from "../../diagnostics/source.ts";
import { type Mistake, TextLines } from "./text-lines.ts";
import { recognizers } from "./line-mistakes.ts";

const maxMistakes = 10;
/** The maximum number of characters to read in all attempts. */
const maxRead = 500_000;
/** Matches a line that is too long. The patterns need quadratic time, and people write no longer lines. */
const longLine = /.{501}/;
/** The maximum number of errors whose lines are examined. */
const maxPlaces = 12;

/**
 * Reads a text, and replaces its errors with the mistakes that cause them. YAML reports many mistakes
 * at the wrong place or as several errors, or accepts them. So this tries the corrections of common
 * mistakes. A mistake is reported only if the text with its correction has fewer errors.
 */
export function explaining<T>(
  source: Source,
  diagnostics: Diagnostics,
  read: (source: Source, found: Diagnostics) => T,
): T {
  const problems = new Diagnostics();
  const result = read(source, problems);
  let unread = maxRead;
  const attempt = (text: string): Attempt | undefined => {
    unread -= text.length;
    if (unread < 0) return undefined;
    const corrected = new Source(source.file, text);
    const left = new Diagnostics();
    read(corrected, left);
    return attemptOf(corrected, left);
  };
  const isExplained = problems.hasErrors && !longLine.test(source.text);
  diagnostics.addAll(isExplained ? explained(source, problems, attempt) : problems);
  return result;
}

function explained(source: Source, diagnostics: Diagnostics, attempt: Try): Diagnostics {
  const mistakes: Mistake[] = [];
  const edited = new Set<number>();
  let current = attemptOf(source, diagnostics);
  while (mistakes.length < maxMistakes) {
    const next = best(current, attempt, edited);
    if (next === undefined) break;
    mistakes.push(next.mistake);
    for (const line of next.mistake.lines.keys()) edited.add(line);
    current = next.attempt;
  }
  if (mistakes.length === 0) return diagnostics;
  const old = new Set(diagnostics.sorted().map(identity));
  const result = report(source, mistakes, current.source);
  // A field that seems to be missing may be part of the mistake.
  result.addAll(
    current.diagnostics,
    (problem) =>
      (!isMissing(problem) || old.has(identity(problem))) &&
      !(problem.source === current.source && edited.has((problem.line ?? 0) - 1)),
  );
  return result;
}

/** Reads a text. Returns undefined if too much has been read. */
type Try = (text: string) => Attempt | undefined;

/** A text and its problems. */
interface Attempt {
  readonly source: Source;
  readonly diagnostics: Diagnostics;
  /** What was found, sorted. */
  readonly problems: readonly Diagnostic[];
  /** The line of the first error that makes the text unreadable. */
  readonly blockedAt: number;
  /** How many errors there are, except missing fields. */
  readonly wrong: number;
  /** How many mappings have missing fields. */
  readonly incomplete: number;
}

/** Whether an error hides others, because the text cannot be read. */
function isBlocking(diagnostic: Diagnostic): boolean {
  return diagnostic.kind !== "structure" && isAbout(diagnostic, "unreadable text");
}

/** Whether a mistake may cause this error, in a readable text. */
function isAboutMenu(diagnostic: Diagnostic): boolean {
  return diagnostic.kind === "structure" || isAbout(diagnostic, "menu content");
}

function attemptOf(source: Source, diagnostics: Diagnostics): Attempt {
  const problems = diagnostics.sorted();
  const blocked = problems.filter((problem) => problem.file === source.file && isBlocking(problem));
  return {
    source,
    diagnostics,
    problems,
    blockedAt: Math.min(...blocked.map(({ line = 1 }) => line)),
    wrong: problems.filter((problem) => problem.severity === "error" && !isMissing(problem)).length,
    incomplete: new Set(problems.filter(isMissing).map(({ line }) => line)).size,
  };
}

function isBetter(a: Attempt, b: Attempt): boolean {
  if (a.blockedAt !== b.blockedAt) return a.blockedAt > b.blockedAt;
  return a.wrong === b.wrong ? a.incomplete < b.incomplete : a.wrong < b.wrong;
}

/**
 * Whether a correction removes the first error of an unreadable text, or a problem of a readable one.
 * YAML accepts a readable text as it is, so its correction must not cause problems of other kinds.
 */
function isProgress(before: Attempt, after: Attempt, { lines }: Mistake): boolean {
  if (before.blockedAt < Infinity) {
    return (
      after.blockedAt > Math.max(before.blockedAt, ...[...lines.keys()].map((line) => line + 1))
    );
  }
  if (after.blockedAt < Infinity || after.wrong >= before.wrong) return false;
  const old = new Set(before.problems.map(identity));
  // The corrected line may name an agent or a recording that does not exist.
  return after.problems.every(
    (problem) => isMissing(problem) || isAbout(problem, "reference") || old.has(identity(problem)),
  );
}

function identity({ code, file, line, message }: Diagnostic): string {
  return JSON.stringify([code, file, line, message]);
}

function isMissing(diagnostic: Diagnostic): boolean {
  return isAbout(diagnostic, "missing field") && diagnostic.kind !== "structure";
}

/** The correction after which the fewest errors are left. Undefined if not all could be tried. */
function best(before: Attempt, attempt: Try, edited: ReadonlySet<number>) {
  const { text } = before.source;
  const lines = new TextLines(text);
  let bestYet: { readonly mistake: Mistake; readonly attempt: Attempt } | undefined;
  const texts = new Set([text]);
  const places = placesOf(before, lines);
  const readable = before.blockedAt === Infinity;
  for (const recognize of recognizers(readable)) {
    for (const mistake of places.flatMap((line) => recognize(lines, line))) {
      const next = lines.with(mistake.lines);
      if (texts.has(next)) continue;
      // In a readable text, the problems of a corrected line may come from its correction.
      if (readable && [...mistake.lines.keys()].some((line) => edited.has(line))) continue;
      texts.add(next);
      const after = attempt(next);
      if (after === undefined) return undefined;
      if (!isProgress(before, after, mistake)) continue;
      if (bestYet === undefined || isBetter(after, bestYet.attempt)) {
        const code = mistake.code ?? (readable ? "IVR131" : "IVR101");
        bestYet = { mistake: { ...mistake, code }, attempt: after };
      }
    }
  }
  return bestYet;
}

/** The lines of the errors, and the lines around them. */
function placesOf({ source, problems, blockedAt }: Attempt, lines: TextLines): number[] {
  const errors = problems.filter(
    ({ severity, file }) => severity === "error" && file === source.file,
  );
  const at = errors
    .filter((error) =>
      blockedAt === Infinity
        ? isAboutMenu(error)
        : isBlocking(error) && !isAbout(error, "empty file") && error.line === blockedAt,
    )
    .map(({ line = 1 }) => line);
  const around = [...new Set(at)].slice(0, maxPlaces).flatMap((number) => {
    const line = number - 1;
    const above = lines.next(line, -1);
    return [line, lines.next(line), above, above === undefined ? above : lines.next(above, -1)];
  });
  return [...new Set(around)].filter((line) => line !== undefined);
}

/** The mistakes of a text, each with its line in the corrected text. */
function report(source: Source, mistakes: readonly Mistake[], corrected: Source): Diagnostics {
  const result = new Diagnostics();
  for (const { code = "IVR101", line, from, to, message, advice, lines } of mistakes) {
    const place = source.span(source.offset(line + 1, from + 1), source.offset(line + 1, to + 1));
    if (source.hides(place.start, place.end)) result.add(code, place, message, advice);
    else {
      const at = linesOf(source, lines);
      const { start, end } = linesOf(corrected, lines);
      const words = advice + toWrite(line, lines, corrected);
      result.add(code, place, message, { words, instead: [corrected.text.slice(start, end)], at });
    }
  }
  return result;
}

/** From the first corrected line to the last. No correction adds or removes a line. */
function linesOf(source: Source, lines: Mistake["lines"]): Span {
  const numbers = [...lines.keys()];
  return source.span(
    source.offset(Math.min(...numbers) + 1, 1),
    source.offset(Math.max(...numbers) + 1, Infinity),
  );
}

const maxShown = 100;

/** Shows the first corrected line, and the numbers of the others. */
function toWrite(at: number, lines: Mistake["lines"], corrected: Source): string {
  const [first = at, ...others] = lines.keys();
  const written = corrected.line(first + 1)?.trimEnd() ?? "";
  if (written === "") return "";
  const where = first === at ? "" : ` in line ${first + 1}`;
  const line = written.length > maxShown ? "" : ` Write \`${written}\`${where}.`;
  const [from, to] = [others[0], others.at(-1)];
  if (from === undefined || to === undefined) return line;
  return `${line} Change ${from === to ? `line ${from + 1}` : `lines ${from + 1} to ${to + 1}`} too.`;
}
