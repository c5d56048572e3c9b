import * as z from "zod/mini";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Placed, Source, type Span } from "../diagnostics/source.ts";
import { decodeUtf8, readNamed } from "../project/files.ts";
import { rows } from "../schema/fields.ts";
import { limits } from "../schema/limits.ts";
import { PayloadSchema } from "../schema/payload.ts";
import { decodePayload } from "../deploy/service/decode-payload.ts";
import type { Menu } from "../model/menu.ts";
import type { Environment } from "../project/environment.ts";
import type { Payload } from "../schema/wire.ts";
import type { Host } from "../util/host.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import type { Hint } from "../util/suggest.ts";
import { parseJsonSource } from "../yaml/json-text.ts";
import { type Node, at, entry, scalarsIn } from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import { readCurl } from "./curl.ts";

export interface ImportedPayload {
  /** The key that a map of payloads gives it. */
  readonly key: Placed<string> | undefined;
  readonly payload: Payload;
  /** The place of a field, or of the whole payload. */
  readonly at: (...path: readonly PropertyKey[]) => Span;
}

/** A menu from outside. It has its phone numbers, if they are known. */
export interface ImportedMenu extends Pick<ImportedPayload, "key" | "at"> {
  readonly menu: Menu;
  /** The SMS templates of its payload. All of them may mean that there is none. */
  readonly templates?: Payload["sms_template"];
}

export function importedMenu(
  { key, payload, at }: ImportedPayload,
  { wire }: Environment,
): ImportedMenu {
  const menu = decodePayload(payload, wire.no_sms_template);
  return { key, at, menu, ...(payload.sms_template && { templates: payload.sms_template }) };
}

/** The text to import: a file that the user named, or standard input. */
export async function readInput(
  root: string,
  named: string,
  host: Host,
  diagnostics: Diagnostics,
): Promise<Source | undefined> {
  const problems = new Diagnostics();
  const source =
    named === "-"
      ? decodeUtf8("stdin", await readPiped(host.stdin()), "importedText", problems)
      : readNamed(root, named, "importedText", problems);
  // A text that cannot be decoded may contain tokens.
  for (const diagnostic of problems.sorted()) diagnostic.source?.hideAll();
  diagnostics.addAll(problems);
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
  const parsed = parseJsonSource(body);
  if (!parsed.success) {
    // Text that is not JSON may contain anything, also a token.
    body.hideAll();
    diagnostics.add(
      "IVR651",
      parsed.span,
      "This is not valid JSON.",
      "Correct the JSON here. Names and texts need straight double quotes, and no comma may come before a closing bracket.",
    );
    return [];
  }
  // JSON may have tabs and three characters that YAML does not allow.
  const text = body.text.replaceAll("\t", " ").replaceAll(/[\u007F\uFFFE\uFFFF]/g, escaped);
  const source = new Source(body.file, text);
  const problems = new Diagnostics();
  const root = readYaml(source, problems)[0]?.root;
  if (root === undefined || problems.hasErrors) {
    source.hideAll();
    diagnostics.addAll(problems);
    return [];
  }
  const inexact = scalarsIn(root).find(
    ({ plain, text: written }) =>
      plain && /\d/.test(written) && !Number.isSafeInteger(Number(written)),
  );
  if (inexact !== undefined) {
    source.hideAll();
    const message = "ivrctl cannot keep this number exactly.";
    diagnostics.add("IVR655", inexact, message, "Write it as text, in quotes.");
    return [];
  }
  const candidates = candidatesIn(parsed.value);
  if (candidates.length === 0) {
    diagnostics.add("IVR651", root, "The input contains no payload.", pasteHelp);
  }
  return candidates.flatMap(([path, value]) => readPayload(path, value, root, diagnostics) ?? []);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The values that may be payloads, and their paths. */
function candidatesIn(value: unknown): (readonly [path: string[], value: unknown])[] {
  const isObject = (given: unknown) => typeof given === "object" && given !== null;
  const inner = isObject(value) ? Object.entries(value) : [];
  // No field of a payload is a mapping, so a mapping of mappings is a map of payloads by key.
  const isMap =
    isObject(value) && inner.every(([, item]) => isObject(item) && !Array.isArray(item));
  return Array.isArray(value) || isMap ? inner.map(([key, item]) => [[key], item]) : [[[], value]];
}

function readPayload(
  path: readonly string[],
  value: unknown,
  root: Node,
  diagnostics: Diagnostics,
): ImportedPayload | undefined {
  const node = at(root, path);
  const place = (...inner: readonly PropertyKey[]): Span =>
    inner.length === 0 ? node.source.span(node.start, node.start + 1) : at(node, inner);
  const parsed = PayloadSchema.safeParse(value);
  if (parsed.success) {
    const named = entry(root, path[0] ?? "")?.key;
    const key = named && path.length > 0 ? { value: named.text, at: named } : undefined;
    return { key, payload: parsed.data, at: place };
  }
  // Something that is not a payload may contain a token.
  node.source.hideAll();
  const report = (span: Span, message: string, hint?: Hint) =>
    diagnostics.add("IVR655", span, message, hint);
  for (const issue of parsed.error.issues) {
    const [first] = issue.path;
    if (issue.code === "unrecognized_keys") {
      for (const name of issue.keys.slice(0, maxUnknown)) {
        // A key that is not a word may be a misplaced secret, so it is not shown.
        const what = /^[A-Za-z][\w-]{0,30}$/.test(name) ? `field \`${name}\`` : "such field";
        const hint = didYouMean(nearest(name, payloadFields)) ?? "Remove it.";
        report(entry(node, name)?.key ?? node, `There is no ${what} in a payload.`, hint);
      }
    } else if (first === undefined && issue.code === "custom") {
      const hint = "Give each option one destination, in the same order.";
      report(place("option"), `The payload ${issue.message}.`, hint);
    } else if (first === undefined) {
      const hint = 'Write an object with fields such as "name" and "option".';
      report(place(), "A payload must be a JSON object.", hint);
    } else if (entry(node, String(first)) === undefined) {
      report(place(), `\`${String(first)}\` is missing.`, "Add the field.");
    } else report(place(...issue.path), `\`${z.core.toDotPath(issue.path)}\` ${issue.message}.`);
  }
  return undefined;
}

/** The maximum number of unknown fields to report. A file with more is probably not a payload. */
const maxUnknown = 20;
const payloadFields = rows.map(([, { wire }]) => wire);
