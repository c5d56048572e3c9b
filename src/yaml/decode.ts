import * as z from "zod/mini";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { alternativesAt, fieldsAt } from "../schema/alternatives.ts";
import {
  type FieldMeta,
  type MappingProblem,
  extensionPattern,
  forEditors,
} from "../schema/field-types.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import type { Hint } from "../util/suggest.ts";
import {
  type Node,
  type Path,
  entry,
  isNull,
  isUnusable,
  keyAt,
  nodeAt,
  toPlain,
  withoutPath,
} from "./node.ts";
import {
  type Issue,
  issueCode,
  exampleHint,
  validExample,
  fieldsHint,
  instead,
  isAboutTheWhole,
  pathLabel,
  ruleOf,
  mayName,
  fieldInPath,
  wantsCollection,
  allowedWords,
} from "./issue-words.ts";

/** A value decoded from a tree. */
export interface Decoded<T> {
  /** The value, as far as it is valid. */
  readonly value: T;
  /** The tree without its invalid parts. A path points to the same place in the value and in the tree. */
  readonly tree: Node;
}

/** The schema of a value, and the schema of what is left of it if parts are invalid. */
interface Schemas<T> {
  readonly complete: z.ZodMiniType<T>;
  /** Default: the same. */
  readonly draft?: z.ZodMiniType<T>;
}

interface DecodeOptions {
  readonly diagnostics: Diagnostics;
  /** The start of the decoded text. */
  readonly top: Span;
  /** Where the tree is in its file, for messages. */
  readonly inside?: Path;
  /** Where a field missing at the top level is reported, if not at `top`. */
  readonly missingAt?: Span;
  /** Whether missing fields are not reported, because unknown defaults may provide them. */
  readonly allowMissing?: boolean;
  /** Whether a field may be in `defaults:` instead. */
  readonly mayBeDefault?: (path: Path) => boolean;
  /**
   * How much to leave out if the value at a path is invalid. A part can give another one its meaning:
   * `{ agent: 7, team: Sales }` is not `{ team: Sales }`.
   */
  readonly unitOf?: (path: Path) => Path;
}

/**
 * Decodes a tree. Reports every problem at the place of its value, leaves the invalid part out and
 * decodes the rest. Returns undefined if nothing is left.
 */
export function decode<T>(
  { complete, draft = complete }: Schemas<T>,
  root: Node,
  options: DecodeOptions,
): Decoded<T> | undefined {
  const { unitOf = (path) => path } = options;
  const inspector = new Inspector(complete, options);
  let tree = forEditors.get(complete)?.extensions === true ? withoutExtensions(root) : root;
  let units = unusableIn(tree).map(unitOf);
  for (let schema = complete; ; schema = draft) {
    const parts = outermost(units.map((path) => existing(tree, path)));
    if (parts.some((path) => path.length === 0)) return undefined;
    // The last item of a list first, so that the others keep their places.
    for (const path of parts.toReversed()) tree = withoutPath(tree, path);
    inspector.leftOut.push(...parts);
    const result = z.safeParse(schema, toPlain(tree));
    if (result.success) return { value: result.data, tree };
    units = inspector.report(tree, result.error.issues).flatMap(({ path, isUnknown }) => {
      // What a complete value lacks may be missing in the draft.
      if (schema !== draft && nodeAt(tree, path) === undefined) return [];
      const unit = unitOf(path);
      // An unknown field goes alone, but that of an item may be what the item is about.
      return [isUnknown && typeof unit.at(-1) !== "number" ? path : unit];
    });
  }
}

/** The mapping without the fields that ivrctl ignores. */
function withoutExtensions(root: Node): Node {
  if (root.kind !== "map") return root;
  const entries = root.entries.filter(({ key }) => !extensionPattern.test(key.text));
  return entries.length === root.entries.length ? root : { ...root, entries };
}

/** The paths of values that cannot be used and have been reported. */
function unusableIn(node: Node): Path[] {
  const below = (step: PropertyKey, inner: Node) =>
    unusableIn(inner).map((path) => [step].concat([...path]));
  switch (node.kind) {
    case "scalar":
      return isUnusable(node) ? [[]] : [];
    case "list":
      return node.items.flatMap((item, at) => below(at, item));
    case "map":
      return node.entries.flatMap(({ key, value }) => below(key.text, value));
  }
}

/** The longest start of a path that points to a node. */
function existing(tree: Node, path: Path): Path {
  const end = path.findLastIndex((_, at) => nodeAt(tree, path.slice(0, at + 1)) !== undefined);
  return path.slice(0, end + 1);
}

