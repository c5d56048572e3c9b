import { type Around, type Call, type CallMenus, begin, press } from "../../call/model.ts";
import { reachedFrom } from "../../call/reached.ts";
import { textsBefore } from "../../model/menu-diff.ts";
import type { PreviewData, PreviewMenu } from "../data.ts";
import type { CallMenu, Press } from "../../model/call-menu.ts";

/** The menus of the page, as calls need them. */
export interface PageProject extends Around, Pick<PreviewData, "people"> {
  /** By their keys. */
  readonly pages: ReadonlyMap<string, PreviewMenu>;
  /** The menus at the revision that the page compares with, by the keys that they had. */
  readonly past: CallMenus;
  /** What recordings say until a person records them again, by their ids. */
  readonly again: ReadonlyMap<string, string>;
  /** Starts a call to the open menu, and presses these keys. */
  readonly start: (presses: readonly Press[]) => void;
}

export function projectOf(
  { menus, people }: PreviewData,
  start: PageProject["start"],
): PageProject {
  const isFaulty = ({ findings }: PreviewMenu) => findings.some(({ kind }) => kind === "error");
  const texts = menus.flatMap(({ call, change }) =>
    call && change?.before ? textsBefore(change.before, call) : [],
  );
  return {
    pages: new Map(menus.map((menu) => [menu.key, menu])),
    menus: new Map(menus.map(({ key, call, isStale }) => [key, isStale ? undefined : call])),
    faulty: new Set(menus.filter(isFaulty).map(({ key }) => key)),
    past: new Map(menus.map((menu) => [pastOf(menu)?.key ?? menu.key, pastOf(menu)])),
    people,
    again: new Map(texts),
    start,
  };
}

/** A menu at the revision that the page compares with. One without a change was the same. */
function pastOf({ change, call }: PreviewMenu): CallMenu | undefined {
  return change ? change.before : call;
}

/** The fragment of the address that names a menu: `#/sales/india`. */
export function menuAddress(key: string): string {
  return `#/${key.split("/").map(encodeURIComponent).join("/")}`;
}

/** A menu that is open. */
export interface OpenMenu {
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
  readonly around: PageProject;
}

/** The view of a menu after these keys. */
export function viewOf(
  around: PageProject,
  menu: PreviewMenu,
  presses: readonly Press[],
): OpenMenu {
  const callOf = (first: CallMenu | undefined, menus: CallMenus) =>
    first && presses.reduce((call, key) => press(call, key, menus), begin(first));
  const call = callOf(menu.call, around.menus);
  const inside = around.pages.get(call?.menu.key ?? "") ?? menu;
  const before = callOf(pastOf(menu), around.past);
  return { menu, inside, calling: call && { call, before, past: pastOf(inside), around } };
}

/** All menus in which a call that begins in a menu can continue. */
export function flowFrom(first: PreviewMenu, { pages }: PageProject): PreviewMenu[] {
  return reachedFrom(first, (key) => pages.get(key));
}

export const { compare: compareNames } = new Intl.Collator("en", { numeric: true });

/** The menus with phone numbers, then the others, by name: `town 2` before `town 17`. */
export function byNumberAndName(menus: readonly PreviewMenu[]): PreviewMenu[] {
  const isUncalled = ({ numbers }: PreviewMenu) => Number(numbers.length === 0);
  return menus.toSorted((a, b) => isUncalled(a) - isUncalled(b) || compareNames(a.name, b.name));
}
