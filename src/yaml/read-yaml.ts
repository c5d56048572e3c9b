import {
  CST,
  Composer,
  type DocumentOptions,
  type ErrorCode,
  Lexer,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  type YAMLError,
  type Document as YamlDocument,
  visit,
} from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { limits } from "../schema/limits.ts";
import type { MapNode, Node } from "./node.ts";
import { Builder, Excess, reportDepth } from "./tree-builder.ts";

/** One YAML document. The root is undefined if the document is empty or cannot be read. */
export interface YamlText {
  readonly root: Node | undefined;
  readonly broken: boolean;
  /** Where it ends in the file, its last comments included. */
  readonly end: number;
}

const maxSyntaxErrors = 10;

/**
 * The failsafe schema keeps the characters of every scalar. `resolveKnownTags: false` keeps tags
 * such as `!!omap`, which are reported, from creating other kinds of nodes.
 */
const options = {
  schema: "failsafe",
  resolveKnownTags: false,
  prettyErrors: false,
  uniqueKeys: false,
  logLevel: "silent",
} satisfies ParseOptions & DocumentOptions & SchemaOptions;

/** Reads all documents of a YAML text and reports its errors. */
export function readYaml(source: Source, diagnostics: Diagnostics): YamlText[] {
  const unreadable = [{ root: undefined, broken: true, end: source.text.length }];
  const control = source.text.search(controlCharacter);
  if (control !== -1) {
    const code = source.text.charCodeAt(control).toString(16).toUpperCase().padStart(4, "0");
    diagnostics.add(
      "IVR104",
      source.span(control, control + 1),
      `YAML does not allow the control character U+${code}.`,
      "Delete it. If the file is damaged, restore it from git.",
    );
    return unreadable;
  }
  const conflicts = [...source.text.matchAll(/^<{7} .*$/gm)];
  for (const { 0: marker, index } of conflicts) {
    diagnostics.add(
      "IVR101",
      source.span(index, index + marker.trimEnd().length),
      "This is the start of a merge conflict.",
      "Keep one of the two versions, and delete the markers.",
    );
  }
  if (conflicts.length > 0) return unreadable;
  try {
    const tokens = parse(source, diagnostics);
    const documents = [...new Composer(options).compose(tokens)];
    reportTags(source, tokens, diagnostics);
    return documents.map((document) => readDocument(source, document, diagnostics));
  } catch (error) {
    if (!(error instanceof Excess)) throw error;
    return unreadable;
  }
}

/** Returns the tokens of each document. Stops where the text is nested too deep: the library recurses. */
function parse(source: Source, diagnostics: Diagnostics): CST.Token[] {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(source.text)) {
    tokens.push(...parser.next(lexeme));
    // A document, and one collection for each level.
    const top = parser.stack[limits.depth + 2];
    if (top === undefined) continue;
    reportDepth(source.span(top.offset, top.offset), diagnostics);
    throw new Excess();
  }
  return [...tokens, ...parser.end()];
}

function readDocument(
  source: Source,
  document: YamlDocument.Parsed,
  diagnostics: Diagnostics,
): YamlText {
  const end = document.range[2];
  const broken = reportSyntax(source, document, diagnostics);
  if (broken) return { root: undefined, broken, end };
  const builder = new Builder(source, document, diagnostics);
  return { root: builder.root(), broken: builder.broken, end };
}

/** A document that must be a mapping. The root is undefined, and reported, if it is none. */
interface MappingText {
  readonly root: MapNode | undefined;
  readonly end: number;
}

/** Reads the mappings of a file, one for each document. `noun` and `hint` say what they must contain. */
export function readMappings(
  source: Source,
  noun: string,
  hint: string,
  diagnostics: Diagnostics,
): MappingText[] {
  const documents = readYaml(source, diagnostics).filter(({ root, broken }) => root ?? broken);
  if (documents.length === 0) {
    diagnostics.add("IVR106", source.top(), `This file has no ${noun}.`, hint);
  }
  return documents.map(({ root, end }) => {
    if (root === undefined || root.kind === "map") return { root, end };
    const kind = root.kind === "list" ? "a list" : "text";
    diagnostics.add("IVR106", root, `This is ${kind}, not a mapping.`, hint);
    return { root: undefined, end };
  });
}

