import { callMenuOf } from "../call/menu.ts";
import type { CompiledMenu, ResolvedMenu } from "../compile/menu.ts";
import type { PastMenus } from "../deploy/plan/past-menus.ts";
import { differences } from "../deploy/plan/digest.ts";
import { contentOf } from "../deploy/plan/naming.ts";
import { describeDifferences } from "../views/plan/words.ts";
import type { PreviewBase, PreviewChange, PreviewMenu } from "./data.ts";

/** The menus of the revision that the page compares with. */
export interface Past extends PastMenus {
  readonly name: string;
}

type PastMenu = PastMenus["menus"][number];

/** Compares the menus of a project with those of a revision, as far as both can be read. */
export class Changes {
  readonly base: PreviewBase | null;
  readonly #compiled: ReadonlyMap<ResolvedMenu, CompiledMenu>;
  /** The menus of the revision that no current menu stands for so far. */
  readonly #left: Map<string, PastMenu>;

  constructor(past: Past | undefined, compiled: ReadonlyMap<ResolvedMenu, CompiledMenu>) {
    const menus = past?.menus ?? [];
    const calls = menus.flatMap(({ menu }) => callMenuOf(menu) ?? []);
    this.base = past === undefined ? null : { name: past.name, menus: calls };
    this.#compiled = compiled;
    this.#left = new Map(menus.map((menu) => [menu.key, menu]));
  }

  /** How a menu has changed; undefined if it has not. */
  changeOf(menu: ResolvedMenu): PreviewChange | undefined {
    const { key, movedFrom } = menu;
    if (this.base === null || key === undefined) return undefined;
    const old = this.#left.get(key) ?? this.#left.get(movedFrom?.value ?? key);
    if (old === undefined) return { kind: "new", from: key, others: [] };
    this.#left.delete(old.key);
    const compiled = this.#compiled.get(menu);
    const [was, is] = [old.content, compiled && contentOf(compiled)];
    const found = was && is ? differences(was.payload, is.payload) : [];
    const [before, now] = [old.menu, menu].map((own) =>
      JSON.stringify({ ...callMenuOf(own), key: "" }),
    );
    if (before === now && found.length === 0) {
      return old.key === key ? undefined : { kind: "moved", from: old.key, others: [] };
    }
    const beside = found.filter(({ field }) => besideCalls.test(field));
    const others = was && is ? describeDifferences(beside, was, is) : [];
    return { kind: "changed", from: old.key, others };
  }

  /** The menus that no current menu stands for. Call it after `changeOf` for all menus. */
  deleted(): PreviewMenu[] {
    return [...this.#left.values()].map(({ key, name, menu }) => ({
      key,
      name,
      file: menu.source.file,
      change: { kind: "deleted", from: key, others: [] },
      tests: [],
      broken: [],
      problems: [],
    }));
  }
}

/** The fields of a payload that a simulated call does not show. */
const besideCalls = /^(?:name|description|sms_template\..*|timeout_retries|recording_invalid)$/s;
