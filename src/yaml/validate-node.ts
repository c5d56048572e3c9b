import * as z from "zod/mini";
import { type Code, isCode } from "../diagnostics/codes.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { type FieldMeta, extensionPattern, metaOfSchema } from "../schema/common.ts";
import { joined } from "../util/many.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import {
  type Entry,
  type Node,
  type ScalarNode,
  at,
  entry,
  isUnresolvedAlias,
  isNull,
  toPlain,
} from "./node.ts";
import { correction, exampleOf } from "./suggestion.ts";

/** The result of a validation. Later steps skip these nodes and use the others. */
export interface Validity {
  /** Values that are invalid and have been reported. */
  readonly invalidNodes: ReadonlySet<Node>;
  /** Mappings with an unknown field. A field that seems to be missing there may be misspelled. */
  readonly misspelled: ReadonlySet<Node>;
}

interface Options {
  readonly diagnostics: Diagnostics;
  /** The start of the validated text. */
  readonly top: Span;
  /** Where a field missing at the top level is reported, if not at `top`. */
  readonly missingAt?: Span;
  /** Whether a value is not reported, because its text comes from a variable or it is already reported. */
  readonly isExempt?: (value: ScalarNode, code: Code) => boolean;
  /** Whether missing fields are not reported, because unknown defaults may provide them. */
  readonly allowMissing?: boolean;
  /** Whether a field may be in `defaults:` instead. */
  readonly mayBeDefault?: (path: Path) => boolean;
  /**
   * Whether help may repeat values of the file that `top` is in. False for the configuration,
   * because messages mask its secrets and help does not.
   */
  readonly quoteValues?: boolean;
  /** Called with an unknown field; may return a better message. */
  readonly unknownField?: (field: Entry, path: Path) => FieldProblem | undefined;
}

interface FieldProblem {
  readonly code: Code;
  readonly message: string;
  readonly hint: string;
}

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

const valid: Validity = { invalidNodes: new Set(), misspelled: new Set() };

/** Validates a tree and reports every problem at the place of its value. */
export function validateNode(schema: z.core.$ZodType, root: Node, options: Options): Validity {
  const known = metaOfSchema(schema)?.extensions === true ? withoutExtensions(root) : root;
  const result = z.safeParse(schema, toPlain(known), { error: wording });
  if (result.success) return valid;
  const inspector = new Inspector(root, options);
  for (const issue of result.error.issues) inspector.report(issue, []);
  inspector.reportMissing();
  return inspector;
}

/** The mapping without the fields that ivrctl ignores. */
function withoutExtensions(root: Node): Node {
  if (root.kind !== "map") return root;
  const entries = root.entries.filter(({ key }) => !extensionPattern.test(key.text));
  return entries.length === root.entries.length ? root : { ...root, entries };
}

class Inspector implements Validity {
  readonly invalidNodes = new Set<Node>();
  readonly misspelled = new Set<Node>();
  /** Fields that probably exist under another spelling. */
  readonly #meant = new Set<string>();
  readonly #missing: { readonly path: Path; readonly meta: FieldMeta | undefined }[] = [];
  readonly #root: Node;
  readonly #options: Options;

  constructor(root: Node, options: Options) {
    this.#root = root;
    this.#options = options;
  }

  report(issue: Issue, above: Path): void {
    const path = [...above, ...issue.path];
    switch (issue.code) {
      case "invalid_union": {
        const branch = issue.errors.find((issues) => !issues.some(isAboutTheWhole));
        if (branch === undefined) this.#badValue(issue, path);
        else for (const inner of branch) this.report(inner, path);
        break;
      }
      case "unrecognized_keys":
        for (const key of issue.keys) this.#unknownField(key, path, issue.message.split(" "));
        break;
      case "invalid_key":
        this.#badKey(issue, path);
        break;
      default:
        this.#badValue(issue, path);
    }
  }

