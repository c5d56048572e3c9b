import type { MenuSource } from "../call/menu-source.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { type Diagnostic, diagnosticPlace } from "../diagnostics/diagnostic.ts";
import { knownPeople } from "../references/people.ts";
import { groupBy } from "../util/group-by.ts";
import { fileKind, menuFolder, keyFromPath } from "../project/files.ts";
import { sourceFrame, diagnosticTitle } from "../views/diagnostics/diagnostics-text.ts";
import { type Reported, type Tested, testReport } from "../views/test/test-report.ts";
import { followingLines } from "../views/plan/following.ts";
import { callerRows } from "../views/plan/rows.ts";
import type { PastMenus } from "../deploy/plan/changes/past-menus.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import type { CallDestination, CallMenu } from "../model/call-menu.ts";
import { mapDestinations } from "../model/menu.ts";
import { many } from "../util/many.ts";
import { phoneText } from "../util/phone.ts";
import { hintParts } from "../util/suggest.ts";
import { type Finding, type PreviewData, type PreviewMenu, badgeKinds } from "./data.ts";

/** The revision that the page compares with, and what changes since then. */
export interface Comparison {
  readonly name: string;
  readonly past: PastMenus;
  readonly plan: Plan;
}

/** The project as the page shows it, with each problem at its menu. */
export function gather(
  project: LoadedProject,
  diagnostics: readonly Diagnostic[],
  comparison: Comparison | undefined,
  live: boolean,
): PreviewData {
  const { menus: all, environment, flow } = project;
  const byFile = groupBy(all, ({ source }) => source.file);
  // The menu of a problem is the last one in the file that begins before it.
  const problems = groupBy(diagnostics, ({ file, line = 1 }) => {
    const inFile = byFile.get(file) ?? [];
    return (
      inFile.findLast(({ source, top }) => source.position(top.start).line <= line) ?? inFile[0]
    );
  });
  const tests = groupBy(testReport(project).calls, ({ key }) => key);
  const taken = new Set<string>();
  const menus = all.map((menu): PreviewMenu => {
    const { name, owner, call, source } = menu;
    // Two menus with one key are an error. The second is listed by its file.
    const key = menu.key === undefined || taken.has(menu.key) ? source.file : menu.key;
    taken.add(key);
    return {
      key,
      file: source.file,
      name: name?.value ?? key,
      owner,
      numbers: menu.numbers.map(({ value }) => phoneText(value)),
      entry: flow.entries.has(key),
      call,
      findings: findingsIn(problems.get(menu), tests.get(key)),
    };
  });
  // A file that is not valid YAML has a path and problems, but no menu.
  const isMenu = (file: string) => file.startsWith(`${menuFolder}/`) && fileKind(file) === "menu";
  const others = groupBy(problems.get(undefined) ?? [], ({ file }) => isMenu(file) && file);
  const unreadable = [...others].flatMap(([file, fileProblems]): PreviewMenu[] => {
    if (file === false) return [];
    const key = keyFromPath(file);
    return [{ key, file, name: key, numbers: [], findings: findingsIn(fileProblems) }];
  });
  return {
    live,
    environment: environment?.name ?? null,
    base: comparison?.name ?? null,
    people: knownPeople(project),
    ...compared([...menus, ...unreadable], comparison),
    findings: findingsIn(others.get(false)),
  };
}