/** Reads the mapping of a file that can have only one document. */
export function readMapping(
  source: Source,
  noun: string,
  hint: string,
  diagnostics: Diagnostics,
): MappingText | undefined {
  const [first, second] = readMappings(source, noun, hint, diagnostics);
  if (second?.root !== undefined) {
    diagnostics.addStructure(
      "IVR101",
      second.root.entries[0]?.key ?? second.root,
      `${source.file} can have only one document, and this is a second one.`,
      "Remove the `---` above it, or everything after it.",
    );
  }
  return first;
}

/** Reports the errors of the YAML library. Returns whether there are any. */
function reportSyntax(
  source: Source,
  document: YamlDocument.Parsed,
  diagnostics: Diagnostics,
): boolean {
  const errors = document.errors.filter(({ code }) => !aboutTags.has(code));
  const lines = new Set<number>();
  for (const error of errors) {
    const span = placeOf(source, document, error);
    const { line } = source.position(span.start);
    // Further errors on the same line nearly always have the same cause.
    if (lines.has(line)) continue;
    lines.add(line);
    if (lines.size > maxSyntaxErrors) break;
    const [message = error.message.replace(/\.?$/, "."), hint = check] =
      explanations[error.code] ?? [];
    diagnostics.add("IVR101", span, message, hint);
  }
  return errors.length > 0;
}

/** The place of an error. A quote or bracket is reported where it begins, not where it should be closed. */
function placeOf(source: Source, document: YamlDocument, { message, pos }: YAMLError): Span {
  const { text } = source;
  let [start, end] = pos;
  const isQuote = /^Missing closing .quote/.test(message);
  if (isQuote || message.startsWith("Flow")) {
    const sign = isQuote ? /["']/ : /[{[]/;
    visit(document, {
      Node(_, { range }) {
        if (range && range[0] <= pos[0] && sign.test(text[range[0]] ?? "")) {
          [start, end] = [range[0], range[0] + 1];
        }
      },
    });
  }
  return source.span(Math.min(start, text.length), Math.min(Math.max(end, start), text.length));
}

const check = "Check the indentation, quotes and brackets in this line and the line above.";

/** Errors that no correction explains, in better words than those of the library. */
const explanations: Partial<Record<ErrorCode, readonly [message: string, hint: string]>> = {
  BLOCK_AS_IMPLICIT_KEY: [
    "A second key or a `-` cannot be here.",
    "Remove the `-`, put the text in quotes, or write the second key on its own line.",
  ],
  MULTILINE_IMPLICIT_KEY: [
    "There is no `: ` after the key in this line.",
    "Add a colon and a space after the key, for example `name: Front desk`.",
  ],
};

/** Errors about tags, which are reported anyway. */
const aboutTags: ReadonlySet<string> = new Set(["TAG_RESOLVE_FAILED", "BAD_COLLECTION_TYPE"]);

const controlCharacter = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\uFFFE\uFFFF]/;

/** Reports tags, one in a line. Values are text, so a tag has no use. */
function reportTags(source: Source, tokens: readonly CST.Token[], diagnostics: Diagnostics): void {
  if (!/(?:^|[\s,[{])!/.test(source.text)) return;
  const lines = new Set<number>();
  for (const document of tokens) {
    if (document.type !== "document") continue;
    CST.visit(document, ({ start, sep = [] }) => {
      for (const { type, offset, source: tag } of [...start, ...sep]) {
        if (type !== "tag") continue;
        const { line } = source.position(offset);
        if (lines.has(line)) continue;
        lines.add(line);
        diagnostics.addStructure(
          "IVR101",
          source.span(offset, offset + tag.length),
          `The tag \`${tag}\` is not allowed.`,
          "Remove the tag. ivrctl reads every value as text and keeps all digits.",
        );
      }
    });
  }
}