  /** Reports missing fields. Call it last, because some fields may exist under another spelling. */
  reportMissing(): void {
    const { diagnostics, allowMissing, mayBeDefault } = this.#options;
    if (allowMissing === true) return;
    for (const { path, meta } of this.#missing) {
      if (this.#meant.has(path.join(" "))) continue;
      const example = exampleOf(nameOf(path), meta);
      const orDefault = mayBeDefault?.(path) ? " here, or a default in ivrctl.yaml" : "";
      diagnostics.add(
        "IVR202",
        this.#lacking(path),
        `${labelOf(path)} is missing.`,
        example === undefined ? undefined : `Add a field such as \`${example}\`${orDefault}.`,
      );
    }
  }

  #badValue(issue: Issue, path: Path): void {
    const { diagnostics, isExempt } = this.#options;
    const node = at(this.#root, path);
    const label = labelOf(path);
    const { rule, meta } = readMessage(issue.message);
    if (node === undefined) {
      this.#missing.push({ path, meta });
      return;
    }
    if (isUnresolvedAlias(node)) return;
    const code = codeOf(issue);
    if (node.kind === "scalar" && !wantsCollection(issue) && isExempt?.(node, code)) return;
    this.invalidNodes.add(node);
    if (isNull(node)) {
      const span = node.start === node.end ? this.#keyOf(path) : node;
      diagnostics.add("IVR202", span, `${label} has no value.`, exampleHint(path, meta));
    } else {
      const hint = this.#hintFor(issue, node, path, meta);
      const message = `${label} ${rule}${instead(node, issue)}.`;
      if (isAboutType(issue)) diagnostics.addAs("structure", code, node, message, hint);
      else diagnostics.add(code, node, message, hint);
    }
  }

  #hintFor(issue: Issue, node: Node, path: Path, meta: FieldMeta | undefined): string | undefined {
    const { top, quoteValues } = this.#options;
    const words = node.kind === "scalar" ? wordsOf(issue) : [];
    if (node.kind === "scalar") {
      const near = /[a-z]/i.test(node.text) ? nearest(node.text, words) : [];
      if (near.length > 0) return didYouMean(near);
      if (node.plain && /^(?:true|false)$/i.test(node.text) && !wantsCollection(issue)) {
        return `Put it in quotes if you mean the text: "${node.text}".`;
      }
    }
    const quotable = quoteValues === true && node.source === top.source;
    const name = nameOf(path);
    return (
      (quotable
        ? correction({ name, node, meta: meta ?? {}, wanted: wantedBy(issue, meta) })
        : undefined) ??
      meta?.help ??
      // The message already lists the allowed words.
      (issue.code === "invalid_value" ? undefined : exampleHint(path, meta))
    );
  }

  #badKey(issue: z.core.$ZodIssueInvalidKey, path: Path): void {
    const reason = issue.issues[0] ?? issue;
    const { rule, meta } = readMessage(reason.message);
    this.#options.diagnostics.add(
      codeOf(reason),
      this.#keyOf(path),
      `\`${String(path.at(-1))}\` ${rule}.`,
      meta?.help,
    );
  }

  #unknownField(key: string, path: Path, known: readonly string[]): void {
    const { diagnostics, unknownField } = this.#options;
    const parent = at(this.#root, path);
    const found = entry(parent, key);
    if (parent === undefined || found === undefined) return;
    this.misspelled.add(parent);
    const near = nearest(key, known);
    const special = unknownField?.(found, path);
    if (special !== undefined) {
      diagnostics.add(special.code, found.key, special.message, special.hint);
      return;
    }
    const where = path.length === 0 ? "" : ` in ${labelOf(path)}`;
    if (near[0] !== undefined) this.#meant.add([...path, near[0]].join(" "));
    diagnostics.add(
      "IVR201",
      found.key,
      `${mayName(found.key) ? `There is no field \`${shorten(key)}\`` : "This field is unknown"}${where}.`,
      didYouMean(near) ?? fieldsHint(known),
    );
  }

  /** Where a missing field is reported: the key of its mapping, or the top of the document. */
  #lacking(path: Path): Span {
    const { top, missingAt = top } = this.#options;
    const span = path.length < 2 ? missingAt : this.#keyOf(path.slice(0, -1));
    // If the whole mapping comes from other defaults, the problem is reported in the menu.
    return span.source === top.source || span.source === missingAt.source ? span : missingAt;
  }

  #keyOf(path: Path): Span {
    const { top } = this.#options;
    const last = path.at(-1);
    const parent = at(this.#root, path.slice(0, -1));
    if (last === undefined || parent === undefined) return top;
    if (parent.kind !== "list") return entry(parent, String(last))?.key ?? top;
    const item = parent.items[Number(last)];
    return (item?.kind === "map" ? item.entries[0]?.key : item) ?? top;
  }
}

/** Whether an issue is about the type of the whole value, not about a part of it. */
function isAboutTheWhole(issue: Issue): boolean {
  return (
    issue.path.length === 0 && (issue.code === "invalid_type" || issue.code === "invalid_value")
  );
}

function isAboutType({ code }: Issue): boolean {
  return code === "invalid_type" || code === "invalid_union";
}

function wantsCollection(issue: Issue): boolean {
  return issue.code === "invalid_type" && /^(?:object|record|array)$/.test(issue.expected);
}

function codeOf(issue: Issue): Code {
  const own: unknown = issue.code === "custom" ? issue.params?.["code"] : undefined;
  return typeof own === "string" && isCode(own) ? own : "IVR203";
}

/** The value or its kind. A value that may be a secret is not shown. */
function instead(node: Node, issue: Issue): string {
  if (codeOf(issue) === "IVR404" || issue.code === "too_small") return "";
  if (node.kind !== "scalar")
    return node.kind === "list" ? ", but is a list" : ", but is a mapping";
  if (node.text.trim() === "" || node.source.hides(node.start, node.end)) return "";
  return `, not \`${shorten(node.text)}\``;
}

