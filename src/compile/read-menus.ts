import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Placed, type Source, type Span, fileAndLine } from "../diagnostics/source.ts";
import { instruction, keyPattern, keyRule } from "../schema/field-types.ts";
import { groupBy } from "../util/group-by.ts";
import { type MapNode, field } from "../yaml/node.ts";
import { readMappings } from "../yaml/read-yaml.ts";
import { normalName } from "../project/agent-list.ts";
import type { MenuNode, ResolvedMenu } from "./compiled-menu.ts";
import { keyFromPath } from "../project/files.ts";

interface ReadFile {
  readonly menus: readonly MenuNode[];
  readonly problems: Diagnostics;
}

/** The menus in texts of an editor, which reads nearly all of them again after every keystroke. */
const parsedFiles = new WeakMap<Source, ReadFile>();

/** The menus in a file, one for each document. */
export function readMenus(source: Source, diagnostics: Diagnostics): readonly MenuNode[] {
  const { menus, problems } = parsedFiles.get(source) ?? parseMenus(source);
  if (source.isReused) parsedFiles.set(source, { menus, problems });
  diagnostics.addAll(problems);
  return menus;
}

const help =
  "Write fields such as `name:` and `options:`, without a `-`, or delete the file. Separate several menus with `---`.";

function parseMenus(source: Source): ReadFile {
  const problems = new Diagnostics();
  const documents = readMappings(source, "menu", help, problems);
  const menus = documents.flatMap(({ root, end }) => {
    if (root === undefined) return [];
    const top = root.entries[0]?.key ?? source.span(root.start, root.start);
    const { key, keyAt } = keyIn(root, top, documents.length > 1, problems);
    return { root, source, top, end, key, keyAt };
  });
  return { menus, problems };
}

/** Reports keys and names that two menus share, and invalid values of `moved_from`. */
export function checkIdentities(menus: readonly ResolvedMenu[], diagnostics: Diagnostics): void {
  const keyed = menus.filter(({ key }) => key !== undefined);
  const caseless = ({ key = "" }: ResolvedMenu) => key.toLowerCase();
  for (const [{ key, keyAt }, earlier] of repeated(keyed, caseless)) {
    const place = fileAndLine(earlier.keyAt);
    diagnostics.addSecond(
      "IVR213",
      keyAt,
      earlier.keyAt,
      earlier.key === key
        ? `${place} already has the menu key \`${key}\`.`
        : `The menu keys \`${key}\` and \`${earlier.key}\` (${place}) differ only in case.`,
      "Give this menu a different key with `id:`, or rename its file.",
    );
  }
  const names = menus.flatMap(({ name }) => (name && name.value.trim() !== "" ? name : []));
  for (const [{ value, at }, earlier] of repeated(names, (name) => normalName(name.value))) {
    diagnostics.addSecond(
      "IVR213",
      at,
      earlier.at,
      `${fileAndLine(earlier.at)} already has the name \`${value}\`.`,
      "Choose a different name. The service identifies menus by their name only.",
    );
  }
  const moves = menus.flatMap(({ movedFrom }) => movedFrom ?? []);
  const byKey = new Map(keyed.map((menu) => [menu.key, menu]));
  const isGone = ({ value }: Placed<string>) => !byKey.has(value);
  for (const { value: from, at } of moves) {
    const old = byKey.get(from);
    if (old === undefined) continue;
    diagnostics.addSecond(
      "IVR216",
      at,
      old.keyAt,
      `The menu of \`moved_from: ${from}\` still exists (${fileAndLine(old.keyAt)}).`,
      "Delete that menu, or remove this `moved_from:`.",
    );
  }
  for (const [{ value: from, at }, earlier] of repeated(
    moves.filter(isGone),
    (move) => move.value,
  )) {
    diagnostics.addSecond(
      "IVR216",
      at,
      earlier.at,
      `${fileAndLine(earlier.at)} also has \`moved_from: ${from}\`.`,
      "Remove one of the two. Only one menu can take over the record.",
    );
  }
}

/** Each item whose key an earlier item has, with the first such item. */
function repeated<T>(items: readonly T[], keyOf: (item: T) => string): [item: T, first: T][] {
  const groups = groupBy(items, keyOf);
  return [...groups.values()].flatMap(([first, ...others]) =>
    others.map((item): [T, T] => [item, first]),
  );
}

function keyIn(root: MapNode, top: Span, oneOfSeveral: boolean, diagnostics: Diagnostics) {
  const id = field(root, "id");
  if (id?.kind === "scalar") {
    return { key: keyPattern.test(id.text) ? id.text : undefined, keyAt: id };
  }
  if (id !== undefined) return { key: undefined, keyAt: id };
  if (oneOfSeveral) {
    diagnostics.add(
      "IVR212",
      top,
      "This file has several menus, so each needs an `id:`.",
      "Add `id:` to this menu, or move it to its own file.",
    );
    return { key: undefined, keyAt: top };
  }
  const key = keyFromPath(top.source.file);
  if (keyPattern.test(key)) return { key, keyAt: top };
  diagnostics.add(
    "IVR212",
    top,
    `The path of this file is not a valid menu key: \`${key}\`.`,
    `Rename the file, or add an \`id:\`. ${instruction(keyRule)}`,
  );
  return { key: undefined, keyAt: top };
}

/** Reports a phone number that is used twice, at both places. */
export function checkNumbers(
  menus: readonly Pick<ResolvedMenu, "numbers">[],
  diagnostics: Diagnostics,
): void {
  const numbers = menus.flatMap((menu) => menu.numbers);
  for (const [second, first] of repeated(numbers, ({ value }) => value)) {
    for (const [{ value, at }, other] of [[first, second] as const, [second, first] as const]) {
      diagnostics.addSecond(
        "IVR221",
        at,
        other.at,
        `The phone number ${value} is also in ${fileAndLine(other.at)}.`,
        "Write it only once. A phone number points to one menu.",
      );
    }
  }
}
