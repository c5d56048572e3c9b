import { canonicalKey } from "../project/options.ts";
import { type MapEntry, type MapNode, type Node, isNull } from "../yaml/node.ts";

/** Sections whose fields are merged one by one. Any other value replaces the default. */
const sections = new Set(["invalid", "timeout", "extra"]);

/**
 * The menu with the defaults of the project applied. Every value keeps its place, so that a
 * problem in a default is shown where the default is.
 */
export function withDefaults(menu: MapNode, defaults: MapNode | undefined): MapNode {
  if (defaults === undefined) return menu;
  return merge(menu, defaults, (key, written, preset) => {
    if (written.kind !== "map" || preset.kind !== "map") return written;
    if (sections.has(key)) return merge(written, preset, (_, value) => value);
    if (key === "options") return mergeOptions(written, preset);
    return written;
  });
}

function merge(
  written: MapNode,
  preset: MapNode,
  combine: (key: string, value: Node, preset: Node) => Node,
): MapNode {
  const presets = new Map(preset.entries.map((entry) => [entry.key.text, entry]));
  const entries: MapEntry[] = [];
  for (const entry of written.entries) {
    const under = presets.get(entry.key.text);
    presets.delete(entry.key.text);
    if (under === undefined) entries.push(entry);
    else if (!isNull(entry.value)) {
      entries.push({ ...entry, value: combine(entry.key.text, entry.value, under.value) });
    }
  }
  return { ...written, entries: [...entries, ...withoutNulls([...presets.values()])] };
}

/**
 * The options of the menu and the other default options, so that both keep their order: the defaults
 * before an option that the menu overrides come before it, and all others come last.
 */
function mergeOptions(options: MapNode, preset: MapNode): MapNode {
  const keyOf = ({ key }: MapEntry) => canonicalKey(key.text);
  const written = new Set(options.entries.map(keyOf));
  const presetKeys = new Set(preset.entries.map(keyOf));
  const others = (entries: readonly MapEntry[]) =>
    withoutNulls(entries).filter((entry) => !written.has(keyOf(entry)));
  const left = [...preset.entries];
  const entries = options.entries.flatMap((entry) => {
    const key = keyOf(entry);
    const before = left.splice(0, left.findIndex((other) => keyOf(other) === key) + 1);
    const isRemoved = isNull(entry.value) && presetKeys.has(key);
    return [...others(before), ...(isRemoved ? [] : [entry])];
  });
  return { ...options, entries: [...entries, ...others(left)] };
}

/** Defaults without null, also in their sections. There it has the same meaning as no field. */
function withoutNulls(entries: readonly MapEntry[]): MapEntry[] {
  const written = entries.filter(({ value }) => !isNull(value));
  return written.map(({ key, value, merged }) => {
    const isSection = sections.has(key.text) && value.kind === "map";
    const inner = isSection ? { ...value, entries: withoutNulls(value.entries) } : value;
    return { key, value: inner, merged };
  });
}
