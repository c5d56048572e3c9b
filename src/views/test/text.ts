import type { Coverage } from "../../call/coverage.ts";
import type { Span } from "../../diagnostics/source.ts";
import { type CallLine, rowOf, widthOf } from "../call-lines.ts";
import { type Terminal, visible } from "../terminal.ts";
import { type Report, passed, placeOf } from "./report.ts";
import { testLines, violationLines } from "./walk.ts";

/** Each failed test, and each broken invariant, as the walk it took; with `verbose` the others by name. */
export function reportText(report: Report, verbose: boolean, terminal: Terminal): string {
  const { results, violations, coverage } = report;
  const tests = results.map((result) => {
    const { key, test } = result;
    if (!passed(result)) return failure(`${key}: ${test.name}`, test, testLines(result), terminal);
    const mark = terminal.styleOut("green", terminal.signs ? "✓" : "ok");
    return verbose ? `${mark} ${visible(`${key}: ${test.name}`)}\n` : "";
  });
  const broken = violations.map((violation) => {
    const { key, invariant } = violation;
    return failure(
      `${key} breaks: ${invariant.name}`,
      invariant,
      violationLines(violation),
      terminal,
    );
  });
  return [...tests, ...broken, coverage === undefined ? "" : coverageText(coverage)].join("");
}

/** What it comes to, in a line or a few. */
export function tallyText(report: Report): string {
  const { results, violations, invariants, notRun, coverage, minCoverage } = report;
  const troubled = report.diagnostics.some(({ severity }) => severity === "error");
  const failed = results.filter((result) => !passed(result)).length;
  const menus = new Set(results.map(({ key }) => key)).size;
  const counts = `${results.length - failed} passed, ${failed} failed, in ${many(menus, "menu")}`;
  const broken = new Set(violations.map(({ invariant }) => invariant)).size;
  const lines = [
    results.length > 0 ? `${counts}.` : troubled ? [] : "There are no tests to run.",
    notRun.length === 0 ? [] : `Not run, because of the errors: ${notRun.join(", ")}.`,
    invariants === 0
      ? []
      : broken === 0
        ? `${many(invariants, "invariant")} held on every way.`
        : `${broken} of ${many(invariants, "invariant")} broken, in ${many(new Set(violations.map(({ key }) => key)).size, "menu")}.`,
    coverage === undefined
      ? []
      : `${coverage.tested} of ${many(coverage.ways, "way")} tested: ${coverage.percent} %${
          minCoverage !== undefined && coverage.percent < minCoverage
            ? `, less than the ${minCoverage} % asked for`
            : ""
        }.`,
  ];
  return lines
    .flat()
    .map((line) => `${visible(line)}\n`)
    .join("");
}

function coverageText({ menus }: Coverage): string {
  const rows = menus.flatMap(({ key, ways, untested }) =>
    untested.length === 0
      ? []
      : `${visible(`${key}: ${ways - untested.length} of ${ways}, untested: ${untested.join(", ")}`)}\n`,
  );
  return rows.length === 0 ? "" : `${rows.join("")}\n`;
}

function failure(
  title: string,
  place: { readonly at: Span },
  lines: readonly CallLine[],
  { signs, styleOut }: Terminal,
): string {
  const { file, line } = placeOf(place);
  const width = widthOf(lines);
  const rows = lines.map((own) => {
    const row = rowOf(own, width);
    return own.expected ? `  ${styleOut("red", `- ${row}`)}` : `    ${row}`;
  });
  const mark = styleOut(["bold", "red"], signs ? "✗" : "FAILED");
  const head = `${mark} ${styleOut("bold", visible(title))}`;
  return `${head}\n  ${styleOut("dim", `--> ${visible(file)}:${line}`)}\n${rows.join("\n")}\n\n`;
}

function many(count: number, word: string): string {
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}
