import * as z from "zod/mini";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Placed, Source, type Span } from "../diagnostics/source.ts";
import { decode, readNamed } from "../project/files.ts";
import { rows } from "../schema/fields.ts";
import { limits } from "../schema/limits.ts";
import { PayloadSchema } from "../schema/payload.ts";
import type { Payload } from "../schema/wire.ts";
import type { Host } from "../util/host.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import { parseJson } from "../yaml/json.ts";
import { type Node, at, entry } from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import { readCurl } from "./curl.ts";

/** A payload from outside. */
export interface ImportedPayload {
  /** The key that a map of payloads gives it. */
  readonly key: Placed<string> | undefined;
  readonly payload: Payload;
  /** The phone numbers that point to the menu, if they are known. A payload does not have them. */
  readonly numbers?: readonly string[];
  /** The place of a field, or of the whole payload. */
  readonly at: (...path: readonly PropertyKey[]) => Span;
}

/** The text to import: a file that the user named, or standard input. */
export async function readInput(
  root: string,
  named: string,
  host: Host,
  diagnostics: Diagnostics,
): Promise<Source | undefined> {
  const found = new Diagnostics();
  const source =
    named === "-"
      ? decode("stdin", await readPiped(host.stdin()), "importedText", found)
      : readNamed(root, named, "importedText", found);
  // A text that cannot be decoded may contain tokens.
  for (const diagnostic of found.sorted()) diagnostic.source?.hideAll();
  diagnostics.addAll(found);
  return source;
}

/** Reads all, or a little more than the limit. */
async function readPiped(stdin: NodeJS.ReadStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > limits.importedText) break;
  }
  return Buffer.concat(chunks);
}

/** Reads all payloads in a text: JSON or `curl` commands. Do not use them if there is an error. */
export function readPayloads(source: Source, diagnostics: Diagnostics): ImportedPayload[] {
  if (source.text.trim() === "") {
    diagnostics.add("IVR651", source.top(), "The text to import is empty.", pasteHelp);
    return [];
  }
  const bodies = /^\s*["{[]/.test(source.text) ? [source] : readCurl(source, diagnostics);
  return bodies.flatMap((body) => readBody(body, diagnostics));
}

const pasteHelp = "Paste a payload as JSON, or a `curl` command that sends one.";

function readBody(body: Source, diagnostics: Diagnostics): ImportedPayload[] {
  const parsed = parseJson(body);
  if (!parsed.success) {
    // Text that is not JSON may contain anything, also a token.
    body.hideAll();
    diagnostics.add(
      "IVR651",
      parsed.span,
      "This is not valid JSON.",
      "Correct the JSON at this place. Names and texts need straight double quotes, and no comma may come before a closing bracket.",
    );
    return [];
  }
  // JSON may have tabs and three characters that YAML does not allow.
  const text = body.text.replaceAll("\t", " ").replaceAll(/[\u007F\uFFFE\uFFFF]/g, escaped);
  const json = new Source(body.file, text);
  const found = new Diagnostics();
  const root = readYaml(json, found)[0]?.root;
  if (root === undefined || found.hasErrors) {
    json.hideAll();
    diagnostics.addAll(found);
    return [];
  }
  const candidates = candidatesIn(root);
  if (candidates.length === 0) {
    diagnostics.add("IVR651", root, "The input contains no payload.", pasteHelp);
  }
  return candidates.flatMap(({ key, node }) => readPayload(key, node, diagnostics) ?? []);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

interface Candidate {
  readonly key: Placed<string> | undefined;
  readonly node: Node;
}

function candidatesIn(root: Node): Candidate[] {
  if (root.kind === "list") return root.items.map((node) => ({ node, key: undefined }));
  // No field of a payload is a mapping, so a mapping of mappings is a map of payloads by key.
  if (root.kind === "map" && root.entries.every(({ value }) => value.kind === "map")) {
    return root.entries.map(({ key, value }) => ({
      node: value,
      key: { value: key.text, at: key },
    }));
  }
  return [{ node: root, key: undefined }];
}

function readPayload(
  key: Placed<string> | undefined,
  node: Node,
  diagnostics: Diagnostics,
): ImportedPayload | undefined {
  const place = (...path: readonly PropertyKey[]): Span =>
    (path.length === 0 ? undefined : at(node, path)) ??
    node.source.span(node.start, node.start + 1);
  const parsed = PayloadSchema.safeParse(plainOf(node));
  if (parsed.success) return { key, payload: parsed.data, at: place };
  // Something that is not a payload may contain a token.
  node.source.hideAll();
  const report = (span: Span, message: string, hint?: string) =>
    diagnostics.add("IVR655", span, message, hint);
  for (const issue of parsed.error.issues) {
    const { path, message } = issue;
    const [first] = path;
    if (issue.code === "unrecognized_keys") {
      for (const name of issue.keys.slice(0, maxUnknown)) {
        // A key that is not a word may be a misplaced secret, so it is not shown.
        const shown = /^[A-Za-z][\w-]{0,30}$/.test(name) ? `field \`${name}\`` : "such field";
        const hint = didYouMean(nearest(name, payloadFields)) ?? "Remove it.";
        report(entry(node, name)?.key ?? node, `There is no ${shown} in a payload.`, hint);
      }
    } else if (first === undefined && issue.code === "custom") {
      const hint = "Give each option one destination, in the same order.";
      report(place("option"), `The payload ${message}.`, hint);
    } else if (first === undefined) {
      const hint = 'Write an object with fields such as "name" and "option".';
      report(place(), "A payload must be a JSON object.", hint);
    } else if (entry(node, String(first)) === undefined) {
      report(place(), `\`${String(first)}\` is missing.`, "Add the field.");
    } else report(place(...path), `\`${z.core.toDotPath(path)}\` ${message}.`);
  }
  return undefined;
}

/** The maximum number of unknown fields to report. A file with more is probably not a payload. */
const maxUnknown = 20;
const payloadFields = rows.map(([, { wire }]) => wire);

/** The value of a node. A number that JavaScript cannot hold stays text, so that it keeps its digits. */
function plainOf(node: Node): unknown {
  switch (node.kind) {
    case "scalar": {
      const value: unknown = node.plain ? JSON.parse(node.text) : node.text;
      return typeof value === "number" && !Number.isSafeInteger(value) ? node.text : value;
    }
    case "list":
      return node.items.map(plainOf);
    case "map":
      return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, plainOf(value)]));
  }
}