/** The paths without those inside others, each once. */
function outermost(paths: readonly Path[]): Path[] {
  return paths.filter(
    (path, at) =>
      !paths.some(
        (other, index) => startsWith(path, other) && (other.length < path.length || index < at),
      ),
  );
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((step, at) => path[at] === step);
}

/** Reports the problems of a value that is decoded in several rounds. */
class Inspector {
  /** The paths of the parts that were left out. */
  readonly leftOut: Path[] = [];
  /** Fields that probably exist under a different spelling. */
  readonly #meant = new Set<string>();
  #root: Node | undefined;
  readonly #schema: z.ZodMiniType;
  readonly #options: DecodeOptions;

  constructor(schema: z.ZodMiniType, options: DecodeOptions) {
    this.#schema = schema;
    this.#options = options;
  }

  /** Reports the problems of a round. Returns the paths of unknown fields and of invalid values, in order. */
  report(root: Node, issues: readonly Issue[]) {
    this.#root = root;
    const flat = issues.flatMap((issue) => flattened(issue, []));
    const parts = flat.flatMap(({ issue, path }) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => ({ path: [...path, key], isUnknown: true }))
        : [{ path, isUnknown: false }],
    );
    // Unknown fields first: what seems to be missing next to one may be misspelled.
    for (const { issue, path } of flat) {
      if (issue.code !== "unrecognized_keys") continue;
      const fields = fieldsAt(this.#schema, path);
      for (const key of issue.keys) this.#unknownField(key, path, fields);
    }
    const unknown = parts.filter(({ isUnknown }) => isUnknown).map(({ path }) => path);
    const gone = [...this.leftOut, ...unknown];
    for (const { issue, path } of flat) {
      if (issue.code === "unrecognized_keys") continue;
      // A problem of a part that was left out, or of what contains it, is a consequence.
      if (gone.some((part) => startsWith(path, part) || startsWith(part, path))) continue;
      if (issue.code === "invalid_key") this.#badKey(issue, path);
      else this.#badValue(issue, path);
    }
    return parts;
  }

  #missing(path: Path): void {
    const { diagnostics, allowMissing, mayBeDefault } = this.#options;
    if (allowMissing === true || this.#meant.has(path.join(" "))) return;
    const example = validExample(fieldInPath(path), this.#about(path));
    const orDefault = mayBeDefault?.(path) ? " here, or a default in ivrctl.yaml" : "";
    diagnostics.add(
      "IVR202",
      this.#lacking(path),
      `${this.#label(path)} is missing.`,
      example === undefined ? undefined : `Add a field such as \`${example}\`${orDefault}.`,
    );
  }

  #badValue(issue: Issue, path: Path): void {
    const { diagnostics } = this.#options;
    const node = nodeAt(this.#root, path);
    if (node === undefined) {
      this.#missing(path);
      return;
    }
    const violation = violationIn(issue);
    if (violation !== undefined) {
      const { code, hint, atKey, severity } = violation;
      const name = path.at(-2) === "options" ? `Key ${String(path.at(-1))}` : this.#label(path);
      const message = violation.message.replace("{name}", () => name);
      if (isSetLater(node) && atKey !== true) return;
      const isWhole = node.kind === "map";
      const span = isWhole || atKey === true ? this.#keyOf(path) : node;
      if (isWhole && code === "IVR202") diagnostics.addStructure(code, span, message, hint);
      else diagnostics.add(code, span, message, hint, severity);
      return;
    }
    if (isSetLater(node)) return;
    const meta = this.#metaOf(issue, path);
    const label = this.#label(path);
    if (isNull(node)) {
      const span = node.start === node.end ? this.#keyOf(path) : node;
      diagnostics.add("IVR202", span, `${label} has no value.`, exampleHint(path, meta));
    } else {
      const hint = this.#hintFor(issue, node, path, meta);
      const message = `${label} ${ruleOf(issue, meta)}${instead(node, issue)}.`;
      diagnostics.add(issueCode(issue), node, message, hint);
    }
  }

  #hintFor(issue: Issue, node: Node, path: Path, meta: FieldMeta): Hint | undefined {
    const words = node.kind === "scalar" ? allowedWords(issue) : [];
    if (node.kind === "scalar") {
      const near = /[a-z]/i.test(node.text) ? nearest(node.text, words) : [];
      if (near.length > 0) return didYouMean(near);
      if (node.plain && /^(?:true|false)$/i.test(node.text) && !wantsCollection(issue)) {
        return `Put it in quotes if you mean the text: "${node.text}".`;
      }
      const [, number] = /^\s*([0-9]+)\s*[a-z]*\s*$/i.exec(node.text) ?? [];
      const name = fieldInPath(path);
      if (
        meta.must?.includes("number") &&
        number !== undefined &&
        number !== node.text &&
        name !== undefined
      ) {
        return { words: `Write \`${name}: ${number}\`.`, instead: [number], at: node };
      }
    }
    // The message already lists the allowed words.
    return meta.help ?? (issue.code === "invalid_value" ? undefined : exampleHint(path, meta));
  }

