import type { Observed } from "./observed.ts";
import type { Destination, Menu } from "../../model/menu.ts";
import { isSameMenu } from "../../model/menu-diff.ts";
import { groupBy } from "../../util/group-by.ts";
import {
  type ContentDestination,
  type LiveMenu,
  type ReadSettings,
  destinationIn,
  liveDestination,
  webhookKeys,
} from "../service/live-menu.ts";
import type { UnreadableRecord } from "../service/lists.ts";
import { type Names, decodeListed } from "../service/decode-payload.ts";

/** The menus that the service listed at one time. */
export class LiveMenus {
  readonly at: string;
  readonly count: number;
  /** The menus that ivrctl understands, and the records that it does not. */
  readonly menus: readonly LiveMenu[];
  readonly unreadable: readonly UnreadableRecord[];
  readonly #settings: ReadSettings;
  readonly #byId: ReadonlyMap<string, LiveMenu>;
  readonly #problems: ReadonlyMap<string | null, string>;
  readonly #byName: ReadonlyMap<string | null, readonly { readonly id: string | null }[]>;
  /** Whether a record without an id or name could be any menu. */
  readonly #hasNameless: boolean;

  constructor(
    menus: readonly LiveMenu[],
    unreadable: readonly UnreadableRecord[],
    settings: ReadSettings,
    at: string,
  ) {
    this.at = at;
    this.count = menus.length + unreadable.length;
    this.menus = menus;
    this.unreadable = unreadable;
    this.#settings = settings;
    this.#hasNameless = unreadable.some(({ id, name }) => id === null || name === null);
    this.#byId = new Map(menus.map((menu) => [menu.id, menu]));
    this.#problems = new Map(unreadable.map(({ id, problem }) => [id, problem]));
    this.#byName = groupBy([...menus, ...unreadable], ({ name }) => name);
  }

  /** The ids of all menus with this name. */
  named(name: string): readonly string[] {
    return (this.#byName.get(name) ?? []).flatMap(({ id }) => id ?? []);
  }

  /** The ids of the menus with this name that are not among the recorded ones. Null for a record without an id. */
  namesakes(name: string, onRecord: ReadonlySet<string>): readonly (string | null)[] {
    const all = (this.#byName.get(name) ?? []).map(({ id }) => id);
    return all.filter((id) => id === null || !onRecord.has(id));
  }

  has(id: string): boolean {
    return this.#byId.has(id) || this.#problems.has(id);
  }

  /** Whether the list surely does not have a menu with this id. */
  isAbsent(id: string): boolean {
    return !this.has(id) && !this.#hasNameless;
  }

  /** Whether the list has an unreadable record that could be any menu. */
  get isUncertain(): boolean {
    return this.#hasNameless;
  }

  /** What the list says about the menu with this id, to which this content was applied. */
  see(id: string, applied: Menu, names?: Names): Observed {
    const menu = this.#byId.get(id);
    if (menu === undefined) {
      const problem = this.#problems.get(id) ?? (this.#hasNameless ? missingIdOrName : undefined);
      return problem === undefined ? { kind: "absent" } : { kind: "unreadable", problem };
    }
    const content = { menu: decodeListed(menu, applied, this.#settings, names) };
    return { kind: "seen", content, id, webhooks: webhookKeys(menu) };
  }

  /** The ids of the menus that a menu links to, or may link to: the list can have unknown names for kinds. */
  linksOf({ options, destinations }: LiveMenu): string[] {
    const all = [...options.map(({ destination }) => destination), ...Object.values(destinations)];
    return all.map((read) => liveDestination(read, this.#settings)).flatMap(menuId);
  }

  /** The id of the menu that a phone number points to, or may point to. */
  menuIn(destination: Destination): string | undefined {
    return menuId(destinationIn(destination, this.#settings))[0];
  }

  /** Whether the menu with this id has exactly this content, as far as the list shows it. */
  isSame(id: string, menu: Menu): boolean {
    const listed = this.#byId.get(id);
    return listed !== undefined && isSameMenu(decodeListed(listed, menu, this.#settings), menu);
  }
}

function menuId({ kind, id, isKindUncertain }: ContentDestination): string[] {
  return kind === "ivr" || isKindUncertain ? [id] : [];
}

const missingIdOrName = "a record of the list has no id or no name";
