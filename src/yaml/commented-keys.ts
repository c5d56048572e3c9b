import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type MapNode, type Node, entry } from "./node.ts";

/** `#: Someone` inside `options` is a comment to YAML, and rarely meant as one. */
export function warnOfCommentedKeys(root: MapNode, end: number, diagnostics: Diagnostics): void {
  const options = entry(root, "options");
  if (options === undefined || options.key.source !== root.source) return;
  const { source } = root;
  const from = options.key.end;
  const until = root.entries.reduce(
    (nearest, { key }) =>
      key.source === source && key.start > from ? Math.min(nearest, key.start) : nearest,
    end,
  );
  const block = source.text.slice(from, until);
  const indent = source.position(options.key.start).column - 1;
  const last = lastKey(options.value);
  for (const match of block.matchAll(/^([ \t]*)#[ \t]*:(?=\s|$)/gm)) {
    const start = from + match.index + (match[1]?.length ?? 0);
    // Behind the last option, what is not further in is about what follows.
    const inside = start < last || (match[1]?.length ?? 0) > indent;
    if (!inside || insideScalar(options.value, start)) continue;
    diagnostics.add(
      "IVR109",
      source.span(start, start + 1),
      "This line is a comment, not the key #.",
      'Write "#" in quotes, or `hash`; to keep a comment, start it with a word.',
    );
  }
}

/** Where the last of the options begins that stand here themselves. */
function lastKey(options: Node): number {
  if (options.kind !== "map") return options.start;
  return options.entries.reduce(
    (last, { key }) => (key.source === options.source ? Math.max(last, key.start) : last),
    options.start,
  );
}

function insideScalar(node: Node, offset: number): boolean {
  if (offset < node.start || offset >= node.end) return false;
  if (node.kind === "scalar") return true;
  const children = node.kind === "list" ? node.items : node.entries.map(({ value }) => value);
  return children.some((child) => insideScalar(child, offset));
}
