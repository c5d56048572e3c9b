import { isAbout } from "../../diagnostics/groups.ts";
import type { PlannedFrom } from "../../deploy/plan/saved/plan-file.ts";
import { encode } from "../../deploy/service/encode-payload.ts";
import type { Menu } from "../../model/menu.ts";
import type { Wire } from "../../project/environment.ts";
import { actions } from "../../deploy/plan/changes/actions.ts";
import type { Change } from "../../deploy/plan/changes/changes.ts";
import type { Plan } from "../../deploy/plan/plan.ts";
import type { StateView } from "../../deploy/state/state.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { folderDefaultsOf, menuFolder } from "../../project/files.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed, many } from "../../util/many.ts";
import { diffLines } from "diff";
import { type Paint, visible } from "../terminal.ts";
import { type Matter, isChange, isPlanned } from "../../deploy/reasons/kinds.ts";
import { exitFor } from "../../deploy/reasons/matter.ts";
import { followingLines } from "./following.ts";
import { type ChangeRow, callerRows } from "./rows.ts";

/** A revision of the files, or the service. */
export interface Revision {
  /** As the user wrote it. */
  readonly ref: string;
  /** The full id of the commit. Null for the service. */
  readonly commit: string | null;
}

/** A plan to show, or a comparison with a git revision or the service. */
export interface PlanReport {
  readonly kind?: "plan" | "diff";
  /** Undefined if there is none. The diagnostics say why. */
  readonly plan: Plan | undefined;
  /** What the files are compared with. Absent for a plan. */
  readonly revision?: Revision | undefined;
  readonly environment: string | null;
  /** Whether the plan can be shown but not applied. */
  readonly refused?: boolean;
  /** What needs a person. Absent in a comparison of files. */
  readonly matters?: readonly Matter[];
  /** Whether apply shows it without a question. The end of apply shows what needs a person. */
  readonly isApplied?: boolean;
  /** Whether each change is cut to one line. */
  readonly summary?: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** The menus that merged pull requests change and no apply has changed yet, with the pull request. */
  readonly others?: ReadonlyMap<string, string>;
  /** Other files whose problems are shown. */
  readonly changed?: ReadonlySet<string>;
  /** A sentence about what the plan was made from. */
  readonly about?: string;
}

/** A plan, and what its document contains besides. */
export interface PlanDocument extends PlanReport {
  readonly plan: Plan | undefined;
  /** The state, if it could be read. */
  readonly state?: StateView | undefined;
  /** The files that the plan was made from, and when it was made. */
  readonly made?: { readonly from: PlannedFrom; readonly at: string } | undefined;
}

/** Everything that is shown of a plan, in words. Text from outside is in it, so each format escapes it. */
export interface Description {
  /** The warnings above everything else. */
  readonly banners: readonly string[];
  /** What changes for callers. */
  readonly rows: readonly ChangeRow[];
  /** What only follows from that. */
  readonly following: readonly string[];
  /** What needs manual action. */
  readonly matters: readonly Matter[];
  /** The problems that concern the changes, and a sentence about the others. */
  readonly problems: readonly Diagnostic[];
  readonly elsewhere: string | undefined;
  /** The menus of the service that are not recorded. */
  readonly unmanaged: string | undefined;
  /** `Plan` and `1 to create; 3 unchanged`. Undefined without a plan. */
  readonly total: { readonly what: string; readonly counts: string } | undefined;
}

/** Describes a plan. `isSingle` shows each menu on its own. */
export function describe(report: PlanReport, isSingle = false): Description {
  const { plan, revision } = report;
  return {
    banners: bannersOf(report),
    ...problemsIn(report),
    ...(plan === undefined
      ? { rows: [], following: [], matters: [] }
      : {
          rows: rowsIn(plan, report, isSingle),
          following: followingLines(plan, revision === undefined),
          matters: mattersIn(report),
        }),
    ...endOf(report),
  };
}

/** What changes for callers. What is from other pull requests comes last, and says so. */
function rowsIn(
  plan: Plan,
  { others = new Map(), revision }: PlanReport,
  isSingle: boolean,
): ChangeRow[] {
  const bySource = groupBy(plan.changes, ({ key }) => others.get(key) ?? "");
  const sources = [...bySource].toSorted(([a], [b]) => Number(a !== "") - Number(b !== ""));
  return sources.flatMap(([from, changes]) => {
    const rows = callerRows({ ...plan, changes }, isSingle, revision === undefined);
    return from === "" ? rows : rows.map((row) => marked(row, `${from}, merged, not applied yet`));
  });
}

