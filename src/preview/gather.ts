import type { ResolvedMenu } from "../compile/menu.ts";
import { type Diagnostic, diagnosticPlace } from "../diagnostics/diagnostic.ts";
import { menuFlow } from "../compile/flow.ts";
import { groupBy } from "../util/group-by.ts";
import { fileKind } from "../project/files.ts";
import { sourceFrame, diagnosticTitle } from "../views/diagnostics/text.ts";
import type { Reported } from "../views/test/report.ts";
import { callerRows } from "../views/plan/rows.ts";
import type { PastMenus } from "../deploy/plan/past-menus.ts";
import type { Change } from "../deploy/plan/changes.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import { hintParts } from "../util/suggest.ts";
import type {
  PreviewChange,
  PreviewData,
  PreviewMenu,
  PreviewProblem,
  PreviewRow,
  PreviewTest,
} from "./data.ts";

/** The revision that the page compares with, and what changes since then. */
export interface Comparison {
  readonly name: string;
  readonly past: PastMenus;
  readonly plan: Plan;
}

interface Found {
  readonly calls: readonly Reported[];
  readonly environment: string | undefined;
  readonly menus: readonly ResolvedMenu[];
  readonly comparison: Comparison | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The project as the page shows it, with each problem at its menu. */
export function gather(found: Found, { live }: Pick<PreviewData, "live">): PreviewData {
  const byMenu = groupBy(found.diagnostics, menuFinder(found.menus));
  const tests = groupBy(found.calls, ({ key }) => key);
  const { comparison } = found;
  const changes = changesIn(comparison);
  const { entries } = menuFlow(found.menus);
  const taken = new Set<string>();
  const menus = found.menus.map((menu): PreviewMenu => {
    // Two menus with one key are an error. The second is listed by its file.
    const key = menu.key === undefined || taken.has(menu.key) ? menu.source.file : menu.key;
    taken.add(key);
    const { name, owner, facts, call, source } = menu;
    return {
      key,
      file: source.file,
      name: name?.value,
      description: call && facts.description?.value,
      owner,
      entry: entries.has(key),
      change: changes.get(key),
      call,
      tests: tests.get(key)?.map(testOf) ?? [],
      problems: problemsOf(byMenu.get(menu)),
    };
  });
  // A file that is not valid YAML has a path and problems, but no menu.
  const unread = groupBy(byMenu.get(undefined) ?? [], ({ file }) => keyOfPath(file));
  const unreadable = [...unread].flatMap(([key, own]): PreviewMenu[] =>
    key === undefined ? [] : [{ key, file: own[0].file, tests: [], problems: problemsOf(own) }],
  );
  return {
    live,
    environment: found.environment ?? null,
    base: comparison?.name ?? null,
    changes: comparison ? rowsOf(comparison.plan) : [],
    menus: [...menus, ...unreadable, ...deletedIn(comparison, changes)].sort((a, b) =>
      a.key < b.key ? -1 : 1,
    ),
    problems: problemsOf(unread.get(undefined)),
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

function testOf({ name, file, line, walk, failed }: Reported): PreviewTest {
  // Includes the silences at the end, so that a replay reaches the end of the call.
  const press = walk.steps.map((step) => step.press);
  return { name, place: `${file}:${line}`, press, lines: failed ?? null };
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
    frame: frame && { line, ...frame },
    hint: hint === undefined ? undefined : hintParts(hint),
  };
}

type Changes = ReadonlyMap<string, PreviewChange>;

/** The changed menus by key, in the same words as `diff` and `plan`. */
function changesIn(comparison: Comparison | undefined): Changes {
  if (comparison === undefined) return new Map();
  const { past, plan } = comparison;
  const lines = new Map(rowsOf(plan, true).map((row) => [row.keys[0], row.lines]));
  const calls = new Map(past.menus.map(({ key, menu }) => [key, menu.call]));
  return new Map(
    plan.changes.map((change) => {
      const { key, movedFrom: from = key } = change;
      const before = calls.get(from);
      return [key, { kind: kindOf(change), from, lines: lines.get(key) ?? [], before }];
    }),
  );
}

/** The menus that have no file any more. */
function deletedIn(comparison: Comparison | undefined, changes: Changes): PreviewMenu[] {
  return (comparison?.past.menus ?? []).flatMap(({ key, name, menu: { source, call } }) => {
    const change = changes.get(key);
    if (change?.kind !== "deleted") return [];
    return [{ key, name, file: source.file, change, call, tests: [], problems: [] }];
  });
}

function kindOf({ action, before }: Change): PreviewChange["kind"] {
  if (action === "delete") return "deleted";
  if (action === "move") return "moved";
  return before === undefined ? "new" : "changed";
}

function rowsOf(plan: Plan, isSingle = false): PreviewRow[] {
  return callerRows(plan.changes, new Map(), isSingle).map(({ changes, subject, lines }) => ({
    keys: changes.map(({ key }) => key),
    subject,
    lines: lines.map(({ text, mark }) => (mark === undefined ? text : `${text} (${mark})`)),
  }));
}
