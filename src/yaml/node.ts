import type { Span } from "../diagnostics/source.ts";

/**
 * A YAML value with its place in the file. Unlike a plain object, it keeps the order of keys
 * (JavaScript reorders keys such as `10`) and the characters of scalars (`00042` stays `00042`).
 */
export type Node = ScalarNode | MapNode | ListNode;

export interface ScalarNode extends Span {
  readonly kind: "scalar";
  /** The text without quotes, with escapes resolved. */
  readonly text: string;
  readonly plain: boolean;
  /**
   * Why its text is not the value: an alias without an anchor or a variable that is not set, which has
   * been reported, or a setting whose variable is replaced later. No problem of its text is reported.
   */
  readonly unusable?: "alias" | "variable" | "setting";
}

export interface MapNode extends Span {
  readonly kind: "map";
  /** Each key once, in the order written. */
  readonly entries: readonly MapEntry[];
}

interface ListNode extends Span {
  readonly kind: "list";
  readonly items: readonly Node[];
}

export interface MapEntry {
  readonly key: ScalarNode;
  readonly value: Node;
  /** Whether the entry was merged with `<<`. */
  readonly merged: boolean;
}

/** The steps to a value: the keys of mappings and the indexes of lists. */
export type Path = readonly PropertyKey[];

/** The values that the schemas validate. There are no numbers: digits are text. A null is undefined. */
type Plain = string | boolean | undefined | readonly Plain[] | { readonly [key: string]: Plain };

/** Whether a value cannot be used, which has been reported. */
export function isUnusable(node: Node | undefined): boolean {
  return node?.kind === "scalar" && node.unusable !== undefined && node.unusable !== "setting";
}

export function entry(node: Node | undefined, key: string): MapEntry | undefined {
  if (node?.kind !== "map") return undefined;
  if (node.entries.length <= fewEntries) {
    return node.entries.find((candidate) => candidate.key.text === key);
  }
  // Every value of a long mapping is looked up.
  let index = indexes.get(node.entries);
  if (index === undefined) {
    index = new Map(node.entries.map((candidate) => [candidate.key.text, candidate]));
    indexes.set(node.entries, index);
  }
  return index.get(key);
}

const fewEntries = 32;
const indexes = new WeakMap<readonly MapEntry[], ReadonlyMap<string, MapEntry>>();

/** The entries of a mapping; empty for other nodes. */
export function entriesOf(node: Node | undefined): readonly MapEntry[] {
  return node?.kind === "map" ? node.entries : [];
}

/** The items of a list; empty for other nodes. */
export function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.kind === "list" ? node.items : [];
}

/** All scalars in a tree, except keys. */
export function scalarsIn(node: Node): readonly ScalarNode[] {
  switch (node.kind) {
    case "scalar":
      return [node];
    case "list":
      return node.items.flatMap(scalarsIn);
    case "map":
      return node.entries.flatMap(({ value }) => scalarsIn(value));
  }
}

/** The tree with every scalar changed, except keys. */
export function mapScalars(
  node: Node,
  change: (scalar: ScalarNode) => ScalarNode,
  onKey?: (key: ScalarNode) => void,
): Node {
  switch (node.kind) {
    case "scalar":
      return change(node);
    case "list":
      return { ...node, items: node.items.map((item) => mapScalars(item, change, onKey)) };
    case "map":
      return mapEntries(node, ({ key, value }) => {
        onKey?.(key);
        return mapScalars(value, change, onKey);
      });
  }
}

/** A mapping with every value changed; any other node as it is. */
export function mapEntries<N extends Node>(node: N, change: (entry: MapEntry) => Node): N {
  if (node.kind !== "map") return node;
  return { ...node, entries: node.entries.map((pair) => ({ ...pair, value: change(pair) })) };
}

export function without(node: MapNode, key: string): MapNode {
  return { ...node, entries: node.entries.filter((pair) => pair.key.text !== key) };
}

/** The value under a key; `null` counts as absent. */
export function field(node: Node | undefined, key: string): Node | undefined {
  const value = entry(node, key)?.value;
  return value === undefined || isNull(value) ? undefined : value;
}

export function textField(node: Node | undefined, key: string): string | undefined {
  const value = field(node, key);
  return value?.kind === "scalar" && !isUnusable(value) ? value.text : undefined;
}

export function nodeAt(root: Node | undefined, path: Path): Node | undefined {
  let node = root;
  for (const step of path) {
    if (node?.kind === "list") node = node.items[Number(step)];
    else node = entry(node, String(step))?.value;
  }
  return node;
}

/** Where to point for the value at a path: at the deepest part of the path that is written. */
export function at(root: Node, path: Path): Node {
  return nodeAt(root, path) ?? (path.length === 0 ? root : at(root, path.slice(0, -1)));
}

/** The key of the value at a path. For an item of a list, its first key or the item itself. */
export function keyAt(root: Node | undefined, path: Path): Span | undefined {
  const parent = nodeAt(root, path.slice(0, -1));
  if (parent?.kind !== "list") return entry(parent, String(path.at(-1)))?.key;
  const item = parent.items[Number(path.at(-1))];
  // A field merged with `<<` has its place in another mapping.
  return entriesOf(item).find(({ merged }) => !merged)?.key ?? entriesOf(item)[0]?.key ?? item;
}

export function withoutPath(node: Node, [first, ...rest]: Path): Node {
  const left = (value: Node) => (rest.length === 0 ? [] : [withoutPath(value, rest)]);
  switch (node.kind) {
    case "scalar":
      return node;
    case "list": {
      const items = node.items.flatMap((item, at) => (at === Number(first) ? left(item) : [item]));
      return { ...node, items };
    }
    case "map": {
      const entries = node.entries.flatMap((pair) => {
        if (pair.key.text !== String(first)) return pair;
        const { key, merged } = pair;
        return left(pair.value).map((value) => ({ key, value, merged }));
      });
      return { ...node, entries };
    }
  }
}

export function isNull(node: Node): boolean {
  return node.kind === "scalar" && node.plain && /^(?:|~|null|Null|NULL)$/.test(node.text);
}

export function toPlain(node: Node): Plain {
  switch (node.kind) {
    case "scalar":
      return scalarValue(node);
    case "list":
      return node.items.map(toPlain);
    case "map":
      return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, toPlain(value)]));
  }
}

function scalarValue(node: ScalarNode): string | boolean | undefined {
  if (isUnusable(node) || isNull(node)) return undefined;
  if (!node.plain || !/^(?:true|True|TRUE|false|False|FALSE)$/.test(node.text)) return node.text;
  return node.text.toLowerCase() === "true";
}
