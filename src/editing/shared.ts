import { readMenus } from "../compile/read-menus.ts";
import { effectiveMenu } from "../compile/resolve-menu.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { canonicalKey } from "../project/options.ts";
import { writtenAt } from "../references/occurrences.ts";
import { destinationFieldNames } from "../schema/destination.ts";
import type { EditAnswer } from "../schema/edit-request.ts";
import { menuFields } from "../schema/fields.ts";
import { groupBy } from "../util/group-by.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import { type Node, entriesOf, entry, nodeAt } from "../yaml/node.ts";
import { layersWith } from "./at.ts";

/** A value of a menu, and where it is written. */
interface Use {
  readonly key: string;
  readonly path: string;
  readonly at: Span;
}

const usesByProject = new WeakMap<LoadedProject, ReturnType<typeof findUses>>();

function usesIn(project: LoadedProject) {
  const uses = usesByProject.get(project) ?? findUses(project);
  usesByProject.set(project, uses);
  return uses;
}

/** The values of each menu that other menus have from the same place, by key and path. */
export function sharedIn(project: LoadedProject): NonNullable<EditAnswer["shared"]> {
  const all = [...usesIn(project).values()].flatMap((group) => {
    const count = new Set(group.map(({ key }) => key)).size;
    if (count < 2) return [];
    return group.map(({ key, path, at: { source } }) => ({ key, path, file: source.file, count }));
  });
  return Object.fromEntries(
    Array.from(
      groupBy(all, ({ key }) => key),
      ([key, own]) => [
        key,
        Object.fromEntries(own.map(({ path, file, count }) => [path, { file, count }])),
      ],
    ),
  );
}

/** Where the value of a menu is written. The path `options` is the place of the keys that it has from defaults. */
export function writtenPlace(
  project: LoadedProject,
  key: string,
  path: string,
): string | undefined {
  for (const [place, uses] of usesIn(project)) {
    if (uses.some((use) => use.key === key && use.path === path)) return place;
  }
  return undefined;
}

/** The values of menus that are written at a place. */
export function usesAt(
  project: LoadedProject,
  place: string,
): readonly Pick<Use, "key" | "path">[] {
  return usesIn(project).get(place) ?? [];
}

function findUses(project: LoadedProject): ReadonlyMap<string, readonly Use[]> {
  const uses = project.menus.flatMap(({ key, source }) => {
    const node = readMenus(source, new Diagnostics()).find((menu) => menu.key === key);
    if (key === undefined || node === undefined) return [];
    const { root } = effectiveMenu(node, project.inherited.of(source.file), new Diagnostics());
    const [layer] = layersWith(project, source.file, ["options"]);
    const keys = entriesOf(nodeAt(root, ["options"])).map(
      ({ key: name, value }) => [`options.${canonicalKey(name.text)}`, value] as const,
    );
    const fields = fieldPaths.map((path) => [path, nodeAt(root, path.split("."))] as const);
    const values: (readonly [string, Node | undefined])[] = [
      ...keys,
      ...fields,
      ["options", entry(layer, "options")?.key],
    ];
    return values.flatMap(([path, value]) =>
      value === undefined ? [] : { key, path, at: originOf(value) },
    );
  });
  return groupBy(uses, ({ at }) => `${at.source.file} ${at.start}`);
}

/** The fields of a menu except its keys. */
const fieldPaths = menuFields.filter((path) => path !== "options");

/** Where a value is written: for a variable, where the variable is set. */
function originOf(node: Node): Span {
  if (node.kind === "scalar") return writtenAt(node) ?? node;
  const to = entriesOf(node).find(({ key }) => destinationFieldNames.has(key.text))?.value;
  return to?.kind === "scalar" ? (writtenAt(to) ?? to) : node;
}
