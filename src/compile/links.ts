import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { menuKeyHelp } from "../schema/field-types.ts";
import { menuReference } from "../schema/wire.ts";
import { normalName } from "../project/agent-list.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { type CompiledMenu, type ResolvedMenu, menuLinks } from "./compiled-menu.ts";

/**
 * Returns a function that reports every menu that a menu links to and that does not exist. `others` are
 * keys of further menus, and `absent` are menus that only other environments have.
 */
export function linkChecker(
  menus: readonly ResolvedMenu[],
  others: readonly string[],
  absent: readonly ResolvedMenu[],
): (menu: ResolvedMenu, diagnostics: Diagnostics) => void {
  const keys = new Set([...menus.flatMap(({ key }) => key ?? []), ...others]);
  const keysElsewhere = new Set(absent.map(({ key }) => key));
  const keysByName = new Map(menus.map(({ name, key }) => [normalName(name?.value ?? ""), key]));
  const newKeys = new Map(menus.map(({ key, movedFrom }) => [movedFrom?.value, key]));
  return (menu, diagnostics) => {
    for (const { value: key, at } of menuLinks(menu)) {
      if (keys.has(key)) continue;
      if (keysElsewhere.has(key)) {
        diagnostics.add(
          "IVR313",
          at,
          `The menu \`${key}\` is not in this environment.`,
          `Add the environment to \`environments:\` of \`${key}\`, or let this menu point elsewhere.`,
        );
        continue;
      }
      const moved = newKeys.get(key);
      const named = keysByName.get(normalName(key));
      const meant = named === undefined ? nearest(key, keys) : [named];
      diagnostics.add(
        "IVR313",
        at,
        `There is no menu with the key \`${shorten(key)}\`.`,
        moved === undefined
          ? (didYouMean(meant) ?? menuKeyHelp)
          : { words: `Write \`menu: ${moved}\`. The menu has moved there.`, instead: [moved] },
      );
    }
  };
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
