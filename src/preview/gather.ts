import { callMenuOf } from "../call/menu.ts";
import type { Walk } from "../call/model.ts";
import type { Verdict } from "../call/verdict.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import { type Diagnostic, placeOf } from "../diagnostics/diagnostic.ts";
import { groupBy } from "../util/group-by.ts";
import { frameOf, titleOf } from "../views/diagnostics/text.ts";
import { type Reported, reportedTest, reportedViolation } from "../views/test/report.ts";
import type { PreviewData, PreviewMenu, PreviewProblem, PreviewTest } from "./data.ts";

interface Found extends Verdict {
  readonly environment: string | undefined;
  readonly menus: readonly ResolvedMenu[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The project as the page shows it: each problem is with the menu that has it. */
export function gather(
  found: Found,
  { revision, live }: Pick<PreviewData, "revision" | "live">,
): PreviewData {
  const byMenu = groupBy(found.diagnostics, menuFinder(found.menus));
  const results = groupBy(found.results, ({ key }) => key);
  const violations = groupBy(found.violations, ({ key }) => key);
  const taken = new Set<string>();
  const menus = found.menus.map((menu): PreviewMenu => {
    // Of two menus with one key, which is an error, the second is named by its file.
    const key = menu.key === undefined || taken.has(menu.key) ? menu.source.file : menu.key;
    taken.add(key);
    return {
      ...aboutOf(menu),
      key,
      file: menu.source.file,
      tests: (results.get(key) ?? []).map((result) => testOf(reportedTest(result), result.walk)),
      broken: (violations.get(key) ?? []).map((own) => testOf(reportedViolation(own), own.walk)),
      problems: (byMenu.get(menu) ?? []).map(problemOf),
    };
  });
  // Of a file that is not valid YAML only the path is known.
  const unread = groupBy(byMenu.get(undefined) ?? [], ({ file }) => keyOfPath(file));
  const faulty = [...unread].flatMap(([key, own]): PreviewMenu[] =>
    key === undefined
      ? []
      : [{ key, file: own[0].file, tests: [], broken: [], problems: own.map(problemOf) }],
  );
  return {
    revision,
    live,
    environment: found.environment ?? null,
    menus: [...menus, ...faulty].sort((a, b) => (a.key < b.key ? -1 : 1)),
    problems: (unread.get(undefined) ?? []).map(problemOf),
  };
}

function aboutOf(menu: ResolvedMenu): Pick<PreviewMenu, "name" | "description" | "owner"> {
  const { name, owner, description } = menu;
  const call = callMenuOf(menu);
  return {
    ...(name && { name: name.value }),
    ...(call && description && { description: description.value }),
    ...(owner !== undefined && { owner }),
    ...(call && { call }),
  };
}

/** One file may hold several menus: a problem belongs to the last menu that begins before it. */
function menuFinder(menus: readonly ResolvedMenu[]) {
  const byFile = groupBy(menus, ({ source }) => source.file);
  return ({ file, line = 1 }: Diagnostic): ResolvedMenu | undefined => {
    const own = byFile.get(file) ?? [];
    const starts = own.map((menu) => ({ menu, line: menu.source.position(menu.top.start).line }));
    const before = starts.filter((start) => start.line <= line).sort((a, b) => b.line - a.line);
    return before[0]?.menu ?? own[0];
  };
}

/** Undefined if it is not the file of a menu. */
function keyOfPath(file: string): string | undefined {
  return /^ivrs\/(?!.*\.test\.yaml$)(.+)\.yaml$/.exec(file)?.[1];
}

function testOf({ name, file, line, failed }: Reported, walk: Walk): PreviewTest {
  return {
    name,
    place: `${file}:${line}`,
    // With the silences at its end: a call is replayed until it lands.
    press: walk.steps.map(({ press }) => press),
    passed: failed === undefined,
    lines: failed ?? [],
  };
}

/** The columns that the page has room for beside its list. */
const room = 96;

function problemOf(diagnostic: Diagnostic): PreviewProblem {
  const { severity, message, line = 1, hint } = diagnostic;
  const frame = frameOf(diagnostic, room);
  const margin = " ".repeat(String(line).length);
  return {
    title: titleOf(diagnostic),
    severity,
    message,
    place: placeOf(diagnostic),
    ...(frame && { frame: `${line} | ${frame.line}\n${margin} | ${frame.indent}${frame.carets}` }),
    ...(hint !== undefined && { hint }),
  };
}
