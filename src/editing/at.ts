import type { MenuNode, ResolvedMenu } from "../compile/compiled-menu.ts";
import { readMenus } from "../compile/read-menus.ts";
import { effectiveMenu } from "../compile/resolve-menu.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { folderDefaultsName } from "../project/files.ts";
import { canonicalKey } from "../project/options.ts";
import { type Edit, EditProblem, textsAfter } from "../references/edits.ts";
import { rootsIn } from "../references/occurrences.ts";
import { References } from "../references/shortest-reference.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { type MapNode, type Node, entriesOf, nodeAt } from "../yaml/node.ts";
import type { Facts } from "./facts.ts";
import { textAfter } from "./put.ts";

/** New texts of files, by path. Undefined for a file that is deleted. */
export type Texts = ReadonlyMap<string, string | undefined>;

/** One way to write an intent. It throws an `EditProblem` if the files do not allow it. */
export type Way = () => Texts;

/** What must be true after an edit in each environment, and the ways to get there, the one that people would write first. */
export interface Task {
  readonly ways: readonly Way[];
  /** The facts that menus must have afterwards; undefined for a menu that must be gone. All others must keep theirs. */
  readonly wanted: (before: LoadedProject) => ReadonlyMap<string, Facts | undefined>;
  /** Whether a fact of a menu may change in any way. */
  readonly free?: (before: LoadedProject) => (menu: string, path: string) => boolean;
  /** Why it is not done, if the facts do not say so. */
  readonly missing?: (after: LoadedProject) => string | undefined;
}

/** A menu, and everything that says what it has. */
export interface At {
  readonly project: LoadedProject;
  readonly key: string;
  readonly menu: ResolvedMenu;
  readonly references: References;
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

/** The value of a menu at a path such as `options.*`, whatever the key is called in the file. */
export function valueAt(root: Node, path: string): Node | undefined {
  const [section = "", key, ...rest] = path.split(".");
  if (section !== "options" || key === undefined) return nodeAt(root, path.split("."));
  const options = entriesOf(nodeAt(root, ["options"]));
  return nodeAt(options.find((one) => canonicalKey(one.key.text) === key)?.value, rest);
}

/** New texts of the file of the menu. */
export function inMenu(at: At, editsOf: (root: MapNode) => readonly Edit[]): Texts {
  const { source } = at.menu;
  return new Map([[source.file, textAfter(source.text, placeIn(at), editsOf)]]);
}

export function byPath(edits: readonly Edit[]): Texts {
  return new Map(Array.from(textsAfter(edits), ([{ file }, text]) => [file, text]));
}

/** The mappings with defaults of a menu that have a value at a path, the nearest first. */
export function layersWith(
  { opened, environment }: LoadedProject,
  file: string,
  steps: readonly string[],
): MapNode[] {
  const folders = opened.folders
    .filter((one) => file.startsWith(one.file.slice(0, -folderDefaultsName.length)))
    .toSorted((a, b) => b.file.length - a.file.length)
    .flatMap(rootsIn);
  const inConfig = [["environments", environment?.name ?? "", "defaults"], ["defaults"]].flatMap(
    (path) => nodeAt(opened.config?.root, path) ?? [],
  );
  return [...folders, ...inConfig].filter(
    (root): root is MapNode => root.kind === "map" && nodeAt(root, steps) !== undefined,
  );
}

/** Edits the nearest file with defaults that has a value at a path. */
export function inLayer(
  { project, menu, effective }: At,
  steps: readonly string[],
  editsOf: (root: MapNode) => readonly Edit[],
): Texts {
  const [layer] = layersWith(project, menu.source.file, steps);
  if (layer === undefined) throw new EditProblem("No file has this value for all.", effective);
  return byPath(editsOf(layer));
}

/** The first error that was not there before, or less often. Its line or its file may be a different one. */
export function newError(
  before: readonly Diagnostic[],
  after: readonly Diagnostic[],
): Diagnostic | undefined {
  const wordsOf = ({ code, message }: Diagnostic) => `${code} ${message.replaceAll(/:\d+/g, "")}`;
  const left = new Map<string, number>();
  for (const words of before.map(wordsOf)) left.set(words, (left.get(words) ?? 0) + 1);
  return after.find((one) => {
    const words = wordsOf(one);
    const count = left.get(words) ?? 0;
    left.set(words, count - 1);
    return one.severity === "error" && count === 0;
  });
}
