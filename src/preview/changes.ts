import { toCallMenu } from "../call/menu.ts";
import type { PastMenus } from "../deploy/plan/past-menus.ts";
import type { Change } from "../deploy/plan/changes.ts";
import type { Plan } from "../deploy/plan/plan.ts";
import { describe } from "../views/plan/describe.ts";
import type { PreviewBase, PreviewChange, PreviewMenu } from "./data.ts";

/** The revision that the page compares with, and what changes since then. */
export interface Comparison {
  readonly name: string;
  readonly past: PastMenus;
  readonly plan: Plan;
}

interface Changes {
  readonly base: PreviewBase | null;
  /** The changed menus, by key. */
  readonly changes: ReadonlyMap<string, PreviewChange>;
  /** The menus that have no file any more. */
  readonly deleted: readonly PreviewMenu[];
}

/** The comparison as the page shows it, in the same words as `diff` and `plan`. */
export function changesIn(comparison: Comparison | undefined): Changes {
  if (comparison === undefined) return { base: null, changes: new Map(), deleted: [] };
  const { name, past, plan } = comparison;
  const lines = new Map(rowsOf(plan, true).map((row) => [row.keys[0], row.lines]));
  const changes = new Map(
    plan.changes.map((change) => {
      const { key, movedFrom = key } = change;
      return [key, { kind: kindOf(change), from: movedFrom, lines: lines.get(key) ?? [] }] as const;
    }),
  );
  return {
    base: {
      name,
      menus: past.menus.flatMap(({ menu }) => toCallMenu(menu) ?? []),
      rows: rowsOf(plan),
    },
    changes,
    deleted: past.menus.flatMap(({ key, name, menu }): PreviewMenu[] => {
      const [change, call] = [changes.get(key), toCallMenu(menu)];
      if (change?.kind !== "deleted") return [];
      const found = { tests: [], broken: [], problems: [] };
      return [{ key, name, file: menu.source.file, change, ...(call && { call }), ...found }];
    }),
  };
}

function kindOf({ action, before }: Change): PreviewChange["kind"] {
  if (action === "delete") return "deleted";
  if (action === "move") return "moved";
  return before === undefined ? "new" : "changed";
}

function rowsOf(plan: Plan, isSingle = false): PreviewBase["rows"] {
  const shown = { plan, revision: { ref: "", commit: "" }, environment: null, diagnostics: [] };
  return describe(shown, isSingle).rows.map(({ changes, subject, lines }) => ({
    keys: changes.map(({ key }) => key),
    subject,
    lines: lines.map(({ text, mark }) => (mark === undefined ? text : `${text} (${mark})`)),
  }));
}
