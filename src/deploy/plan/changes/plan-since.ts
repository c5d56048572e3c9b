import type { CompiledProject } from "../../../workspace/compile-project.ts";
import { Diagnostics } from "../../../diagnostics/diagnostic.ts";
import type { Confirmed, MadeRecording } from "../../../schema/state.ts";
import { confirmed, recordRef } from "../../state/records.ts";
import { State, type StateView } from "../../state/state.ts";
import { lintChanges } from "./lint-changes.ts";
import { planFrom, wantedMenu } from "../plan-project.ts";
import type { Lists } from "../../listed/read-account.ts";
import type { Plan } from "../plan.ts";
import { groupBy } from "../../../util/group-by.ts";
import type { Renumbered } from "../decided.ts";
import {
  type Menu,
  type Recipe,
  recordingsIn,
  withIds,
  withRecordingIds,
} from "../../../model/menu.ts";
import { menuRef, nameIn, recordingRef } from "../../../schema/ref.ts";
import type { PlanLimits } from "../steps/step.ts";
import { Patterns } from "../../../util/patterns.ts";

/** A menu that the files are compared with: of a revision, or of the service. */
export interface ComparedMenu {
  readonly key: string;
  /** Null if the menu was invalid. */
  readonly content: Menu | null;
  /** Its id on the service. */
  readonly id?: string;
  /** Its phone numbers, if it is of a revision. */
  readonly numbers?: readonly string[];
}

interface Past {
  readonly menus: readonly ComparedMenu[];
  /** What the service lists, if the menus are from there. */
  readonly lists?: Lists;
  /** The recordings of the state that apply has made, if the menus are from the service. */
  readonly recordings?: readonly MadeRecording[];
}

/**
 * What changes since a revision, or compared with the service: a plan for a service that has these menus,
 * and can change and delete them.
 */
export function planSince(
  now: Pick<
    CompiledProject,
    "menus" | "compiled" | "blocked" | "linter" | "environment" | "agents"
  >,
  { menus: past, lists, recordings = [] }: Past,
  environment: string,
  diagnostics: Diagnostics,
): Plan {
  const menus = now.menus.flatMap((menu) => wantedMenu(menu, now, undefined) ?? []);
  const can: PlanLimits = {
    operations: new Set(["list", "update", "numbers", "delete"]),
    allowed: new Set(["delete"]),
    targets: new Patterns([]),
  };
  const wanted = menus.map((menu) => ({ ...menu, onChange: undefined }));
  const { agents } = now;
  const moved = new Map(menus.map(({ key, movedFrom = key }) => [movedFrom, key]));
  const renumbered = lists ? undefined : renumberedSince(past, now.menus, moved);
  const input = { environment, address: "", menus: wanted, lists: lists ?? {}, agents, can };
  // The problems of a plan are those of a service.
  const plan = planFrom(
    { ...input, wire: now.environment?.wire, state: stateWith(past, recordings), renumbered },
    new Diagnostics(),
  );
  for (const { ref, holds } of plan.steps) {
    const [gone] = holds.flatMap((hold) => (hold.why === "renamed" ? hold.of : []));
    const menu = menus.find(({ key }) => menuRef(key) === ref);
    if (gone === undefined || menu === undefined) continue;
    const [key, old] = [nameIn(ref), nameIn(gone)];
    diagnostics.add(
      "IVR609",
      menu.at("name"),
      `\`${key}\` has the same name as \`${old}\`, whose file is gone.`,
      `Add \`moved_from: ${old}\` if you renamed the file. Without it, plan refuses to create a second menu with this name.`,
      "warning",
    );
  }
  lintChanges(now.linter, now.compiled.values(), plan.changes, diagnostics);
  return plan;
}

/** The phone numbers that a different menu names, or none any more, by the menu that gets or loses them. */
function renumberedSince(
  past: readonly ComparedMenu[],
  menus: CompiledProject["menus"],
  moved: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly Renumbered[]> {
  const before = new Map(
    past.flatMap(({ key, numbers = [] }) =>
      numbers.map((number) => [number, moved.get(key) ?? key] as const),
    ),
  );
  const after = new Map(
    menus.flatMap(({ key = "", numbers }) => numbers.map(({ value }) => [value, key] as const)),
  );
  const all = [...new Set([...before.keys(), ...after.keys()])].map((number) => ({
    number,
    before: before.get(number) ?? null,
    after: after.get(number) ?? null,
  }));
  return groupBy(
    all.filter((one) => one.before !== one.after),
    (one) => one.after ?? one.before ?? "",
  );
}

/**
 * A state with these menus, as far as they were valid. The planner compares links by the ids of their
 * menus, and a revision has none. So each menu gets an id here, and a link stays the same as long as it
 * goes to the same menu. A planner for menus without ids would have to decide replacements a second time.
 */
function stateWith(
  menus: readonly ComparedMenu[],
  recordings: readonly MadeRecording[],
): StateView {
  const state = new State();
  for (const made of recordings) state.records.set(recordRef(made), made);
  for (const { key, content, id = idOf(key) } of menus) {
    if (content === null) continue;
    const current = recordOf(content, id);
    for (const made of recordingsIn(content)) {
      if (made.make) state.records.set(recordingRef(made.id), madeOf(made.id, made.make));
    }
    state.records.set(menuRef(key), { kind: "menu", key, current, pending: null });
  }
  return state;
}

const unknown = { evidence: null, by: "" };
const adopted = { how: "adopted", ...unknown } as const;

function recordOf(menu: Menu, id: string): Confirmed {
  const withAll = withRecordingIds(withIds(menu, idOf), recordingId);
  const record = confirmed({ menu: withAll }, "", adopted);
  return { ...record, identified: { id, how: "list", at: "", ...unknown } };
}

/** A recording that the revision has, too, so that it is not shown as one to make. */
function madeOf(key: string, make: Recipe): MadeRecording {
  const identified = { id: recordingId(key), how: "list", at: "", ...unknown } as const;
  const current = { created_at: "", settled: adopted, identified };
  return { kind: "recording", key, make, current, pending: null };
}

function recordingId(name: string): string {
  return `recording ${name}`;
}

/** It has a space, so it is never the id of a menu on a service. */
function idOf(key: string): string {
  return `menu ${key}`;
}