/** A row whose first line says where it is from. */
function marked(row: ChangeRow, from: string): ChangeRow {
  const lines = row.lines.map((line, at) =>
    at > 0 ? line : { ...line, mark: [`from ${from}`, line.mark ?? []].flat().join(", ") },
  );
  return { ...row, lines };
}

/** What a plan ends with. */
export function endOf(report: PlanReport): Pick<Description, "unmanaged" | "total"> {
  const { plan } = report;
  if (plan === undefined) return { unmanaged: undefined, total: undefined };
  return { unmanaged: unmanagedLine(plan), total: totalOf(plan, report) };
}

/** What needs a person, as far as no row shows it. */
function mattersIn({ matters = [], isApplied = false }: PlanReport): Matter[] {
  return matters.filter((one) => !isChange(one) && (!isApplied || isPlanned(one)));
}

function bannersOf({ plan, refused }: PlanReport): string[] {
  return plan !== undefined && refused
    ? ["REFUSED: this plan cannot be applied. See the errors below."]
    : [];
}

/** What it is, and the number of changes of each kind: `1 to create, 2 to replace; 3 unchanged`. */
function totalOf(
  plan: Plan,
  { revision, refused, matters = [] }: PlanReport,
): NonNullable<Description["total"]> {
  const words = ({ action, gone }: Change) => {
    const { planned, compared = planned } = actions[action];
    if (revision !== undefined) return compared;
    return action === "forget" && gone !== undefined ? "no longer on the service" : planned;
  };
  const order = Object.keys(actions);
  const sent = plan.changes.filter(({ action }) => !actions[action].isLeft);
  const numbers = sent.reduce(
    (count, { bind, numbers: named = [] }) => count + bind.length + named.length,
    0,
  );
  const toMake = plan.changes.filter(({ action }) => action === "record").length;
  const menus = plan.changes
    .filter(({ action }) => action !== "bind" && action !== "record")
    .toSorted((a, b) => order.indexOf(a.action) - order.indexOf(b.action));
  const parts = [...groupBy(menus, words)].map(([word, { length }]) => `${length} ${word}`);
  if (toMake > 0) parts.unshift(`${many(toMake, "recording")} to make`);
  if (numbers > 0) {
    const isLive = revision?.commit === null;
    const bound = revision === undefined ? "to bind" : isLive ? "pointing elsewhere" : "changed";
    parts.push(`${many(numbers, "phone number")} ${bound}`);
  }
  const unchanged = `${plan.unchanged} unchanged`;
  const counts = [parts.join(", "), unchanged].filter(Boolean).join("; ");
  const isSomething = parts.length > 0;
  if (revision !== undefined) {
    const since =
      revision.commit === null ? "compared with the service" : `since ${revisionName(revision)}`;
    return { what: `${isSomething ? "Changes" : "No changes"} ${since}`, counts };
  }
  const nothing = exitFor(matters) > 0 ? "Nothing is sent" : "Nothing to do";
  return { what: refused ? "Plan refused" : isSomething ? "Plan" : nothing, counts };
}

/** A revision as the user wrote it, with its commit. */
export function revisionName({ ref, commit }: Revision): string {
  if (commit === null) return "the service";
  const short = commit.slice(0, 7);
  return commit.startsWith(ref) ? short : `${ref} (${short})`;
}

function unmanagedLine({ list }: Plan): string | undefined {
  const count = list?.unmanaged.length ?? 0;
  if (count === 0) return undefined;
  return `${many(count, "menu")} on the service ${count === 1 ? "is" : "are"} not managed by ivrctl.`;
}

