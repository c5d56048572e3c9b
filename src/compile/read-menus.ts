import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Placed, Source, Span } from "../diagnostics/source.ts";
import { keyPattern, keyRule } from "../schema/common.ts";
import { type MapNode, field } from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import { normalName } from "./agents.ts";
import type { Identity, MenuNode } from "./menu.ts";

/** The menus in a file, one for each document. */
export function readMenus(source: Source, diagnostics: Diagnostics): MenuNode[] {
  const found = new Diagnostics();
  const documents = readYaml(source, found, { keepUnresolvedAliases: true }).filter(
    ({ root, broken }) => root ?? broken,
  );
  if (documents.length === 0) {
    found.add(
      "IVR105",
      source.top(),
      "This file holds no menu.",
      "Write one, or remove the file. A menu starts with `name:`.",
    );
  }
  const menus: Omit<MenuNode, "readable">[] = [];
  for (const { root, end } of documents) {
    if (root?.kind === "map") {
      const top = root.entries[0]?.key ?? source.span(root.start, root.start);
      const identity = identify(root, top, documents.length > 1, found);
      menus.push({ root, source, top, end, ...identity });
    } else if (root !== undefined) {
      found.add(
        "IVR106",
        root,
        `A ${root.kind === "list" ? "list" : "bare text"} stands where a menu should be.`,
        "A menu is a mapping: `name:`, `description:`, `options:` and so on.",
      );
    }
  }
  diagnostics.addAll(found);
  return menus.map((menu) => Object.assign(menu, { readable: !found.hasErrors }));
}

/** The key that a menu gets from its file: the path under ivrs/ without `.yaml`, or elsewhere the name. */
export function keyOf(file: string): string {
  const inside = file.startsWith("ivrs/") ? file.slice("ivrs/".length) : file.replace(/^.*\//, "");
  return inside.replace(/\.yaml$/, "");
}

/** Reports keys and names that two menus share, and `moved_from` keys that are taken or claimed twice. */
export function checkIdentities(menus: readonly Identity[], diagnostics: Diagnostics): void {
  const keys = new Map<string, Identity>();
  for (const menu of menus) {
    if (menu.key === undefined) continue;
    const earlier = keys.get(menu.key.toLowerCase());
    if (earlier === undefined) keys.set(menu.key.toLowerCase(), menu);
    else {
      diagnostics.add(
        "IVR213",
        menu.keyAt,
        earlier.key === menu.key
          ? `The key \`${menu.key}\` belongs to ${place(earlier.keyAt)} already.`
          : `The key \`${menu.key}\` differs from \`${earlier.key}\` (${place(earlier.keyAt)}) in case alone.`,
        "A key is a menu's address for life: give this one another `id:`.",
      );
    }
  }
  checkNames(menus, diagnostics);
  checkMoves(menus, keys, diagnostics);
}

function identify(
  root: MapNode,
  top: Span,
  oneOfSeveral: boolean,
  diagnostics: Diagnostics,
): Identity {
  return {
    ...keyIn(root, top, oneOfSeveral, diagnostics),
    name: textIn(root, "name"),
    movedFrom: textIn(root, "moved_from"),
  };
}

function keyIn(root: MapNode, top: Span, oneOfSeveral: boolean, diagnostics: Diagnostics) {
  const id = field(root, "id");
  if (id?.kind === "scalar") {
    return { key: keyPattern.test(id.text) ? id.text : undefined, keyAt: id };
  }
  if (id !== undefined) return { key: undefined, keyAt: id };
  if (oneOfSeveral) {
    diagnostics.add(
      "IVR215",
      top,
      "This file holds several menus, so each needs an `id:`.",
      "Add `id:` to this one, or give it a file of its own.",
    );
    return { key: undefined, keyAt: top };
  }
  const key = keyOf(top.source.file);
  if (keyPattern.test(key)) return { key, keyAt: top };
  diagnostics.add(
    "IVR212",
    top,
    `The key \`${key}\`, taken from the file's path, ${keyRule}.`,
    "Rename the file, or give the menu an `id:`.",
  );
  return { key: undefined, keyAt: top };
}

function textIn(root: MapNode, name: string): Placed<string> | undefined {
  const node = field(root, name);
  return node?.kind === "scalar" ? { value: node.text, at: node } : undefined;
}

function checkNames(menus: readonly Identity[], diagnostics: Diagnostics): void {
  const names = new Map<string, Span>();
  for (const { name } of menus) {
    if (name === undefined || name.value.trim() === "") continue;
    const normal = normalName(name.value);
    const earlier = names.get(normal);
    if (earlier === undefined) names.set(normal, name.at);
    else {
      diagnostics.add(
        "IVR214",
        name.at,
        `The name \`${name.value}\` is taken by ${place(earlier)}.`,
        "The name is all that the service knows a menu by: choose another.",
      );
    }
  }
}

function checkMoves(
  menus: readonly Identity[],
  keys: ReadonlyMap<string, Identity>,
  diagnostics: Diagnostics,
): void {
  const claims = new Map<string, Span>();
  for (const { movedFrom } of menus) {
    if (movedFrom === undefined) continue;
    const { value: from, at } = movedFrom;
    const old = keys.get(from.toLowerCase());
    const claimed = claims.get(from);
    if (old?.key === from) {
      diagnostics.add(
        "IVR216",
        at,
        `\`${from}\` is still a menu of its own (${place(old.keyAt)}).`,
        "Remove that file, or this `moved_from:`.",
      );
    } else if (claimed !== undefined) {
      diagnostics.add(
        "IVR216",
        at,
        `\`${from}\` is claimed by ${place(claimed)} as well.`,
        "A record moves to one menu: remove one of the two.",
      );
    }
    claims.set(from, at);
  }
}

function place(span: Span): string {
  return `${span.source.file}:${span.source.position(span.start).line}`;
}
