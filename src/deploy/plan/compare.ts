import { normalName } from "../../compile/agents.ts";
import type { CompiledMenu, ResolvedMenu } from "../../compile/menu.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { MenuContent } from "../../schema/plan.ts";
import { contentOf } from "./naming.ts";

/** The menus of a revision. */
export interface PastMenus {
  readonly menus: readonly PastMenu[];
  /** Files with a menu key that cannot be read, so their menus are unknown. */
  readonly unreadableFiles: ReadonlySet<string>;
}

interface PastMenu {
  readonly key: string;
  readonly name: string;
  /** Null if the menu was invalid. */
  readonly content: MenuContent | null;
  readonly menu: ResolvedMenu;
}

interface About {
  readonly key: string;
  readonly name: string;
}

/** The change of a menu since a revision; `before` is null if the old menu was invalid. */
export type Compared =
  | (About & { readonly action: "create"; readonly after: MenuContent })
  | (About & {
      readonly action: "replace";
      readonly before: MenuContent | null;
      readonly after: MenuContent;
      readonly movedFrom: string | null;
    })
  | (About & {
      readonly action: "move";
      readonly before: MenuContent;
      readonly after: MenuContent;
      readonly movedFrom: string;
    })
  | (About & { readonly action: "forget"; readonly before: MenuContent | null });

/** The current files compared with those of a revision, without the state and the service. */
export interface Comparison {
  readonly environment: string;
  readonly revision: Revision;
  /** Every menu that is not unchanged, sorted by key. */
  readonly changes: readonly Compared[];
  readonly unchanged: number;
}

export interface Revision {
  /** As the user wrote it. */
  readonly ref: string;
  /** The full id of the commit. */
  readonly commit: string;
}

/** Compares menus with those of a revision. Warns about files that seem to have been renamed. */
export function compare(
  present: readonly CompiledMenu[],
  past: PastMenus,
  diagnostics: Diagnostics,
): Pick<Comparison, "changes" | "unchanged"> {
  const old = new Map(past.menus.map((menu) => [menu.key, menu]));
  const current = new Set(present.map(({ key }) => key));
  const moved = new Set<string>();
  const changes: Compared[] = [];
  for (const compiled of present) {
    const { key, menu } = compiled;
    const after = contentOf(compiled);
    const about = { key, name: after.payload.name };
    const own = old.get(key);
    const from = own === undefined && menu.movedFrom ? old.get(menu.movedFrom.value) : undefined;
    const before = own ?? from;
    if (from !== undefined) moved.add(from.key);
    if (before === undefined) {
      changes.push(
        past.unreadableFiles.has(menu.source.file)
          ? { action: "replace", ...about, before: null, after, movedFrom: null }
          : { action: "create", ...about, after },
      );
    } else if (before.content?.digest !== after.digest) {
      const movedFrom = from?.key ?? null;
      changes.push({ action: "replace", ...about, before: before.content, after, movedFrom });
    } else if (from !== undefined) {
      changes.push({
        action: "move",
        ...about,
        before: before.content,
        after,
        movedFrom: from.key,
      });
    }
  }
  const unchanged = present.length - changes.length;
  for (const { key, name, content } of old.values()) {
    if (current.has(key) || moved.has(key)) continue;
    changes.push({ action: "forget", key, name, before: content });
  }
  warnOfRenames(present, changes, diagnostics);
  changes.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { changes, unchanged };
}

/**
 * Warns about a new menu with the name of a deleted one. If the deleted one was applied,
 * `makePlan` refuses the new one (IVR609).
 */
function warnOfRenames(
  present: readonly CompiledMenu[],
  changes: readonly Compared[],
  diagnostics: Diagnostics,
): void {
  const gone = new Map(
    changes.flatMap(({ action, key, name }) =>
      action === "forget" ? [[normalName(name), key] as const] : [],
    ),
  );
  const created = new Set(changes.flatMap(({ action, key }) => (action === "create" ? key : [])));
  for (const { key, payload, menu } of present) {
    const old = created.has(key) ? gone.get(normalName(payload.name)) : undefined;
    if (old === undefined) continue;
    diagnostics.add(
      "IVR609",
      menu.name?.at ?? menu.top,
      `\`${key}\` has the same name as \`${old}\`, whose file is gone.`,
      `Add \`moved_from: ${old}\` if you renamed the file. Without it, plan refuses to create a second menu with this name.`,
      "warning",
    );
  }
}
