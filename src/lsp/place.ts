import { effectiveMenu } from "../compile/resolve-menu.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { readMenus } from "../compile/read-menus.ts";
import { Vars } from "../project/vars.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { rootsIn } from "../references/occurrences.ts";
import type { SchemaSubject } from "../workspace/file-schemas.ts";
import { type Node, type Path, type ScalarNode, textField } from "../yaml/node.ts";
import type { FileUri } from "./convert.ts";
import { keyFromPath } from "../project/files.ts";

/** A file of a project as the editor shows it. */
export interface OpenFile {
  readonly project: LoadedProject;
  readonly source: Source;
  readonly subject: SchemaSubject;
  readonly uriOf: FileUri;
}

/** A scalar, and the way to it. */
export interface FoundScalar {
  readonly scalar: ScalarNode;
  /** Whether it is the key of a mapping. Then `path` is that of the value of the key. */
  readonly isKey: boolean;
  readonly path: Path;
  readonly root: Node;
}

export function locate(
  source: Source,
  matches: (scalar: ScalarNode) => boolean,
): FoundScalar | undefined {
  const all = rootsIn(source).flatMap((root) => scalarsBelow(root, root, []));
  return all.find(({ scalar }) => matches(scalar));
}

export function scalarAt(source: Source, offset: number): FoundScalar | undefined {
  return locate(source, ({ start, end }) => start <= offset && offset <= end);
}

/** The menu at an offset of a file, with its defaults and variables. */
export function menuAt({ project, source, subject }: OpenFile, offset: number) {
  if (subject !== "menu") return undefined;
  const node = readMenus(source, new Diagnostics()).find(
    ({ top, end }) => top.start <= offset && offset <= end,
  );
  if (node === undefined) return undefined;
  const inherited = project.inherited.of(source.file);
  return { node, inherited, ...effectiveMenu(node, inherited, new Diagnostics()) };
}

/** The variables that a text at an offset can use. Outside of menus, only some are known. */
export function varsAt(file: OpenFile, offset: number): Vars | undefined {
  const { project, source, subject } = file;
  if (subject !== "test") {
    return menuAt(file, offset)?.vars ?? new Vars(project.inherited.of(source.file).vars, false);
  }
  const root = rootsIn(source).find(({ start, end }) => start <= offset && offset <= end);
  const key = textField(root, "menu") ?? keyFromPath(source.file).replace(/\.test$/, "");
  return project.menus.find((menu) => menu.key === key)?.vars;
}

/** The keys and values of a tree, in the order of the text. */
function scalarsBelow(root: Node, node: Node, path: Path): FoundScalar[] {
  if (node.kind === "scalar") return [{ scalar: node, isKey: false, path, root }];
  if (node.kind === "list") {
    return node.items.flatMap((item, step) => scalarsBelow(root, item, [...path, step]));
  }
  return node.entries.flatMap(({ key, value, merged }) => {
    // A merged entry is in another mapping.
    if (merged) return [];
    const inner = [...path, key.text];
    return [{ scalar: key, isKey: true, path: inner, root }, ...scalarsBelow(root, value, inner)];
  });
}
