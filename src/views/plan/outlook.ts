import {
  type Action,
  type Change,
  type DescribedPlan,
  actions,
  needsPerson,
  summaryOf,
} from "../../deploy/plan/plan.ts";
import { many } from "../../util/many.ts";
import { diffLines } from "diff";
import { type Paint, visible } from "../terminal.ts";
import type { Matter } from "./matter.ts";
import { followingLines, mattersIn } from "./matters.ts";
import { type Row, callerRows, foldersAbove } from "./rows.ts";

/** A revision of the files. */
export interface Revision {
  /** As the user wrote it. */
  readonly ref: string;
  /** The full id of the commit. */
  readonly commit: string;
}

/** A plan, or a comparison with a git revision. Both are shown in the same form. */
export interface Outlook {
  readonly plan: DescribedPlan;
  /** What the files are compared with. Absent for a plan. */
  readonly revision?: Revision | undefined;
  /** Whether the plan can be shown but not applied. */
  readonly refused: boolean;
  /** Whether another run is in progress, whose requests look like unknown outcomes. */
  readonly running: boolean;
  /** Whether apply shows it. The end of apply says how to go on. */
  readonly isApplied?: boolean;
}

/** Everything that is shown of a plan, in words. */
export interface Description {
  /** What changes for callers. */
  readonly rows: readonly Row[];
  /** What only follows from that. */
  readonly following: readonly string[];
  /** What needs manual action. */
  readonly matters: readonly Matter[];
  /** `Plan: 1 to create; 3 unchanged.` */
  readonly total: string;
}

/** Describes a plan. `isSingle` shows each menu on its own. */
export function describeOutlook(outlook: Outlook, isSingle = false): Description {
  const { plan, revision } = outlook;
  const sizes = new Map<string, number>();
  for (const folder of plan.keys.flatMap(foldersAbove)) {
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return {
    rows: callerRows(plan.changes, sizes, isSingle),
    following: followingLines(plan, revision === undefined),
    matters: revision === undefined ? mattersIn(plan, outlook) : [],
    total: totalOf(outlook),
  };
}

function totalOf(outlook: Outlook): string {
  const { something, counts } = countsOf(outlook);
  if (outlook.revision !== undefined) {
    return `${something ? "Changes" : "No changes"} since ${revisionName(outlook.revision)}: ${counts}.`;
  }
  const nothing = outlook.refused ? "Plan refused" : "Nothing to do";
  return `${something ? "Plan" : nothing}: ${counts}.`;
}

/** The number of changes of each kind: `1 to create, 2 to replace; 3 unchanged`. */
export function countsOf({ plan, revision }: Outlook): {
  readonly something: boolean;
  readonly counts: string;
} {
  const summary = summaryOf(plan);
  const words = revision === undefined ? planned : compared;
  const parts = actions.flatMap((action) => {
    const count = summary[action];
    return count === 0 ? [] : `${count} ${words[action] ?? action}`;
  });
  const unchanged = `${summary.unchanged} unchanged`;
  return parts.length === 0
    ? { something: false, counts: unchanged }
    : { something: true, counts: `${parts.join(", ")}; ${unchanged}` };
}

/** A revision as the user wrote it, with its commit. */
export function revisionName({ ref, commit }: Revision): string {
  const short = commit.slice(0, 7);
  return commit.startsWith(ref) ? short : `${ref} (${short})`;
}

const planned: Partial<Record<Action, string>> = {
  create: "to create",
  update: "to update",
  replace: "to replace",
  bind: "to bind",
  delete: "to delete",
  move: "to move",
  forget: "to forget",
  restore: "to restore",
  drift: "changed on the console",
  blocked: "held back",
};

const compared: Partial<Record<Action, string>> = {
  create: "new",
  update: "changed",
  delete: "deleted",
  move: "moved",
};

/** The menus of the service that are not on record. Undefined if there are none, or if it cannot list menus. */
export function unmanagedLine({ plan: { list } }: Outlook): string | undefined {
  const count = list?.unmanaged.length ?? 0;
  if (count === 0) return undefined;
  return `${many(count, "menu")} on the service ${count === 1 ? "is" : "are"} not managed by ivrctl.`;
}

/** Whether apply does something about a plan. */
export function isApplicable({ plan, refused }: Outlook): boolean {
  return !refused && plan.changes.some((change) => !needsPerson(change));
}

/** The diff of a payload, line by line. Empty if the payload does not change. */
export function wireDiff(change: Change, style: Paint): string[] {
  const before = change.before?.payload ?? null;
  const after = (change.pending ?? change.after)?.payload ?? null;
  if (withoutPayload.has(change.action)) return [];
  const text = (payload: object | null) =>
    payload === null ? "" : `${JSON.stringify(payload, null, 2)}\n`;
  const [was, is] = [text(before), text(after)];
  if (was === is) return [];
  return diffLines(was, is).flatMap(({ value, added, removed }) =>
    value
      .trimEnd()
      .split("\n")
      .map((line) => {
        const shown = visible(line);
        if (added) return style("green", `+ ${shown}`);
        return removed ? style("red", `- ${shown}`) : style("dim", `  ${shown}`);
      }),
  );
}

const withoutPayload: ReadonlySet<Action> = new Set(["move", "drift", "missing", "bind", "forget"]);
