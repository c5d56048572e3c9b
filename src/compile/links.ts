import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { menuKeyHelp } from "../schema/field-types.ts";
import { menuReference } from "../schema/wire.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import type { Hint } from "../util/suggest.ts";
import { type CompiledMenu, type Identity, type ResolvedMenu, menuLinks } from "./menu.ts";
import { keyFromPath } from "./read-menus.ts";

/** The keys of all menus, to check the menus that other menus link to. */
export class MenuKeys {
  readonly #keys: ReadonlySet<string>;
  /** The new key of each menu that has moved, by its old key. */
  readonly #moved: ReadonlyMap<string, string>;
  /** The keys of menus that only other environments have. */
  readonly #absent: ReadonlySet<string>;

  /** The menus of unreadable files are unknown, so the keys of those files count as known. */
  constructor(
    menus: readonly Identity[],
    absent: readonly Identity[],
    unreadable: readonly Source[],
  ) {
    this.#absent = new Set(absent.flatMap(({ key }) => key ?? []));
    const keys = menus.flatMap(({ key }) => key ?? []);
    this.#keys = new Set([...keys, ...unreadable.map(({ file }) => keyFromPath(file))]);
    this.#moved = new Map(
      menus.flatMap(({ key, movedFrom }) =>
        key === undefined || movedFrom === undefined ? [] : [[movedFrom.value, key]],
      ),
    );
  }

  /** Reports every menu that this menu links to and that does not exist. */
  check(menu: ResolvedMenu, diagnostics: Diagnostics): void {
    for (const { value: key, at } of menuLinks(menu)) {
      if (this.#keys.has(key)) continue;
      if (this.#absent.has(key)) {
        diagnostics.add(
          "IVR313",
          at,
          `The menu \`${key}\` is not in this environment.`,
          `Add the environment to \`environments:\` of \`${key}\`, or let this menu point elsewhere.`,
        );
        continue;
      }
      const message = `There is no menu with the key \`${shorten(key)}\`.`;
      diagnostics.add("IVR313", at, message, this.#help(key));
    }
  }

  #help(key: string): Hint {
    const moved = this.#moved.get(key);
    if (moved !== undefined) {
      return { words: `Write \`menu: ${moved}\`. The menu has moved there.`, instead: [moved] };
    }
    return didYouMean(nearest(key, this.#keys)) ?? menuKeyHelp;
  }
}

/** Warns about every link to a menu. Only the state has the id that the payload needs. */
export function reportLinks(menus: Iterable<CompiledMenu>, diagnostics: Diagnostics): void {
  for (const { menu } of menus) {
    for (const { value: key, at } of menuLinks(menu)) {
      diagnostics.add(
        "IVR618",
        at,
        `The payload has \`${menuReference(key)}\` here, because \`compile\` does not know the id of the menu.`,
        "Use `ivrctl plan` and `ivrctl apply`, which replace it by the id in the state.",
      );
    }
  }
}
