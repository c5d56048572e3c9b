import * as z from "zod/mini";
import { type Code, isCode } from "../diagnostics/codes.ts";
import { type FieldMeta, forEditors } from "../schema/field-types.ts";
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

/** What a message says about an issue: what the value must be, and what its schema says about it. */
interface Words {
  readonly rule: string;
  readonly meta?: FieldMeta | undefined;
}

/** The message of an issue: JSON with its words, because zod keeps only the text of a message. */
export function wording(issue: z.core.$ZodRawIssue): string {
  const { inst } = issue;
  const ofCheck: FieldMeta | undefined =
    issue.code === "custom" ? issue.params?.["meta"] : undefined;
  const meta = ofCheck ?? (inst instanceof z.core.$ZodType ? forEditors.get(inst) : undefined);
  return JSON.stringify({ rule: ruleOf(issue, meta), meta } satisfies Words);
}

export function readMessage(message: string): Words {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `wording` has written it
  return JSON.parse(message) as Words;
}

function ruleOf(issue: z.core.$ZodRawIssue, meta: FieldMeta | undefined): string {
  switch (issue.code) {
    case "too_small":
      return "must not be empty";
    case "invalid_type":
    case "custom":
      return meta?.must ?? `must be ${expectation(issue)}`;
    case "invalid_union": {
      if (meta?.must !== undefined) return meta.must;
      const expected = issue.errors.flatMap((issues) => issues.slice(0, 1).map(expectation));
      return `must be ${listAlternatives(expected)}`;
    }
    case "unrecognized_keys":
      // Return the known fields, which the issue does not have.
      return issue.inst instanceof z.core.$ZodObject
        ? Object.keys(issue.inst._zod.def.shape).join(" ")
        : "";
    default:
      return `must be ${expectation(issue)}`;
  }
}

function expectation(issue: Issue | z.core.$ZodRawIssue): string {
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

export function fieldsHint(known: readonly string[]): string {
  return known.length === 1
    ? `Remove it. The only field here is \`${known[0]}\`.`
    : `Use one of these fields: ${known.join(", ")}.`;
}

export function exampleHint(path: Path, meta: FieldMeta | undefined): string | undefined {
  const example = validExample(fieldName(path), meta);
  return example === undefined ? undefined : `Write a value such as \`${example}\`.`;
}

/**
 * The field at a path; undefined for an item of a list. Also undefined for a key that the user
 * chose, because a token in the wrong place may be a key, and help is not masked.
 */
export function fieldName(path: Path): string | undefined {
  const [parent, last] = [path.at(-2), path.at(-1)];
  return typeof last === "string" && !openMappings.has(String(parent)) ? last : undefined;
}

/** The mappings with keys that the user chooses. */
const openMappings = new Set(["recordings", "sms_templates", "environments", "rules"]);

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
export function validExample(name: string | undefined, meta: FieldMeta | undefined) {
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
