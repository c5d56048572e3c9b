import type { Reach } from "../../call/dead-ends.ts";
import { type CallLine, callRow } from "../call-lines.ts";
import { deadPaths, reachHead } from "../reach.ts";
import { type Page, visible } from "../terminal.ts";
import { many } from "../../util/many.ts";
import { type TestReport, type Reported } from "./test-report.ts";

/** Each failed test and broken invariant with its call. With `verbose`, also the names of passed tests. */
export function reportText(report: TestReport, page: Page): string {
  const calls = report.calls.map((reported) => {
    const { key, name, expected, failed } = reported;
    const title = expected ? `${key}: ${name}` : `${key} breaks the invariant: ${name}`;
    if (failed) return failure(title, reported, failed, page);
    const mark = page.style("green", "✓");
    return page.verbose ? `${mark} ${visible(title)}\n` : "";
  });
  const rows = (report.coverage?.menus ?? []).flatMap(({ key, paths, untested }) =>
    untested.length === 0
      ? []
      : `${visible(`${key}: ${paths - untested.length} of ${paths} paths tested, not tested: ${untested.join(", ")}`)}\n`,
  );
  return [...calls, ...rows, rows.length === 0 ? "" : "\n"].join("");
}

/** The result in a few lines. */
export function tallyText(report: TestReport): string {
  const { calls, invariants, notRun, coverage } = report;
  const tests = calls.filter(({ expected }) => expected !== undefined);
  const violations = calls.filter(({ expected }) => expected === undefined);
  const hasErrors = report.diagnostics.some(({ severity }) => severity === "error");
  const failed = tests.filter((test) => test.failed !== undefined).length;
  const menus = new Set(tests.map(({ key }) => key)).size;
  const counts = `${tests.length - failed} passed, ${failed} failed, in ${many(menus, "menu")}`;
  const broken = new Set(violations.map(({ name, line }) => `${line} ${name}`)).size;
  const breaking = new Set(violations.map(({ key }) => key)).size;
  // On the service, one more invariant is that every call reaches somebody. `reachLines` reports it.
  const written = invariants - (report.reach?.starts ? 1 : 0);
  const lines = [
    report.reach?.starts ? reachLines(report.reach) : [],
    tests.length > 0 ? `${counts}.` : hasErrors ? [] : "There are no tests to run.",
    notRun.length === 0 ? [] : `Not tested because of errors: ${notRun.join(", ")}.`,
    broken > 0
      ? `${broken} of ${many(invariants, "invariant")} broken, in ${many(breaking, "menu")}.`
      : written > 0
        ? `${many(written, "invariant")} checked on every path: none broken.`
        : [],
    coverage === undefined
      ? []
      : `${coverage.tested} of ${many(coverage.paths, "path")} tested: ${coverage.percent}%.`,
  ];
  return lines
    .flat()
    .map((line) => `${visible(line)}\n`)
    .join("");
}

/** Where the calls of the service end nowhere. */
function reachLines(reach: Reach): string[] {
  const head = reachHead(reach);
  if (reach.deadEnds.length === 0) return [`${head}.`];
  return [`${head}:`, ...deadPaths(reach, maxEnds).map((line) => `  ${line}`)];
}

const maxEnds = 10;

function failure(
  title: string,
  { file, line }: Reported,
  lines: readonly CallLine[],
  { style, wordWrap, path }: Page,
): string {
  const rows = lines.map((callLine) => {
    const lead = callLine.expected ? "  - " : "    ";
    const row = callRow(callLine, lead, wordWrap);
    return callLine.expected ? style("red", row) : row;
  });
  const mark = style(["bold", "red"], "✗");
  const head = `${mark} ${style("bold", visible(title))}`;
  return `${head}\n  ${style("dim", `--> ${visible(path(file))}:${line}`)}\n${rows.join("\n")}\n\n`;
}
