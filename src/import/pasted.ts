import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { payloadFields } from "../compile/payload-file.ts";
import type { Node, ScalarNode } from "../yaml/node.ts";
import { readCurl } from "./curl.ts";
import { ExtractedText } from "./extracted-text.ts";
import { readJson } from "./json.ts";

/** A value that may be a payload, and the key it has in a map of payloads. */
export interface Candidate {
  readonly node: Node;
  readonly key: ScalarNode | undefined;
}

/** Reads a file that a pasted command names. Reports a problem at the name. */
export type ReadFile = (name: string, at: Span) => Source | undefined;

/** Finds all values in a text that may be payloads. The text is JSON or `curl` commands. */
export function readPasted(
  source: Source,
  readFile: ReadFile,
  diagnostics: Diagnostics,
): Candidate[] {
  if (source.text.trim() === "") {
    diagnostics.add("IVR651", source.top(), "The text to import is empty.", pasteHelp);
    return [];
  }
  if (/^\s*["{[]/.test(source.text)) {
    return candidatesIn(new ExtractedText(source), diagnostics);
  }
  return readCurl(source, diagnostics).flatMap(({ kind, text }) => {
    if (kind === "text") return candidatesIn(text, diagnostics, text.all());
    const file = readFile(text.text.slice(1), text.all());
    return file === undefined
      ? []
      : candidatesIn(new ExtractedText(file), diagnostics, file.span(0, file.text.length));
  });
}

const pasteHelp = "Paste a payload as JSON, or a `curl` command that sends one.";

/** Finds payloads in JSON. `foreign` is the body of a command, which may contain anything. */
function candidatesIn(json: ExtractedText, diagnostics: Diagnostics, foreign?: Span): Candidate[] {
  const root = readJson(json, diagnostics);
  if (root === undefined) {
    if (foreign !== undefined || suspicious.test(json.text)) coverWords(foreign ?? json.all());
    return [];
  }
  const candidates = valuesIn(root);
  for (const { node } of candidates) coverUnknown(node);
  if (candidates.length === 0) {
    diagnostics.add("IVR651", root, "The input contains no payload.", pasteHelp);
  }
  return candidates;
}

function valuesIn(root: Node): Candidate[] {
  if (root.kind === "list") return root.items.map((node) => ({ node, key: undefined }));
  // No field of a payload is a mapping, so a mapping of mappings is a map of payloads by key.
  if (root.kind === "map" && root.entries.every(({ value }) => value.kind === "map")) {
    return root.entries.map(({ key, value }) => ({ node: value, key }));
  }
  return [{ node: root, key: undefined }];
}

const suspicious = /tok[eo]?n|secret|passw|bearer|authori|api[_-]?key|cookie|\beyJ/i;
const known: ReadonlySet<string> = new Set(payloadFields);

/** Hides text that is not JSON and may contain anything, except the words of a payload. */
function coverWords({ source, start, end }: Span): void {
  for (const word of source.text.slice(start, end).matchAll(/[^\s{}[\]"':,]+/g)) {
    if (known.has(word[0])) continue;
    source.cover(start + word.index, start + word.index + word[0].length);
  }
}

/** Hides the values of unknown fields, because they may contain a token. */
function coverUnknown(node: Node): void {
  if (node.kind !== "map") {
    node.source.cover(node.start, node.end);
    return;
  }
  for (const { key, value } of node.entries) {
    if (!known.has(key.text) || value.kind === "map") value.source.cover(value.start, value.end);
    if (!/^[A-Za-z][\w-]{0,30}$/.test(key.text)) key.source.cover(key.start, key.end);
  }
}