/** The menus with what changes since a revision, those included that were deleted since then. */
function compared(
  menus: readonly PreviewMenu[],
  comparison: Comparison | undefined,
): Pick<PreviewData, "menus" | "changes" | "following"> {
  if (comparison === undefined) return { menus, changes: [], following: [] };
  const { past, plan } = comparison;
  const moved = new Map(
    plan.changes.flatMap(({ key, movedFrom }) =>
      movedFrom === undefined ? [] : [[movedFrom, key] as const],
    ),
  );
  const calls = new Map(
    past.menus.map(({ key, menu: { call } }) => [key, call && withMoved(call, moved)]),
  );
  const changes = new Map(
    plan.changes.map(({ key, movedFrom = key, action, before }) => {
      const changed = before === undefined ? "new" : "changed";
      const kind = action === "delete" ? "deleted" : action === "move" ? "moved" : changed;
      return [key, { kind, before: calls.get(movedFrom) } as const];
    }),
  );
  // A menu with errors counts as changed, because nobody can know.
  const incomparable = menus.flatMap(({ key, name, findings }) => {
    const errors = findings.filter(({ kind }) => kind === "error").length;
    if (changes.has(key) || errors === 0) return [];
    changes.set(key, { kind: "changed", before: calls.get(key) });
    const lines = [`cannot be compared: ${many(errors, "error")}`];
    return [{ subject: name, keys: [key], lines }];
  });
  const deleted = past.menus.flatMap(({ key, name, menu: { source, call } }): PreviewMenu[] =>
    changes.get(key)?.kind === "deleted"
      ? [{ key, name, file: source.file, numbers: [], call, findings: [] }]
      : [],
  );
  return {
    menus: Array.from([...menus, ...deleted], (menu) => ({
      ...menu,
      change: changes.get(menu.key),
    })),
    changes: [...rowsOf(plan), ...incomparable],
    following: followingLines(plan, false),
  };
}

/** A menu whose keys go to the menus under their new keys, because that is no change. */
function withMoved({ key, ...call }: CallMenu, moved: ReadonlyMap<string, string>): CallMenu {
  const renamed = mapDestinations(call, (to: CallDestination): CallDestination =>
    to.kind === "menu" ? { ...to, key: moved.get(to.key) ?? to.key } : to,
  );
  return { ...renamed, key };
}

/** The menus of the service or of a revision, with their tests. */
export function gatherSource(
  { menus, diagnostics, ...source }: Tested & Pick<MenuSource, "menus" | "diagnostics">,
  environment: string,
): PreviewData {
  const tests = groupBy(testReport(source).calls, ({ key }) => key);
  const shown = menus.map(({ key = "", name = key, file = "on the service", numbers, call }) => ({
    key,
    file,
    name,
    numbers: numbers.map(phoneText),
    entry: source.flow.entries.has(key),
    call,
    findings: findingsIn([], tests.get(key)),
  }));
  const findings = findingsIn(diagnostics);
  return {
    live: false,
    environment,
    base: null,
    menus: shown,
    changes: [],
    following: [],
    findings,
  };
}

function findingsIn(
  problems: readonly Diagnostic[] = [],
  tests: readonly Reported[] = [],
): Finding[] {
  const all = [...problems.map(problemOf), ...tests.map(testOf)];
  return all.sort((a, b) => badgeKinds.indexOf(a.kind) - badgeKinds.indexOf(b.kind));
}

/** The length of a source line on the page, in columns. */
const room = 120;

function problemOf(diagnostic: Diagnostic): Finding {
  const { severity, message, line = 1, hint = "" } = diagnostic;
  const { words, command } = hintParts(hint);
  const frame = sourceFrame(diagnostic, room);
  return {
    kind: severity === "info" ? "note" : severity,
    title: diagnosticTitle(diagnostic),
    text: message,
    place: diagnosticPlace(diagnostic),
    frame: frame && { line, ...frame },
    hint: command === undefined ? words : `${words} \`${command}\``,
  };
}

function testOf({ name, verdict = name, file, line, walk, failed }: Reported): Finding {
  // Includes the silences at the end, so that a replay reaches the end of the call.
  const press = walk.steps.map((step) => step.press);
  const kind = failed ? "failed" : "passed";
  return { kind, text: verdict, place: `${file}:${line}`, press, lines: failed };
}

/** What changes for callers, in the same words as `diff` and `plan`. */
function rowsOf(plan: Plan): PreviewData["changes"] {
  return callerRows(plan).map(({ subject, changes, lines }) => ({
    subject,
    keys: changes.map(({ key }) => key),
    // What a menu waits for, or why apply holds it back, is no change for callers. Its errors are shown.
    lines: lines.map(({ text, mark }) =>
      mark?.startsWith("differs") ? `${text} (${mark})` : text,
    ),
  }));
}
