import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source, Span } from "../diagnostics/source.ts";
import { payloadFields } from "../compile/payload-file.ts";
import type { MapNode, Node, ScalarNode } from "../yaml/node.ts";
import { readCurl } from "./curl.ts";
import { Decoded } from "./decoded.ts";
import { readJson } from "./json.ts";

/** What may be a payload, and the key that a map gives it. */
export interface Candidate {
  readonly node: Node;
  readonly key: ScalarNode | undefined;
}

/** Reads a file that a pasted command names; what keeps it from that is told at the place. */
export type ReadFile = (name: string, at: Span) => Source | undefined;

/** Every payload in a text: JSON, or `curl` commands that hold it. */
export function readPasted(
  source: Source,
  readFile: ReadFile,
  diagnostics: Diagnostics,
): Candidate[] {
  if (source.text.trim() === "") {
    diagnostics.add("IVR651", source.top(), "There is nothing in it.");
    return [];
  }
  if (/^\s*["{[]/.test(source.text)) return jsonCandidates(Decoded.whole(source), diagnostics);
  return readCurl(source, diagnostics).flatMap((body) => {
    if (body.kind === "text") return jsonCandidates(body.text, diagnostics, body.text.all());
    const file = readFile(body.name, body.at.all());
    return file === undefined
      ? []
      : jsonCandidates(Decoded.whole(file), diagnostics, file.span(0, file.text.length));
  });
}

/** `foreign`: what was not named by the user as JSON, and may be anything when it is none. */
function jsonCandidates(decoded: Decoded, diagnostics: Diagnostics, foreign?: Span): Candidate[] {
  const root = readJson(decoded, diagnostics);
  if (root === undefined) {
    const { source, start, end } = foreign ?? decoded.all();
    if (foreign !== undefined || suspicious.test(decoded.text)) coverWords(source, start, end);
    return [];
  }
  const candidates = candidatesIn(root);
  for (const { node } of candidates) coverUnknown(node);
  if (candidates.length === 0) {
    diagnostics.add("IVR651", root, "There is no payload in it.");
  }
  return candidates;
}

function candidatesIn(root: Node): Candidate[] {
  if (root.kind === "list") return root.items.map((node) => ({ node, key: undefined }));
  if (root.kind === "map" && isMapOfMaps(root)) {
    return root.entries.map(({ key, value }) => ({ node: value, key }));
  }
  return [{ node: root, key: undefined }];
}

/** No field of a payload is a mapping, so these are payloads by their keys. */
function isMapOfMaps({ entries }: MapNode): boolean {
  return entries.every(({ value }) => value.kind === "map");
}

const suspicious = /tok[eo]?n|secret|passw|bearer|authori|api[_-]?key|cookie|\beyJ/i;
const known: ReadonlySet<string> = new Set(payloadFields);

/** What is not JSON may be anything: of its words only those of a payload are shown. */
function coverWords(source: Source, start: number, end: number): void {
  for (const word of source.text.slice(start, end).matchAll(/[^\s{}[\]"':,]+/g)) {
    if (known.has(word[0])) continue;
    source.cover(start + word.index, start + word.index + word[0].length);
  }
}

/** What a payload does not have may be a token: it is never shown. */
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
