import type { FieldMeta } from "../schema/common.ts";
import { type ListNode, type Node, type ScalarNode, isUnusable } from "./node.ts";

/** An invalid value and what the schema says about its place. */
interface InvalidValue {
  /** The key of the value; undefined for an item of a list. */
  readonly name: string | undefined;
  readonly node: Node;
  readonly meta: FieldMeta;
  /** What the schema expects here. */
  readonly wanted: "mapping" | "list" | "number" | "other";
}

/** Says what to write instead of an invalid value, using the value itself; undefined if that is not clear. */
export function correction({ name, node, meta, wanted }: InvalidValue): string | undefined {
  if (name === undefined) return undefined;
  const value = correctedValue(node, meta, wanted);
  return value === undefined || value.length > maxLength ? undefined : write(`${name}: ${value}`);
}

/** Shows an example of a valid value; undefined if the schema has none. */
export function exampleOf(name: string | undefined, meta: FieldMeta | undefined) {
  const [example] = meta?.examples ?? [];
  if (example === undefined) return undefined;
  // A variable needs quotes only inside of brackets.
  const isVariable = typeof example === "string" && /^\$\{\w+\}$/.test(example);
  const text = isVariable ? example : flowText(example);
  return name === undefined ? text : `${flowKey(name)}: ${text}`;
}

const maxLength = 60;

function write(line: string): string {
  return `Write \`${line}\`.`;
}

function correctedValue(
  node: Node,
  { mayMean, pattern = "" }: FieldMeta,
  wanted: InvalidValue["wanted"],
): string | undefined {
  switch (wanted) {
    case "mapping": {
      if (mayMean === undefined || node.kind === "map") return undefined;
      if (node.kind === "list") return mayMean.text === "1" ? numbered(node) : undefined;
      const field = /^[0-9]+$/.test(node.text) ? mayMean.digits : mayMean.text;
      return field === undefined ? undefined : `{ ${field}: ${written(node)} }`;
    }
    case "list":
      return node.kind === "scalar" ? `[${quotedNumber(node)}]` : undefined;
    case "number": {
      const text = node.kind === "scalar" ? node.text : "";
      const number = /^\s*([0-9]+)\s*[a-z]*\s*$/i.exec(text)?.[1];
      return number !== undefined && new RegExp(pattern).test(number) ? number : undefined;
    }
    case "other": {
      const only = node.kind === "list" && node.items.length === 1 ? node.items[0] : undefined;
      return only?.kind === "scalar" && !isUnusable(only) ? written(only) : undefined;
    }
  }
}

/** The items of a list as options with the keys 1, 2 and so on. */
function numbered({ items }: ListNode): string | undefined {
  const texts = items.flatMap((item) => (item.kind === "scalar" ? written(item) : []));
  if (texts.length === 0 || texts.length < items.length || texts.length > 9) return undefined;
  return `{ ${texts.map((text, index) => `${index + 1}: ${text}`).join(", ")} }`;
}

/** A scalar as it is in the file, quotes included. */
function written({ source, start, end }: ScalarNode): string {
  return source.text.slice(start, end);
}

/** A scalar as an item of a list. A phone number gets quotes, because YAML reads it as a number. */
function quotedNumber(node: ScalarNode): string {
  return node.plain && /^\+[0-9]+$/.test(node.text) ? `"${node.text}"` : written(node);
}

/** A JSON value as YAML on one line. */
function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(
      ([key, inner]) => `${flowKey(key)}: ${flowText(inner)}`,
    );
    return `{ ${fields.join(", ")} }`;
  }
  if (typeof value !== "string") return String(value);
  return plainText.test(value) ? value : JSON.stringify(value);
}

function flowKey(key: string): string {
  return /^[0-9]+$/.test(key) || plainText.test(key) ? key : JSON.stringify(key);
}

/** Matches text that needs no quotes in YAML. */
const plainText = /^(?!(?:true|false|null|yes|no|on|off)$)[A-Za-z./][\w ./@-]*(?:[:][\w./-]+)?$/;
