import {
  type Around,
  type Call,
  type CallMenu,
  type CallMenus,
  type Press,
  begin,
  pathsOf,
  press,
} from "../../call/model.ts";
import { nameOfDestination } from "../../call/describe-call.ts";
import type { PreviewData, PreviewMenu } from "../data.ts";

/** The menus of the page, as calls need them. */
export interface Project extends Around {
  /** By the addresses of the menus. */
  readonly pages: ReadonlyMap<string, PreviewMenu>;
  /** The menus at the revision that the page compares with, by the keys that they had. */
  readonly past: CallMenus;
  /** Starts a call to the open menu, and presses these keys. */
  readonly start: (presses: readonly Press[]) => void;
}

export function projectOf({ menus }: PreviewData, start: Project["start"]): Project {
  const isFaulty = ({ findings }: PreviewMenu) => findings.some(({ kind }) => kind === "error");
  return {
    pages: new Map(menus.map((menu) => [menuAddress(menu.key), menu])),
    menus: new Map(menus.map(({ key, call }) => [key, call])),
    faulty: new Set(menus.filter(isFaulty).map(({ key }) => key)),
    // A menu without a change was the same.
    past: new Map(
      menus.map(({ key, call, change }) => [change?.from ?? key, change ? change.before : call]),
    ),
    start,
  };
}

/** The fragment of the address that names a menu: `#/sales/india`. */
export function menuAddress(key: string): string {
  return `#/${key.split("/").map(encodeURIComponent).join("/")}`;
}

/** A menu that is open. */
export interface View {
  readonly menu: PreviewMenu;
  /** The menu that the caller is in. Everything on the page is about it. */
  readonly inside: PreviewMenu;
  /** Undefined if errors prevent calls. */
  readonly calling: Calling | undefined;
}

/** A call that begins in a menu. */
export interface Calling {
  readonly call: Call;
  /** The same call at the revision that the page compares with, if the menu existed then. */
  readonly before: Call | undefined;
  /** The menu that the caller is in, at that revision. */
  readonly past: CallMenu | undefined;
  readonly around: Project;
}

/** The view of a menu after these keys. */
export function viewOf(around: Project, menu: PreviewMenu, presses: readonly Press[]): View {
  const pastOf = ({ key, change }: PreviewMenu) => around.past.get(change?.from ?? key);
  const callOf = (first: CallMenu | undefined, menus: CallMenus) =>
    first && presses.reduce((call, key) => press(call, key, menus), begin(first));
  const call = callOf(menu.call, around.menus);
  const inside = around.pages.get(menuAddress(call?.menu.key ?? "")) ?? menu;
  const before = callOf(pastOf(menu), around.past);
  return { menu, inside, calling: call && { call, before, past: pastOf(inside), around } };
}

/** The menus that contain every word of a query. Those with the words in their names come first, the shortest before. */
export function search(menus: readonly PreviewMenu[], query: string): PreviewMenu[] {
  const words = comparable(query).trim().split(/\s+/);
  const isIn = (...texts: readonly (string | null | undefined)[]) => {
    const text = comparable(texts.join("\n"));
    return words.every((word) => text.includes(word));
  };
  const found = menus.filter(({ key, name, owner, description, call }) => {
    const paths = (call ? pathsOf(call) : []).flatMap(({ for: purpose, destination }) => [
      purpose,
      nameOfDestination(destination),
      destination.kind === "agent" ? destination.team : undefined,
    ]);
    return isIn(key, name, owner, description, ...paths);
  });
  const rankOf = ({ key, name = key }: PreviewMenu) => (isIn(key, name) ? name.length : 1e6);
  return found.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** The text in lower case and without accents, so that it can be found from any keyboard. */
function comparable(text: string): string {
  const letters = text.normalize("NFKD").replace(/[\u0300-\u036F]/g, "");
  return letters.toLowerCase();
}
