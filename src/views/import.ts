import type { Result } from "../cli/result.ts";
import { type Page, visible } from "./terminal.ts";

export interface ImportedMenu {
  /** Where it was written; null if it is printed. */
  readonly file: string | null;
  readonly key: string;
  readonly text: string;
  readonly unnamed: readonly {
    readonly field: string;
    readonly reason: string;
  }[];
}

/** What was written, which ids have no name, and what to do next. */
export function importedResult(menus: readonly ImportedMenu[]): Omit<Result, "exit"> {
  return {
    data: menus.map(({ file, text }) => (file === null ? text : "")).join(""),
    text: ({ path }) =>
      menus.map(({ file }) => (file === null ? "" : `${visible(path(file))}\n`)).join(""),
    notes: (page) => menus.map((menu) => unnamedIn(menu, page)).join(""),
    next: (page) => next(menus, page),
  };
}

function unnamedIn({ file, key, unnamed }: ImportedMenu, { path }: Page): string {
  if (unnamed.length === 0) return "";
  const lines = unnamed.map(({ field, reason }) => `  ${visible(field)}: ${visible(reason)}\n`);
  return `Written as ids in ${visible(file === null ? key : path(file))}, because no name was found:\n${lines.join("")}`;
}

function next(menus: readonly ImportedMenu[], { path, command }: Page): string {
  const own = menus.filter(({ file }) => file?.startsWith("ivrs/"));
  const [first] = own;
  if (first === undefined) return "";
  const paths = own.length === 1 ? [path(first.file ?? "")] : [];
  const key = own.length === 1 ? first.key : "KEY";
  return `Next, check the menu${own.length === 1 ? "" : "s"}:
  ${command(["validate", ...paths])}
If ${own.length === 1 ? "the menu" : "a menu"} already exists on the service, record it:
  ${command(["state", "resolve", key, "--created"])}
`;
}
