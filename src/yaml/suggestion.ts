import type { FieldMeta } from "../schema/common.ts";

/** Shows an example of a valid value; undefined if the schema has none. */
export function exampleOf(name: string | undefined, meta: FieldMeta | undefined) {
  const [example] = meta?.examples ?? [];
  if (example === undefined) return undefined;
  // A variable needs quotes only inside of brackets.
  const isVariable = typeof example === "string" && /^\$\{\w+\}$/.test(example);
  const text = isVariable ? example : flowText(example);
  return name === undefined ? text : `${flowKey(name)}: ${text}`;
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
