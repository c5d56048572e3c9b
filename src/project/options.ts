import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { limits, shownLimit } from "../schema/limits.ts";
import { type MapEntry, type MapNode, entry, mapEntries } from "../yaml/node.ts";

/** The key of an option as it is sent: `*` for `star`, `#` for `hash`. */
export function canonicalKey(key: string): string {
  return key === "star" ? "*" : key === "hash" ? "#" : key;
}

/**
 * The menu with each option once: `star` and `"*"` are the same key. Reports a key that is
 * defined twice, unless the first comes from `<<` and is overridden.
 */
export function withDistinctOptions(menu: MapNode, diagnostics: Diagnostics): MapNode {
  const options = entry(menu, "options");
  if (options?.value.kind !== "map") return menu;
  const distinct = new Map<string, MapEntry>();
  for (const option of options.value.entries) {
    const name = canonicalKey(option.key.text);
    const earlier = distinct.get(name);
    if (earlier === undefined || (earlier.merged && !option.merged)) distinct.set(name, option);
    else if (!option.merged) {
      const { line, column } = earlier.key.source.position(earlier.key.start);
      diagnostics.addSecond(
        "IVR107",
        option.key,
        earlier.key,
        `\`${option.key.text}\` and \`${earlier.key.text}\` (${line}:${column}) are the same key.`,
        "Remove one of the two.",
      );
    }
  }
  if (distinct.size === options.value.entries.length) return menu;
  return withOptions(menu, [...distinct.values()]);
}

/** The menu without the options beyond the limit, which are reported. */
export function withoutExcess(menu: MapNode, diagnostics: Diagnostics): MapNode {
  const options = entry(menu, "options");
  if (options?.value.kind !== "map") return menu;
  const { entries } = options.value;
  const beyond = entries[limits.options];
  if (beyond === undefined) return menu;
  diagnostics.add(
    "IVR130",
    beyond.key,
    `This menu has ${entries.length.toLocaleString("en-US")} options. The limit is ${shownLimit("options")}.`,
    "Remove some of them.",
  );
  return withOptions(menu, entries.slice(0, limits.options));
}

/** Warns about `#: Asha Rao` inside `options`, which YAML reads as a comment. */
export function warnOfCommentedKeys(root: MapNode, end: number, diagnostics: Diagnostics): void {
  const options = entry(root, "options");
  if (options === undefined || options.key.source !== root.source) return;
  const { source } = root;
  const from = options.key.end;
  const later = root.entries.flatMap(({ key }) =>
    key.source === source && key.start > from ? key.start : [],
  );
  const { column } = source.position(options.key.start);
  const text = source.text.slice(from, Math.min(end, ...later));
  for (const { index, 1: indent = "" } of text.matchAll(/^([ \t]*)#[ \t]*:(?=\s|$)/gm)) {
    if (indent.length < column) continue;
    const start = from + index + indent.length;
    diagnostics.add(
      "IVR109",
      source.span(start, start + 1),
      "This line is a comment, not the key #.",
      'Write `"#"` or `hash` for the key. For a comment, start it with a word.',
    );
  }
}

function withOptions(menu: MapNode, entries: readonly MapEntry[]): MapNode {
  return mapEntries(menu, ({ key, value }) =>
    key.text === "options" && value.kind === "map" ? { ...value, entries } : value,
  );
}
