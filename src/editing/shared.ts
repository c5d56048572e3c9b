import { readMenus } from "../compile/read-menus.ts";
import { effectiveMenu } from "../compile/resolve-menu.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { writtenAt } from "../references/occurrences.ts";
import { destinationFieldNames } from "../schema/destination.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { canonicalKey } from "../project/options.ts";
import { groupBy } from "../util/group-by.ts";
import { type Node, entriesOf, nodeAt } from "../yaml/node.ts";

/** A value that several menus have from the same place. */
interface Shared {
  /** The file that has it: `ivrs/towns/_defaults.yaml`. */
  readonly file: string;
  /** The menus that have it, also the one that was asked about. */
  readonly menus: readonly string[];
}

const known = new WeakMap<LoadedProject, ReadonlyMap<string, ReadonlyMap<string, Shared>>>();

/** The values of each menu that other menus have from the same place, by key and path. */
export function sharedIn(project: LoadedProject): ReadonlyMap<string, ReadonlyMap<string, Shared>> {
  const found = known.get(project) ?? findShared(project);
  known.set(project, found);
  return found;
}

/** The menus that have a value from the same place as this one. */
export function menusSharing(project: LoadedProject, key: string, path: string): readonly string[] {
  return sharedIn(project).get(key)?.get(path)?.menus ?? [key];
}

function findShared(project: LoadedProject) {
  const uses = project.menus.flatMap(({ key, source }) => {
    const node = readMenus(source, new Diagnostics()).find((menu) => menu.key === key);
    if (key === undefined || node === undefined) return [];
    const { root } = effectiveMenu(node, project.inherited.of(source.file), new Diagnostics());
    const options = entriesOf(nodeAt(root, ["options"]));
    const values: [string, Node | undefined][] = options.map(({ key: name, value }) => [
      `options.${canonicalKey(name.text)}`,
      value,
    ]);
    const others = shownPaths.map((path): [string, Node | undefined] => [
      path,
      nodeAt(root, path.split(".")),
    ]);
    return [...values, ...others].flatMap(([path, value]) =>
      value === undefined ? [] : { key, path, at: originOf(value) },
    );
  });
  const groups = groupBy(uses, ({ at }) => `${at.source.file} ${at.start}`);
  const all = new Map<string, Map<string, Shared>>();
  for (const group of groups.values()) {
    const menus = [...new Set(group.map(({ key }) => key))];
    if (menus.length < 2) continue;
    for (const { key, path, at } of group) {
      const own = all.get(key) ?? new Map<string, Shared>();
      all.set(key, own.set(path, { file: at.source.file, menus }));
    }
  }
  return all;
}

const shownPaths = [
  "name",
  "description",
  "invalid.destination",
  "invalid.retries",
  "timeout.destination",
  "timeout.retries",
  "timeout.wait",
];

/** Where a value is written: for a variable, where the variable is set. */
function originOf(node: Node): Span {
  if (node.kind === "scalar") return writtenAt(node) ?? node;
  const to = entriesOf(node).find(({ key }) => destinationFieldNames.has(key.text))?.value;
  return to?.kind === "scalar" ? (writtenAt(to) ?? to) : node;
}
