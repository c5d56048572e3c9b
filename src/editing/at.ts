import type { MenuNode, ResolvedMenu } from "../compile/compiled-menu.ts";
import { readMenus } from "../compile/read-menus.ts";
import { effectiveMenu } from "../compile/resolve-menu.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Edit, EditProblem, textsAfter } from "../references/edits.ts";
import { References } from "../references/shortest-reference.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import type { MapNode } from "../yaml/node.ts";
import type { Facts } from "./facts.ts";
import { textAfter } from "./put.ts";

/** New texts of files, by path. */
export type Texts = ReadonlyMap<string, string>;

/** One way to write an intent. It throws an `EditProblem` if the files do not allow it. */
export type Way = () => Texts;

/** What must be true after an edit, and the ways to get there, the one that people would write first. */
export interface Task {
  readonly ways: readonly Way[];
  /** The facts that menus must have. All others must keep theirs, except those of `shared`. */
  readonly wanted: ReadonlyMap<string, Facts>;
  /** The menus that change too, because the person chose that. */
  readonly shared?: ReadonlySet<string>;
  /** Why it is not done, if the facts do not say so. */
  readonly missing?: (after: LoadedProject) => string | undefined;
}

/** A menu, and everything that says what it has. */
export interface At {
  readonly project: LoadedProject;
  readonly key: string;
  readonly menu: ResolvedMenu;
  readonly references: References;
  /** The menu as written. */
  readonly node: MenuNode;
  /** The menu with defaults and variables. Every value has its place. */
  readonly effective: MapNode;
}

export function menuAt(project: LoadedProject, key: string): At {
  const menu = project.menus.find((one) => one.key === key);
  const node = menu && readMenus(menu.source, new Diagnostics()).find((one) => one.key === key);
  if (menu === undefined || node === undefined) {
    throw new EditProblem(`There is no menu \`${key}\`.`, { file: "ivrs" });
  }
  const inherited = project.inherited.of(menu.source.file);
  const { root: effective } = effectiveMenu(node, inherited, new Diagnostics());
  return { project, key, menu, node, effective, references: referencesOf(project) };
}

function referencesOf({ agents, environment }: LoadedProject): References {
  if (agents === undefined) {
    const message = "Without an agent list, ivrctl cannot tell who can get calls.";
    throw new EditProblem(message, { file: "agents.lock.json" });
  }
  if (environment === undefined) {
    throw new EditProblem("ivrctl.yaml has no environment that can be used.", {
      file: "ivrctl.yaml",
    });
  }
  return new References(agents, environment);
}

export function placeIn({ key, menu }: At) {
  return { file: menu.source.file, key };
}

/** New texts of the file of the menu. */
export function inMenu(at: At, editsOf: (root: MapNode) => readonly Edit[]): Texts {
  const { source } = at.menu;
  return new Map([[source.file, textAfter(source.text, placeIn(at), editsOf)]]);
}

export function byPath(edits: readonly Edit[]): Texts {
  return new Map(Array.from(textsAfter(edits), ([{ file }, text]) => [file, text]));
}
