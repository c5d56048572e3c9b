import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { limits, shownLimit } from "../schema/limits.ts";
import { type Entry, type MapNode, entry } from "../yaml/node.ts";

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
  return withOptions(menu, [...distinct.values()]);
}

/** The mapping with no more options than a menu can have; what is beyond is reported and left out. */
export function withoutExcess(menu: MapNode, diagnostics: Diagnostics): MapNode {
  const options = entry(menu, "options");
  if (options?.value.kind !== "map") return menu;
  const { entries } = options.value;
  const beyond = entries[limits.options];
  if (beyond === undefined) return menu;
  diagnostics.add(
    "IVR130",
    beyond.key,
    `This menu has ${entries.length.toLocaleString("en-US")} options; ${shownLimit("options")} is the limit.`,
    "Remove some, or lead to further menus.",
  );
  return withOptions(menu, entries.slice(0, limits.options));
}

function withOptions(menu: MapNode, entries: readonly Entry[]): MapNode {
  return {
    ...menu,
    entries: menu.entries.map((own) =>
      own.key.text === "options" && own.value.kind === "map"
        ? { ...own, value: { ...own.value, entries } }
        : own,
    ),
  };
}
