import { toCallMenu } from "../call/menu.ts";
import type { Walk } from "../call/model.ts";
import type { Verdict } from "../call/verdict.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import { type Diagnostic, diagnosticPlace } from "../diagnostics/diagnostic.ts";
import { menuFlow } from "../compile/flow.ts";
import { groupBy } from "../util/group-by.ts";
import { fileKind } from "../project/file-kind.ts";
import { sourceFrame, diagnosticTitle } from "../views/diagnostics/text.ts";
import { type Reported, reportedTest, reportedViolation } from "../views/test/report.ts";
import { type Comparison, changesIn } from "./changes.ts";
import type { PreviewData, PreviewMenu, PreviewProblem, PreviewTest } from "./data.ts";
import { hintText } from "../util/suggest.ts";
import { splitCommand } from "../util/split-command.ts";

interface Found extends Verdict {
  readonly environment: string | undefined;
  readonly menus: readonly ResolvedMenu[];
  readonly comparison: Comparison | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The project as the page shows it, with each problem at its menu. */
export function gather(found: Found, { live }: Pick<PreviewData, "live">): PreviewData {
  const byMenu = groupBy(found.diagnostics, menuFinder(found.menus));
  const results = groupBy(found.results, ({ key }) => key);
  const violations = groupBy(found.violations, ({ key }) => key);
  const { base, changes, deleted } = changesIn(found.comparison);
  const { entries } = menuFlow(found.menus);
  const taken = new Set<string>();
  const menus = found.menus.map((menu): PreviewMenu => {
    // Two menus with one key are an error. The second is listed by its file.
    const key = menu.key === undefined || taken.has(menu.key) ? menu.source.file : menu.key;
    taken.add(key);
    const change = changes.get(key);
    return {
      ...aboutOf(menu),
      key,
      file: menu.source.file,
      entry: entries.has(key),
      ...(change && { change }),
      tests: (results.get(key) ?? []).map((result) => testOf(reportedTest(result), result.walk)),
      broken: (violations.get(key) ?? []).map((own) => testOf(reportedViolation(own), own.walk)),
      problems: problemsOf(byMenu.get(menu)),
    };
  });
  // A file that is not valid YAML has a path and problems, but no menu.
  const unread = groupBy(byMenu.get(undefined) ?? [], ({ file }) => keyOfPath(file));
  const unreadable = [...unread].flatMap(([key, own]): PreviewMenu[] =>
    key === undefined
      ? []
      : [{ key, file: own[0].file, tests: [], broken: [], problems: problemsOf(own) }],
  );
  return {
    live,
    environment: found.environment ?? null,
    base,
    menus: [...menus, ...unreadable, ...deleted].sort((a, b) => (a.key < b.key ? -1 : 1)),
    problems: problemsOf(unread.get(undefined)),
  };
}

function aboutOf(menu: ResolvedMenu): Pick<PreviewMenu, "name" | "description" | "owner"> {
  const { name, owner, facts } = menu;
  const call = toCallMenu(menu);
  return {
    ...(name && { name: name.value }),
    ...(call && facts.description && { description: facts.description.value }),
    ...(owner !== undefined && { owner }),
    ...(call && { call }),
  };
}

/** Returns a function that finds the menu of a problem: the last one that begins before it. */
function menuFinder(menus: readonly ResolvedMenu[]) {
  const byFile = groupBy(menus, ({ source }) => source.file);
  return ({ file, line = 1 }: Diagnostic): ResolvedMenu | undefined => {
    const own = byFile.get(file) ?? [];
    const starts = own.map((menu) => ({ menu, line: menu.source.position(menu.top.start).line }));
    const before = starts.filter((start) => start.line <= line).sort((a, b) => b.line - a.line);
    return before[0]?.menu ?? own[0];
  };
}

/** Returns the menu key of a path. Undefined if it is not the path of a menu. */
function keyOfPath(file: string): string | undefined {
  return fileKind(file) === "menu" ? /^ivrs\/(.+)\.yaml$/.exec(file)?.[1] : undefined;
}

function testOf({ name, file, line, failed }: Reported, walk: Walk): PreviewTest {
  return {
    name,
    place: `${file}:${line}`,
    // Includes the silences at the end, so that a replay reaches the end of the call.
    press: walk.steps.map(({ press }) => press),
    passed: failed === undefined,
    lines: failed ?? [],
  };
}

/** The length of a source line on the page, in columns. */
const room = 120;

/** The problems, errors first. */
function problemsOf(diagnostics: readonly Diagnostic[] = []): PreviewProblem[] {
  const rank = ({ severity }: Diagnostic) => ["error", "warning", "info"].indexOf(severity);
  return [...diagnostics].sort((a, b) => rank(a) - rank(b)).map(problemOf);
}

function problemOf(diagnostic: Diagnostic): PreviewProblem {
  const { severity, message, line = 1, hint } = diagnostic;
  const frame = sourceFrame(diagnostic, room);
  return {
    title: diagnosticTitle(diagnostic),
    severity,
    message,
    place: diagnosticPlace(diagnostic),
    ...(frame && { frame: { line, ...frame } }),
    ...(hint !== undefined && { hint: splitCommand(hintText(hint)) }),
  };
}
