import type { Violation } from "../call/verdict.ts";
import { callMenuOf } from "../call/menu.ts";
import type { TestResult } from "../call/verdict.ts";
import type { Verdict } from "../call/verdict.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { groupBy } from "../util/group-by.ts";
import { type Framer, loadFramer } from "../views/diagnostics/frame.ts";
import { titleOf } from "../views/diagnostics/title.ts";
import { passed, placeOf } from "../views/test/report.ts";
import { testLines, violationLines } from "../views/test/walk.ts";
import type { PreviewData, PreviewMenu, PreviewProblem, PreviewTest } from "./data.ts";

interface Found extends Verdict {
  readonly environment: string | undefined;
  readonly menus: readonly ResolvedMenu[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The project as the page shows it: what is wrong stands with the menu that it is wrong with. */
export async function gather(
  found: Found,
  { revision, live }: Pick<PreviewData, "revision" | "live">,
): Promise<PreviewData> {
  const framer = await loadFramer(found.diagnostics);
  const byMenu = groupBy(found.diagnostics, menuFinder(found.menus));
  const results = groupBy(found.results, ({ key }) => key);
  const violations = groupBy(found.violations, ({ key }) => key);
  const problemsOf = (diagnostics: readonly Diagnostic[] | undefined) =>
    (diagnostics ?? []).map((own) => problem(own, framer));
  const taken = new Set<string>();
  const menus = found.menus.map((menu): PreviewMenu => {
    // Of two with one key, which is an error, the second goes by its file.
    const key = menu.key === undefined || taken.has(menu.key) ? menu.source.file : menu.key;
    taken.add(key);
    return {
      ...aboutOf(menu),
      key,
      file: menu.source.file,
      tests: (results.get(key) ?? []).map(testOf),
      broken: (violations.get(key) ?? []).map(brokenOf),
      problems: problemsOf(byMenu.get(menu)),
    };
  });
  // Of a file that cannot be read as YAML nothing is known but its path.
  const unread = groupBy(byMenu.get(undefined) ?? [], ({ file }) => keyOfPath(file));
  const faulty = [...unread].flatMap(([key, own]): PreviewMenu[] =>
    key === undefined
      ? []
      : [{ key, file: own[0].file, tests: [], broken: [], problems: problemsOf(own) }],
  );
  return {
    revision,
    live,
    environment: found.environment ?? null,
    menus: [...menus, ...faulty].sort((a, b) => (a.key < b.key ? -1 : 1)),
    problems: problemsOf(unread.get(undefined)),
  };
}

function aboutOf(menu: ResolvedMenu): Pick<PreviewMenu, "name" | "description" | "owner"> {
  const { name, owner, description } = menu;
  const call = callMenuOf(menu);
  return {
    ...(name === undefined ? {} : { name: name.value }),
    ...(call === undefined || description === undefined ? {} : { description: description.value }),
    ...(owner === undefined ? {} : { owner }),
    ...(call === undefined ? {} : { call }),
  };
}

/** One file may hold several menus: a fault is that of the one that begins last before it. */
function menuFinder(menus: readonly ResolvedMenu[]) {
  const byFile = groupBy(menus, ({ source }) => source.file);
  return ({ file, line }: Diagnostic): ResolvedMenu | undefined => {
    const own = byFile.get(file) ?? [];
    const starts = own.map((menu) => ({ menu, line: menu.source.position(menu.top.start).line }));
    const before = starts.filter((start) => start.line <= line).sort((a, b) => b.line - a.line);
    return before[0]?.menu ?? own[0];
  };
}

/** Undefined for what is no menu's file. */
function keyOfPath(file: string): string | undefined {
  return /^ivrs\/(?!.*\.test\.yaml$)(.+)\.yaml$/.exec(file)?.[1];
}

function testOf(result: TestResult): PreviewTest {
  const { test } = result;
  return {
    name: test.name,
    place: shownPlace(test),
    // With the silences at its end: a call is replayed until it lands.
    press: result.walk.steps.map(({ press }) => press),
    passed: passed(result),
    lines: passed(result) ? [] : testLines(result),
  };
}

function brokenOf(violation: Violation): PreviewTest {
  const { invariant, walk } = violation;
  return {
    name: invariant.name,
    place: shownPlace(invariant),
    press: walk.steps.map(({ press }) => press),
    passed: false,
    lines: violationLines(violation),
  };
}

function shownPlace(own: Parameters<typeof placeOf>[0]): string {
  const { file, line } = placeOf(own);
  return `${file}:${line}`;
}

/** As many columns as a page has room for beside its list. */
const room = 96;

function problem(diagnostic: Diagnostic, frameOf: Framer): PreviewProblem {
  const { severity, message, file, line, column, hint } = diagnostic;
  const frame = frameOf(diagnostic, room);
  const margin = " ".repeat(String(line).length);
  return {
    title: titleOf(diagnostic),
    severity,
    message,
    place: `${file}:${line}:${column}`,
    ...(frame === undefined
      ? {}
      : {
          frame: `${line} | ${frame.line}\n${margin} | ${frame.indent}${frame.carets}`,
        }),
    ...(hint === undefined ? {} : { hint }),
  };
}
