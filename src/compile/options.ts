import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Entry, type MapNode, entry } from "./read/node.ts";

/** How an option's key is spelt on the wire. */
export function canonicalKey(key: string): string {
  return key === "star" ? "*" : key === "hash" ? "#" : key;
}

/**
 * The mapping with each of its options once: `star` and `"*"` are one key. Given
 * twice it is told, unless the first came in through `<<` and is overridden.
 */
export function withDistinctOptions(menu: MapNode, diagnostics: Diagnostics): MapNode {
  const options = entry(menu, "options");
  if (options?.value.kind !== "map") return menu;
  const distinct = new Map<string, Entry>();
  for (const option of options.value.entries) {
    const name = canonicalKey(option.key.text);
    const earlier = distinct.get(name);
    if (earlier === undefined || (earlier.merged && !option.merged)) distinct.set(name, option);
    else if (!option.merged) {
      const { line, column } = earlier.key.source.position(earlier.key.start);
      diagnostics.add(
        "IVR107",
        option.key,
        `\`${option.key.text}\` is the key ${name} a second time; the first one is at ${line}:${column}.`,
        "Remove one of the two.",
      );
    }
  }
  if (distinct.size === options.value.entries.length) return menu;
  const value = { ...options.value, entries: [...distinct.values()] };
  return {
    ...menu,
    entries: menu.entries.map((own) => (own === options ? { ...options, value } : own)),
  };
}
