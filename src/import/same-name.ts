import type { CompiledMenu } from "../compile/compiled-menu.ts";
import type { LiveMenus } from "../deploy/listed/live-menus.ts";
import type { PhoneNumber } from "../deploy/service/lists.ts";
import { type Menu, withIds } from "../model/menu.ts";

interface MenusById {
  readonly live: LiveMenus;
  readonly numbers: readonly PhoneNumber[];
  readonly compiled: readonly Pick<CompiledMenu, "key" | "content">[];
  /** The ids on record, by key. */
  readonly recorded: ReadonlyMap<string, string>;
}

/**
 * Finds which listed menu each file means, although several have its name: the one with the content of
 * the file or, if that fits several or none, the one that a phone number or a known menu leads to. Returns
 * ids by key, as far as only one menu fits.
 */
export function idsOfFiles({ live, numbers, compiled, recorded }: MenusById): Map<string, string> {
  const ids = new Map(recorded);
  const listed = new Map(live.menus.map((menu) => [menu.id, menu]));
  const hasContent = (id: string, menu: Menu) =>
    live.isSame(
      id,
      withIds(menu, (key) => ids.get(key)),
    );
  const candidates = ({ name }: Menu) => {
    const taken = new Set(ids.values());
    return live.named(name).filter((id) => !taken.has(id));
  };
  const withContent = (menu: Menu) => {
    const all = candidates(menu);
    return all.length === 1 ? all : all.filter((id) => hasContent(id, menu));
  };
  const reached = (menu: Menu) => {
    const all = withContent(menu).length > 0 ? withContent(menu) : candidates(menu);
    const recordedMenus = [...ids.values()].flatMap((id) => listed.get(id) ?? []);
    const targets = new Set([
      ...numbers.map(({ destination }) => destination && live.menuIn(destination)),
      ...recordedMenus.flatMap((one) => live.linksOf(one)),
    ]);
    return all.filter((id) => targets.has(id));
  };
  // A menu that is found can prove the menus that link to it, and those that it links to.
  for (const find of [withContent, reached]) {
    for (let before = -1; before < ids.size;) {
      before = ids.size;
      for (const { key, content } of compiled) {
        if (ids.has(key)) continue;
        const [id, ...others] = find(content);
        if (id !== undefined && others.length === 0) ids.set(key, id);
      }
    }
  }
  return ids;
}
