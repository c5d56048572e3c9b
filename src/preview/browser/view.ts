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
import { nameOfDestination } from "../../call/words.ts";
import type { PreviewData, PreviewMenu } from "../data.ts";

/** A menu that is open, and a call that begins in it. */
export interface View {
  readonly menu: PreviewMenu;
  /** The menu that the caller is in. Everything on the page is about it. */
  readonly inside: PreviewMenu;
  /** Undefined if errors prevent calls. */
  readonly call: Call | undefined;
  /** The same call at the revision that the page compares with, if the menu existed then. */
  readonly before: Call | undefined;
  /** The menu that the caller is in, at that revision. */
  readonly past: CallMenu | undefined;
  readonly around: Around;
}

/** The view of a menu after these keys; undefined if there is no such menu. */
export function viewOf(
  data: PreviewData,
  around: Around,
  key: string | undefined,
  presses: readonly Press[],
): View | undefined {
  const menu = data.menus.find((own) => own.key === key);
  if (menu === undefined) return undefined;
  // A menu without a change was the same.
  const past = data.base === null ? [] : data.menus;
  const pastMenus: CallMenus = new Map(
    past.map(({ key: now, call, change }) => [change?.from ?? now, change ? change.before : call]),
  );
  const pastOf = ({ key: now, change }: PreviewMenu) =>
    change?.kind === "deleted" ? undefined : pastMenus.get(change?.from ?? now);
  const call = callOf(menu.call, around.menus, presses);
  const inside = data.menus.find((own) => own.key === call?.menu.key) ?? menu;
  const before = callOf(pastOf(menu), pastMenus, presses);
  return { menu, inside, call, before, past: pastOf(inside), around };
}

function callOf(first: CallMenu | undefined, menus: CallMenus, presses: readonly Press[]) {
  return first && presses.reduce((call, key) => press(call, key, menus), begin(first));
}

/** The menus that calls can continue in, and which of them have errors. */
export function aroundOf({ menus }: PreviewData): Around {
  const faulty = menus.filter(({ problems }) =>
    problems.some(({ severity }) => severity === "error"),
  );
  return {
    menus: new Map(menus.map(({ key, call }) => [key, call])),
    faulty: new Set(faulty.map(({ key }) => key)),
  };
}

/** The menus that contain every word of a query. First comes the one with this name, then similar names. */
export function search(menus: readonly PreviewMenu[], query: string): PreviewMenu[] {
  const words = comparable(query).trim().split(/\s+/);
  const isIn = (...texts: readonly (string | undefined)[]) => {
    const text = comparable(texts.join("\n"));
    return words.every((word) => text.includes(word));
  };
  const found = menus.filter(({ key, name, owner, description, call }) => {
    const paths = (call ? pathsOf(call) : []).flatMap(({ for: purpose, destination }) => [
      purpose,
      nameOfDestination(destination),
      destination.kind === "agent" ? (destination.team ?? undefined) : undefined,
    ]);
    return isIn(key, name, owner, description, ...paths);
  });
  const rankOf = ({ key, name = "" }: PreviewMenu) => {
    const isName = [key, name].some((own) => comparable(own) === words.join(" "));
    return isName ? 0 : isIn(key, name) ? 1 : 2;
  };
  return found.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** The text in lower case and without accents, so that it can be found from any keyboard. */
function comparable(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036F]/g, "")
    .toLowerCase();
}

/** The fragment of the address that names a menu: `#/sales/india`. */
export function menuAddress(key: string): string {
  return `#/${key.split("/").map(encodeURIComponent).join("/")}`;
}

/** The key in a fragment; undefined if there is none. */
export function keyIn(hash: string): string | undefined {
  const path = /^#\/(.+)$/.exec(hash)?.[1];
  try {
    return path && decodeURIComponent(path);
  } catch {
    // A link that was cut in the middle of a character.
    return path;
  }
}