  #badKey(issue: z.core.$ZodIssueInvalidKey, path: Path): void {
    const reason = issue.issues[0] ?? issue;
    const meta = this.#metaOf(reason, path);
    this.#options.diagnostics.add(
      issueCode(reason),
      this.#keyOf(path),
      `\`${String(path.at(-1))}\` ${ruleOf(reason, meta)}.`,
      meta.help,
    );
  }

  #unknownField(key: string, path: Path, fields: readonly string[]): void {
    const { diagnostics } = this.#options;
    const unknownEntry = entry(nodeAt(this.#root, path), key);
    if (unknownEntry === undefined) return;
    if (this.#about(path).neverDefault?.includes(key)) {
      const message = `\`${key}\` cannot be a default, because every menu has its own.`;
      diagnostics.add("IVR211", unknownEntry.key, message, "Move it to a menu.");
      return;
    }
    const moved = this.#about(path).renamed?.[key];
    if (moved !== undefined) {
      const message = `\`${[...path, key].join(".")}\` is now \`${moved}\`.`;
      diagnostics.add("IVR201", unknownEntry.key, message, `Move its value to \`${moved}\`.`);
      return;
    }
    const [, outer = "", inner = ""] = /^([a-z]+)[_-]([a-z_]+)$/.exec(key) ?? [];
    const isInner = inner !== "" && fields.includes(outer);
    const near = isInner ? [] : nearest(key, fields);
    const isTop = path.length === 0 && this.#options.inside === undefined;
    const where = isTop ? "" : ` in ${this.#label(path)}`;
    if (near[0] !== undefined) this.#meant.add([...path, near[0]].join(" "));
    diagnostics.add(
      "IVR201",
      unknownEntry.key,
      `${mayName(unknownEntry.key) ? `There is no field \`${shorten(key)}\`` : "This field is unknown"}${where}.`,
      isInner
        ? `Write \`${inner}\` below \`${outer}\`: \`${outer}: { ${inner}: … }\`.`
        : (didYouMean(near) ?? fieldsHint(fields)),
    );
  }

  /** Where a missing field is reported: the key of its mapping, or the top of the document. */
  #lacking(path: Path): Span {
    const { top, missingAt = top } = this.#options;
    const span = path.length < 2 ? missingAt : this.#keyOf(path.slice(0, -1));
    // If the whole mapping comes from other defaults, the problem is reported in the menu.
    return span.source === top.source || span.source === missingAt.source ? span : missingAt;
  }

  /** What the schema of an invalid value says about it. The check of a text says it itself. */
  #metaOf(issue: Issue, path: Path): FieldMeta {
    const ofCheck: FieldMeta | undefined =
      issue.code === "custom" ? issue.params?.["meta"] : undefined;
    return ofCheck ?? this.#about(path);
  }

  /** What the schema of a value says about it. */
  #about(path: Path): FieldMeta {
    const [schema] = alternativesAt(this.#schema, path);
    return (schema && forEditors.get(schema)) ?? {};
  }

  #label(path: Path): string {
    return pathLabel([...(this.#options.inside ?? []), ...path]);
  }

  #keyOf(path: Path): Span {
    return keyAt(this.#root, path) ?? this.#options.top;
  }
}

/** Whether a value is not known yet, so that its text is not checked. */
function isSetLater(node: Node): boolean {
  return node.kind === "scalar" && node.unusable === "setting";
}

/** The issues inside an issue, with their paths. Those of a union are those of the branch that fits. */
function flattened(issue: Issue, above: Path): { readonly issue: Issue; readonly path: Path }[] {
  const path = [...above, ...issue.path];
  const branch =
    issue.code === "invalid_union"
      ? issue.errors.find((issues) => !issues.some(isAboutTheWhole))
      : undefined;
  return branch?.flatMap((inner) => flattened(inner, path)) ?? [{ issue, path }];
}

/** The violated condition that an issue is about. */
function violationIn(issue: Issue): MappingProblem | undefined {
  const params = issue.code === "custom" && issue.params;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only conditions have a hint
  return params && "hint" in params ? (params as unknown as MappingProblem) : undefined;
}
