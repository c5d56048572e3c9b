import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { identify } from "./identity.ts";
import type { MenuNode } from "./menu.ts";
import { readYaml } from "../yaml/read-yaml.ts";

/** The menus in a file, one for each document. */
export function readMenus(source: Source, diagnostics: Diagnostics): MenuNode[] {
  const found = new Diagnostics();
  const documents = readYaml(source, found, { holes: true }).filter(
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
