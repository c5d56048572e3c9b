import {
  type DocumentOptions,
  type ParseOptions,
  type SchemaOptions,
  type Document as YamlDocument,
  parseAllDocuments,
} from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { reportTags } from "./aliases.ts";
import { limits } from "../schema/limits.ts";
import { Builder, reportDepth } from "./tree-builder.ts";
import type { Node } from "./node.ts";
import { repair } from "./repair.ts";
import { explainSyntax } from "./syntax.ts";

/** One YAML document. The root is undefined if the document is empty or cannot be read. */
export interface YamlText {
  readonly root: Node | undefined;
  readonly broken: boolean;
  /** Where it ends in the file, its last comments included. */
  readonly end: number;
}

const maxSyntaxErrors = 10;
/** The maximum number of repairs. The parser may find a mistake only after it reads a repaired text. */
const maxRepairs = 12;

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

interface Reading {
  /** Whether an alias without an anchor becomes a node. Otherwise the document counts as broken. */
  readonly keepUnresolvedAliases?: boolean;
}

/** Reads all documents of a YAML text and reports its errors. */
export function readYaml(
  source: Source,
  diagnostics: Diagnostics,
  { keepUnresolvedAliases = false }: Reading = {},
): YamlText[] {
  const unreadable = firstUnreadable(source);
  if (unreadable !== undefined) {
    const { message, hint } = controlCharacter(source.text, unreadable.start);
    diagnostics.add("IVR104", unreadable, message, hint);
    return [{ root: undefined, broken: true, end: source.text.length }];
  }
  try {
    return readDocuments(source, diagnostics, keepUnresolvedAliases);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The stack is exhausted.
    reportDepth(tooDeep(source), diagnostics);
    return [{ root: undefined, broken: true, end: source.text.length }];
  }
}

function readDocuments(
  source: Source,
  diagnostics: Diagnostics,
  keepUnresolvedAliases: boolean,
): YamlText[] {
  let documents = parse(source.text);
  let text = source.text;
  for (let round = 0; round < maxRepairs; round += 1) {
    const repaired = repair(source, text, documents, diagnostics);
    if (repaired === text) break;
    text = repaired;
    documents = parse(text);
  }
  const repaired = text !== source.text;
  reportTags(source, diagnostics);
  return documents.map((document) => {
    const end = document.range[2];
    const broken = reportSyntax(source, document, diagnostics);
    if (broken) return { root: undefined, broken, end };
    const builder = new Builder(source, document, repaired, diagnostics, keepUnresolvedAliases);
    return { root: builder.root(), broken: builder.broken, end };
  });
}

/** Reports the second document of a file that can have only one. */
export function reportSecond(second: Node | undefined, diagnostics: Diagnostics): void {
  if (second === undefined) return;
  diagnostics.addAs(
    "structure",
    "IVR101",
    second.kind === "map" ? (second.entries[0]?.key ?? second) : second,
    `${second.source.file} can have only one document, and this is a second one.`,
    "Remove the `---` above it, or everything after it.",
  );
}

function parse(text: string): YamlDocument.Parsed[] {
  const documents = parseAllDocuments(text, options);
  return Array.isArray(documents) ? documents : [];
}

function reportSyntax(
  source: Source,
  document: YamlDocument.Parsed,
  diagnostics: Diagnostics,
): boolean {
  const errors = document.errors.filter(({ code }) => !aboutTags.has(code));
  const lines = new Set<number>();
  for (const error of errors) {
    const { line } = source.position(Math.min(error.pos[0], source.text.length));
    // Further errors on the same line nearly always have the same cause.
    if (lines.has(line)) continue;
    lines.add(line);
    if (lines.size > maxSyntaxErrors) break;
    const { span, code, message, hint } = explainSyntax(source, document, error);
    if (error.code === "RESOURCE_EXHAUSTION") reportDepth(tooDeep(source), diagnostics);
    else diagnostics.add(code, span, message, hint);
  }
  return errors.length > 0;
}

/** The first bracket that is too deep, as far as brackets tell. Where the stack ends depends on the machine. */
function tooDeep(source: Source): Span {
  let depth = 0;
  for (const { 0: bracket, index } of source.text.matchAll(/[[\]{}]/g)) {
    depth += /[[{]/.test(bracket) ? 1 : -1;
    if (depth > limits.depth) return source.span(index, index + 1);
  }
  return source.top();
}

/** Errors about tags, which are reported anyway. */
const aboutTags: ReadonlySet<string> = new Set(["TAG_RESOLVE_FAILED", "BAD_COLLECTION_TYPE"]);

const unreadableCharacter = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\uFFFE\uFFFF]/;

function firstUnreadable(source: Source): Span | undefined {
  const start = source.text.search(unreadableCharacter);
  return start === -1 ? undefined : source.span(start, start + 1);
}

function controlCharacter(text: string, offset: number) {
  const code = text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, "0");
  return code === "0000"
    ? {
        message: "The file contains a NUL byte (U+0000). It is damaged, or not a text file.",
        hint: "Restore the file from git, or save it again as text.",
      }
    : { message: `YAML does not allow the control character U+${code}.`, hint: "Delete it." };
}
