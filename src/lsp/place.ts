import { effectiveMenu } from "../compile/effective-menu.ts";
import type { LoadedProject } from "../compile/load-project.ts";
import type { MenuNode } from "../compile/menu.ts";
import { keyOf, readMenus } from "../compile/read-menus.ts";
import type { VarLayer } from "../compile/vars.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import type { Subject } from "../schema/json-schema.ts";
import type { Path } from "../schema/lookup.ts";
import { type Node, type ScalarNode, textField } from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";

/** A file of a project as the editor shows it. */
export interface OpenFile {
  readonly project: LoadedProject;
  readonly source: Source;
  readonly subject: Subject;
}

/** A scalar, and the way to it. */
export interface Found {
  readonly scalar: ScalarNode;
  /** Whether it is the key of a mapping. Then `path` and `nodes` lead to the value of the key. */
  readonly isKey: boolean;
  readonly path: Path;
  /** The root, and the node after each step of the path. */
  readonly nodes: readonly Node[];
}

/** The first scalar that matches, in the texts of one file. */
export function locate(
  roots: readonly Node[],
  matches: (scalar: ScalarNode) => boolean,
): Found | undefined {
  for (const root of roots) {
    const found = search(root, matches, [], []);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The scalar at an offset of a file. */
export function scalarAt(source: Source, offset: number): Found | undefined {
  return locate(rootsOf(source), ({ start, end }) => start <= offset && offset <= end);
}

/** The documents of a file, except those that cannot be read. */
export function rootsOf(source: Source): Node[] {
  const documents = readYaml(source, new Diagnostics(), { keepUnresolvedAliases: true });
  return documents.flatMap(({ root }) => root ?? []);
}

/** The menu at an offset of a file, with its defaults and variables. */
export function menuAt({ project, source, subject }: OpenFile, offset: number) {
  if (subject !== "menu") return undefined;
  const node = readMenus(source, new Diagnostics()).find((menu) => isIn(menu, offset));
  if (node === undefined) return undefined;
  const inherited = project.inherited.of(source.file);
  return { node, inherited, ...effectiveMenu(node, inherited, new Diagnostics()) };
}

/** The variables that a text at an offset can use, the most specific layer first. */
export function layersAt(file: OpenFile, offset: number): readonly VarLayer[] {
  const { project, source, subject } = file;
  if (subject !== "test") {
    return menuAt(file, offset)?.vars.layers ?? project.inherited.of(source.file).vars;
  }
  const root = rootsOf(source).find(({ start, end }) => start <= offset && offset <= end);
  const key = textField(root, "menu") ?? keyOf(source.file).replace(/\.test$/, "");
  return project.menus.find((menu) => menu.key === key)?.vars.layers ?? [];
}

function isIn({ top, end }: MenuNode, offset: number): boolean {
  return top.start <= offset && offset <= end;
}

function search(
  node: Node,
  matches: (scalar: ScalarNode) => boolean,
  path: Path,
  above: readonly Node[],
): Found | undefined {
  const nodes = [...above, node];
  if (node.kind === "scalar") {
    return matches(node) ? { scalar: node, isKey: false, path, nodes } : undefined;
  }
  const children =
    node.kind === "list"
      ? node.items.map((value, step) => ({ key: undefined, value, step }))
      : // A merged entry is in another mapping.
        node.entries
          .filter(({ merged }) => !merged)
          .map(({ key, value }) => ({ key, value, step: key.text }));
  for (const { key, value, step } of children) {
    if (key !== undefined && matches(key)) {
      return { scalar: key, isKey: true, path: [...path, step], nodes: [...nodes, value] };
    }
    const found = search(value, matches, [...path, step], nodes);
    if (found !== undefined) return found;
  }
  return undefined;
}