/** The diff of a payload, line by line. Empty if the payload does not change. */
export function wireDiff(change: Change, wire: Wire, style: Paint): string[] {
  const before = change.before?.menu;
  const after = change.pending?.menu ?? change.after;
  if (actions[change.action].keepsContent) return [];
  const text = (menu: Menu | undefined) =>
    menu === undefined ? "" : `${JSON.stringify(encode(menu, wire), null, 2)}\n`;
  const [was, is] = [text(before), text(after)];
  if (was === is) return [];
  return diffLines(was, is).flatMap(({ value, added, removed }) => {
    const [color, sign] = added
      ? (["green", "+"] as const)
      : removed
        ? (["red", "-"] as const)
        : (["dim", " "] as const);
    return value
      .trimEnd()
      .split("\n")
      .map((line) => style(color, `${sign} ${visible(line)}`));
  });
}

/** The problems that concern the changes, and a sentence about the others. */
export function problemsIn(report: PlanReport): Pick<Description, "problems" | "elsewhere"> {
  const near = concerningChanges(report);
  const left = report.changed ? report.diagnostics.length - near.length : 0;
  return {
    problems: grouped(near, report),
    elsewhere:
      left === 0 ? undefined : `${many(left, "more problem")} in menus that do not change.`,
  };
}

/**
 * The problems that matter for a plan: errors, and warnings in the lines that change. In a pull request, these
 * are all lines of the changed files. In a comparison of files, all problems matter.
 */
function concerningChanges({
  plan,
  kind,
  changed,
  diagnostics,
}: PlanReport): readonly Diagnostic[] {
  if (kind === "diff") return diagnostics;
  const changes = plan?.changes ?? [];
  const wholeFiles = changes.flatMap(({ file, lines }) => (lines ? [] : (file ?? [])));
  if (changed) {
    const menuFiles = changes.flatMap(({ file }) => file ?? []);
    const files = new Set([...changed, ...menuFiles, ...menuFiles.flatMap(folderDefaultsOf)]);
    return diagnostics.filter((diagnostic) => concerns(diagnostic, files));
  }
  const files = new Set([...wholeFiles, ...wholeFiles.flatMap(folderDefaultsOf)]);
  const lines = new Set(changes.flatMap((change) => Array.from(change.lines ?? [])));
  return diagnostics.filter(
    (one) =>
      one.severity === "error" ||
      isAbout(one, "state or plan", "settings or list") ||
      files.has(one.file) ||
      lines.has(`${one.file}:${one.line}`),
  );
}

/** Whether a problem matters for a change of these files. */
export function concerns(diagnostic: Diagnostic, files: ReadonlySet<string>): boolean {
  return (
    diagnostic.severity === "error" ||
    isAbout(diagnostic, "state or plan") ||
    !diagnostic.file.startsWith(`${menuFolder}/`) ||
    files.has(diagnostic.file)
  );
}

/** Equal problems as one: a warning with the names of its menus, an error with the other places. Errors come last. */
function grouped(diagnostics: readonly Diagnostic[], { plan }: PlanReport): Diagnostic[] {
  const names = new Map(plan?.changes.map(({ file, name }) => [file, name]));
  const alike = groupBy(diagnostics, (diagnostic) => {
    const { severity, code, message } = diagnostic;
    const isOwn = severity === "error" && !isAbout(diagnostic, "agent reference");
    if (isAbout(diagnostic, "renumbered key")) return code;
    return isOwn ? diagnostic : `${code} ${message}`;
  });
  const all = [...alike.values()].map(([first, ...more]): Diagnostic => {
    if (more.length === 0) return first;
    const { source: _, ...unframed } = first;
    const menus = new Set([first, ...more].flatMap(({ file }) => names.get(file) ?? []));
    if (isAbout(first, "renumbered key")) {
      const keys = `${many(more.length + 1, "key")} now go to different destinations`;
      const where = menus.size > 1 ? `, in ${menus.size} menus: ${listed([...menus])}` : "";
      return Object.assign({}, unframed, { message: `${keys}${where}.` });
    }
    if (first.severity !== "error" && menus.size > more.length) {
      const where = `In ${menus.size} menus: ${listed([...menus])}.`;
      return Object.assign({}, unframed, { message: `${first.message} ${where}` });
    }
    const places = listed(
      more.map(({ file, line }) => (line === undefined ? file : `${file}:${line}`)),
    );
    const others = `The same in ${many(more.length, "more place")}: ${places}.`;
    return Object.assign({}, first, { message: `${first.message} ${others}` });
  });
  return all.toSorted((a, b) => Number(a.severity === "error") - Number(b.severity === "error"));
}
