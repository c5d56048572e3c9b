import * as z from "zod/mini";
import { type Code, isCode } from "../diagnostics/codes.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
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

/** What a schema found in a tree. Later steps skip these nodes and use the others. */
export interface Validity {
  /** Values that are invalid and have been reported. */
  readonly invalidNodes: ReadonlySet<Node>;
  /** Mappings with an unknown field: what they seem to lack may be misspelt. */
  readonly misspelt: ReadonlySet<Node>;
}

interface Options {
  readonly diagnostics: Diagnostics;
  /** Where a field missing at the top level is reported. */
  readonly top: Span;
  /** Whether a value is not reported: its text comes from a variable, or it is reported already. */
  readonly isExempt?: (value: ScalarNode, code: Code) => boolean;
  /** Whether missing fields are not reported, because defaults that are unknown may provide them. */
  readonly allowMissing?: boolean;
  /** Called with an unknown field and the nearest known ones; may return a better message. */
  readonly unknownField?: (field: Entry, path: Path, near: readonly string[]) => Fault | undefined;
}

interface Fault {
  readonly code: Code;
  readonly message: string;
}

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

const valid: Validity = { invalidNodes: new Set(), misspelt: new Set() };

/** Reports every issue that zod finds at the place of the value it is about. */
export function validateNode(schema: z.core.$ZodType, root: Node, options: Options): Validity {
  const result = z.safeParse(schema, toPlain(root), { error: wording });
  if (result.success) return valid;
  const inspector = new Inspector(root, options);
  for (const issue of result.error.issues) inspector.report(issue, []);
  inspector.reportMissing();
  return inspector;
}

class Inspector implements Validity {
  readonly invalidNodes = new Set<Node>();
  readonly misspelt = new Set<Node>();
  /** Fields that an unknown one was probably meant to be. */
  readonly #meant = new Set<string>();
  readonly #missing: Path[] = [];
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

  /** Last, when it is known which of them are there under another spelling. */
  reportMissing(): void {
    if (this.#options.allowMissing === true) return;
    for (const path of this.#missing) {
      if (this.#meant.has(path.join(" "))) continue;
      this.#options.diagnostics.add("IVR202", this.#lacking(path), `${labelOf(path)} is missing.`);
    }
  }

  #badValue(issue: Issue, path: Path): void {
    const { diagnostics, isExempt } = this.#options;
    const node = at(this.#root, path);
    const label = labelOf(path);
    if (node === undefined) {
      this.#missing.push(path);
      return;
    }
    if (isUnresolvedAlias(node)) return;
    const code = codeOf(issue);
    if (node.kind === "scalar" && !wantsCollection(issue) && isExempt?.(node, code)) return;
    this.invalidNodes.add(node);
    if (isNull(node)) {
      const span = node.start === node.end ? this.#keyOf(path) : node;
      diagnostics.add("IVR202", span, `${label} is empty.`);
    } else {
      diagnostics.add(
        code,
        node,
        `${label} ${issue.message}${instead(node, code)}.`,
        hintFor(issue, node),
      );
    }
  }

  #badKey(issue: z.core.$ZodIssueInvalidKey, path: Path): void {
    const reason = issue.issues[0] ?? issue;
    this.#options.diagnostics.add(
      codeOf(reason),
      this.#keyOf(path),
      `The name \`${String(path.at(-1))}\` ${reason.message}.`,
    );
  }

  #unknownField(key: string, path: Path, known: readonly string[]): void {
    const { diagnostics, unknownField } = this.#options;
    const parent = at(this.#root, path);
    const found = entry(parent, key);
    if (parent === undefined || found === undefined) return;
    this.misspelt.add(parent);
    const near = nearest(key, known);
    const special = unknownField?.(found, path, near);
    if (special !== undefined) {
      diagnostics.add(special.code, found.key, special.message);
      return;
    }
    const where = path.length === 0 ? "" : ` in ${labelOf(path)}`;
    if (near[0] !== undefined) this.#meant.add([...path, near[0]].join(" "));
    diagnostics.add(
      "IVR201",
      found.key,
      `There is no field \`${shorten(key)}\`${where}.`,
      didYouMean(near),
    );
  }

  /** The key of the mapping that lacks the field, or the top of the document. */
  #lacking(path: Path): Span {
    const { top } = this.#options;
    const span = path.length < 2 ? top : this.#keyOf(path.slice(0, -1));
    // If a mapping comes from the defaults alone, it is the menu that lacks the field.
    return span.source === top.source ? span : top;
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

/** The value as a whole is of the wrong kind, not something within it. */
function isAboutTheWhole(issue: Issue): boolean {
  return (
    issue.path.length === 0 && (issue.code === "invalid_type" || issue.code === "invalid_value")
  );
}

function wantsCollection(issue: Issue): boolean {
  return issue.code === "invalid_type" && /^(?:object|record|array)$/.test(issue.expected);
}

function codeOf(issue: Issue): Code {
  if (issue.code === "too_small") return "IVR204";
  if (issue.code === "invalid_value") return "IVR207";
  const own: unknown = issue.code === "custom" ? issue.params?.["code"] : undefined;
  return typeof own === "string" && isCode(own) ? own : "IVR203";
}

/** What was written, where showing it helps. A token is never shown. */
function instead(node: Node, code: Code): string {
  const shown = node.kind === "scalar" && node.text.trim() !== "" && code !== "IVR404";
  return shown ? `, not \`${shorten(node.text)}\`` : "";
}

/** The words for an issue whose schema has none of its own. */
function wording(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "too_small":
      return "must not be empty";
    case "invalid_union": {
      const expected = issue.errors.flatMap((issues) => issues.slice(0, 1).map(expectation));
      return `must be ${either(expected)}`;
    }
    case "unrecognized_keys":
      // The known fields, which an issue does not list, to find the one that is meant.
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

function hintFor(issue: Issue, node: Node): string | undefined {
  if (node.kind !== "scalar") return undefined;
  const words = wordsOf(issue);
  if (words.length > 0 && /[a-z]/i.test(node.text)) return didYouMean(nearest(node.text, words));
  if (node.plain && /^(?:true|false)$/i.test(node.text)) {
    return `If the text ${node.text} is meant, put it in quotes.`;
  }
  return undefined;
}

/** The words that would have been right. */
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
  const unique = [...new Set(expected)];
  const last = unique.pop() ?? "something else";
  return unique.length === 0 ? last : `${unique.join(", ")} or ${last}`;
}
