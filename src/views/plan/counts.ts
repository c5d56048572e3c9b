import type { Revision } from "../../deploy/plan/compare.ts";
import { type Action, actions, summaryOf } from "../../deploy/plan/plan.ts";
import { type AnyChange, type Outlook, contentOf } from "./parts.ts";

/** The number of changes of each kind: `1 to create, 2 to replace; 3 unchanged`. */
export function countsOf(outlook: Outlook): {
  readonly something: boolean;
  readonly counts: string;
} {
  const summary = summaryOf(contentOf(outlook));
  const parts = actions.flatMap((action) => {
    const count = summary[action];
    return count === 0 ? [] : `${count} ${counted[outlook.kind][action]}`;
  });
  const unchanged = `${summary.unchanged} unchanged`;
  return parts.length === 0
    ? { something: false, counts: unchanged }
    : { something: true, counts: `${parts.join(", ")}; ${unchanged}` };
}

/** The word for a change. A comparison changes nothing on the service, so it has its own words. */
export function actionWord({ action }: AnyChange, { kind }: Outlook): string {
  return kind === "plan" ? action : counted.diff[action];
}

/** The menus of a group: `12 menus, the same change in each`. */
export function groupWords({
  example,
  members,
}: {
  readonly example: AnyChange;
  readonly members: readonly AnyChange[];
}): string {
  const menus = `${members.length} menus`;
  if (example.action === "move") return menus;
  const hasBefore =
    example.action === "bind" ||
    example.action === "replace" ||
    example.action === "update" ||
    example.action === "drift" ||
    example.action === "restore" ||
    example.action === "waiting";
  return hasBefore && example.before !== null
    ? `${menus}, the same change in each`
    : `${menus} with the same content`;
}

/** A revision as the user wrote it, with its commit. */
export function revisionName({ ref, commit }: Revision): string {
  const short = commit.slice(0, 7);
  return commit.startsWith(ref) ? short : `${ref} (${short})`;
}

const counted: Readonly<Record<Outlook["kind"], Readonly<Record<Action, string>>>> = {
  plan: {
    create: "to create",
    update: "to update",
    replace: "to replace",
    bind: "to bind",
    delete: "to delete",
    move: "to move",
    forget: "to forget",
    restore: "to restore",
    waiting: "waiting",
    missing: "missing",
    drift: "changed on the console",
    unknown: "unknown",
  },
  diff: {
    create: "new",
    update: "changed",
    replace: "changed",
    bind: "changed",
    delete: "deleted",
    move: "moved",
    forget: "deleted",
    restore: "restored",
    waiting: "waiting",
    missing: "missing",
    drift: "changed on the console",
    unknown: "unknown",
  },
};
