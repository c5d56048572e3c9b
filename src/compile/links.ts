import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { menuKeyHelp } from "../schema/common.ts";
import { destinationsIn, referencedMenu } from "../schema/wire.ts";
import { NameIndex, didYouMean, shorten } from "../util/nearest.ts";
import { type CompiledMenu, type Identity, type ResolvedMenu, destinationsOf } from "./menu.ts";
import { keyOf } from "./read-menus.ts";

/** The keys of all menus, to check the menus that other menus lead to. */
export class MenuKeys {
  readonly #keys: ReadonlySet<string>;
  /** The new key of each menu that has moved, by its old key. */
  readonly #moved: ReadonlyMap<string, string>;
  readonly #names: NameIndex;

  /** The menus of unreadable files are unknown, so the keys of those files count as known. */
  constructor(menus: readonly Identity[], unreadable: readonly Source[]) {
    const keys = menus.flatMap(({ key }) => key ?? []);
    this.#keys = new Set([...keys, ...unreadable.map(({ file }) => keyOf(file))]);
    this.#moved = new Map(
      menus.flatMap(({ key, movedFrom }) =>
        key === undefined || movedFrom === undefined ? [] : [[movedFrom.value, key]],
      ),
    );
    this.#names = new NameIndex(keys);
  }

  /** Reports every menu that this menu leads to and that does not exist. */
  check(menu: ResolvedMenu, diagnostics: Diagnostics): void {
    for (const destination of destinationsOf(menu)) {
      if (destination.kind !== "menu" || this.#keys.has(destination.key)) continue;
      const { key, span } = destination;
      const moved = this.#moved.get(key);
      diagnostics.add(
        "IVR313",
        span,
        `There is no menu with the key \`${shorten(key)}\`.`,
        moved === undefined
          ? (didYouMean(this.#names.nearest(key)) ?? menuKeyHelp)
          : `Write \`menu: ${moved}\`. The menu has moved there.`,
      );
    }
  }
}

/** Reports every menu that leads to a menu, because its payload has no id for that menu yet. */
export function reportLinks(menus: Iterable<CompiledMenu>, diagnostics: Diagnostics): void {
  for (const { menu, payload } of menus) {
    const target = destinationsIn(payload).map(referencedMenu).find(Boolean);
    if (target === undefined) continue;
    const link = destinationsOf(menu).find((to) => to.kind === "menu" && to.key === target);
    diagnostics.add(
      "IVR618",
      link?.span ?? menu.top,
      `This menu leads to the menu \`${target}\`, which cannot be planned yet.`,
      'Write `{ kind: ivr, id: "ID" }` with the id of that menu on the service.',
    );
  }
}
