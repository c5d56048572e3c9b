import type * as z from "zod/mini";
import { type Code, isCode } from "../diagnostics/codes.ts";
import type { FieldMeta } from "../schema/field-types.ts";
import { joined } from "../util/many.ts";
import { shorten } from "../util/nearest.ts";
import type { Node, Path, ScalarNode } from "./node.ts";

// The words for what zod finds in a tree.

export type Issue = z.core.$ZodIssue;

/** Whether an issue is about the type of the whole value, not about a part of it. */
export function isAboutTheWhole(issue: Issue): boolean {
  return (
    issue.path.length === 0 && (issue.code === "invalid_type" || issue.code === "invalid_value")
  );
}

export function wantsCollection(issue: Issue): boolean {
  return issue.code === "invalid_type" && /^(?:object|record|array)$/.test(issue.expected);
}

export function issueCode(issue: Issue): Code {
  const code: unknown = issue.code === "custom" ? issue.params?.["code"] : undefined;
  return typeof code === "string" && isCode(code) ? code : "IVR203";
}

/** The value or its kind. A value that may be a secret is not shown. */
export function instead(node: Node, issue: Issue): string {
  if (issueCode(issue) === "IVR404" || issue.code === "too_small") return "";
  if (node.kind !== "scalar")
    return node.kind === "list" ? ", but is a list" : ", but is a mapping";
  if (node.text.trim() === "" || node.source.hides(node.start, node.end)) return "";
  return `, not \`${shorten(node.text)}\``;
}

/** Whether a message may name a key: a token in the wrong place may be one. */
export function mayName({ text, source, start, end }: ScalarNode): boolean {
  return !source.hides(start, end) || /^[a-z][a-z_-]{0,19}$/i.test(text);
}

/** What the value must be. */
export function ruleOf(issue: Issue, meta: FieldMeta): string {
  if (issue.code === "too_small") return "must not be empty";
  if (issue.code !== "invalid_value" && meta.must !== undefined) return meta.must;
  return `must be ${
    issue.code === "invalid_union"
      ? listAlternatives(issue.errors.flatMap((issues) => issues.slice(0, 1).map(expectation)))
      : expectation(issue)
  }`;
}

function expectation(issue: Issue): string {
  if (issue.code === "invalid_value")
    return listAlternatives(issue.values.map((v) => `\`${String(v)}\``));
  if (issue.code !== "invalid_type") return "a different value";
  return typeNames[issue.expected] ?? `a ${issue.expected}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

export function fieldsHint(fields: readonly string[]): string {
  return fields.length === 1
    ? `Remove it. The only field here is \`${fields[0]}\`.`
    : `Use one of these fields: ${fields.join(", ")}.`;
}

export function exampleHint(path: Path, meta: FieldMeta): string | undefined {
  const example = validExample(fieldInPath(path), meta);
  return example === undefined ? undefined : `Write a value such as \`${example}\`.`;
}

/**
 * The field at a path; undefined for an item of a list. Also undefined for a key that the user
 * chose, because a token in the wrong place may be a key, and help is not masked.
 */
export function fieldInPath(path: Path): string | undefined {
  const [parent, last] = [path.at(-2), path.at(-1)];
  return typeof last === "string" && !openMappings.has(String(parent)) ? last : undefined;
}

/** The mappings with keys that the user chooses. */
const openMappings = new Set([
  "recordings",
  "destinations",
  "sms_templates",
  "environments",
  "rules",
]);

/** The words that are allowed here. */
export function allowedWords(issue: Issue): string[] {
  if (issue.code === "invalid_value") return issue.values.map(String);
  return issue.code === "invalid_union" ? issue.errors.flat().flatMap(allowedWords) : [];
}

export function pathLabel(path: Path): string {
  return path.length === 0
    ? "This"
    : `\`${path
        .map((step) => (typeof step === "number" ? `[${step}]` : String(step)))
        .join(".")
        .replaceAll(".[", "[")}\``;
}

function listAlternatives(expected: readonly string[]): string {
  return joined([...new Set(expected)], "or") || "something else";
}

/** Shows an example of a valid value; undefined if the schema has none. */
export function validExample(name: string | undefined, meta: FieldMeta) {
  const [example] = meta.examples ?? [];
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