/** Whether a message may name a key: a token in the wrong place may be one. */
function mayName({ text, source, start, end }: ScalarNode): boolean {
  return !source.hides(start, end) || /^[a-z][a-z_-]{0,19}$/i.test(text);
}

/** The metadata of schemas that issues were found with; a message refers to it by its index. */
const metas: FieldMeta[] = [];
const indexes = new Map<FieldMeta, number>();

/**
 * The message of an issue. Its second line is the index of the metadata of the schema, because zod
 * keeps only the message of an issue, not the schema.
 */
function wording(issue: z.core.$ZodRawIssue): string {
  const meta = metaOfSchema(issue.inst);
  const rule = ruleOf(issue, meta);
  if (meta === undefined || issue.code === "unrecognized_keys") return rule;
  const index = indexes.get(meta) ?? metas.push(meta) - 1;
  indexes.set(meta, index);
  return `${rule}\n${index}`;
}

function readMessage(message: string): {
  readonly rule: string;
  readonly meta: FieldMeta | undefined;
} {
  const [rule = "", index] = message.split("\n");
  return { rule, meta: index === undefined ? undefined : metas[Number(index)] };
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
      return `must be ${either(expected)}`;
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
  if (issue.code === "invalid_value") return either(issue.values.map((v) => `\`${String(v)}\``));
  if (issue.code !== "invalid_type") return "another value";
  return typeNames[issue.expected] ?? `a ${issue.expected}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

function wantedBy(
  issue: Issue,
  meta: FieldMeta | undefined,
): "mapping" | "list" | "number" | "other" {
  if (issue.code === "custom" && meta?.isNumber === true) return "number";
  if (!wantsCollection(issue)) return "other";
  return issue.code === "invalid_type" && issue.expected === "array" ? "list" : "mapping";
}

function fieldsHint(known: readonly string[]): string {
  return known.length === 1
    ? `Remove it. The only field here is \`${known[0]}\`.`
    : `Use one of these fields: ${known.join(", ")}.`;
}

function exampleHint(path: Path, meta: FieldMeta | undefined): string | undefined {
  const example = exampleOf(nameOf(path), meta);
  return example === undefined ? undefined : `Write a value such as \`${example}\`.`;
}

/**
 * The field at a path; undefined for an item of a list. Also undefined for a key that the user
 * chose, because a token in the wrong place may be a key, and help is not masked.
 */
function nameOf(path: Path): string | undefined {
  const [parent, last] = [path.at(-2), path.at(-1)];
  return typeof last === "string" && !openMappings.has(String(parent)) ? last : undefined;
}

/** The mappings with keys that the user chooses. */
const openMappings = new Set(["recordings", "sms_templates", "environments", "rules"]);

/** The words that are allowed here. */
function wordsOf(issue: Issue): string[] {
  if (issue.code === "invalid_value") return issue.values.map(String);
  return issue.code === "invalid_union" ? issue.errors.flat().flatMap(wordsOf) : [];
}

function labelOf(path: Path): string {
  return path.length === 0
    ? "This"
    : `\`${path
        .map((step) => (typeof step === "number" ? `[${step}]` : String(step)))
        .join(".")
        .replaceAll(".[", "[")}\``;
}

function either(expected: readonly string[]): string {
  return joined([...new Set(expected)], "or") || "something else";
}
