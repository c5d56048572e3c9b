import { isMap, isPair, isScalar } from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import { keyPattern } from "../schema/field-types.ts";
import { ownKind } from "../schema/destination-kinds.ts";
import { fields, isOfOption, rows } from "../schema/fields.ts";
import { type Payload, referencedMenu } from "../schema/wire.ts";
import { shorten } from "../util/nearest.ts";
import type { ImportedPayload } from "./payloads.ts";
import type { Reference, References } from "./shortest-reference.ts";
import { type Value, documentText, newDocument } from "./yaml-text.ts";

/** One field of a menu file. */
export interface Field {
  /** Its path in the file: `["options", "1"]`. */
  readonly path: readonly string[];
  /** `null` removes a default. */
  readonly value: Value;
  /** Its place in the payload. */
  readonly at: Span;
  /** What a comment at the end of its line says. */
  readonly notes?: readonly Note[];
}

/** A value of the payload that has no name, or that `validate` will reject. */
export interface Note {
  readonly sent: string;
  readonly text: string;
}

/** The parts of a menu file, in order. */
const sections = ["", "options", "invalid", "timeout", "extra"];

/** The kinds of fields, in the order in which they are written. */
const kinds = ["text", "phones", "count", "number", "recording", "destination"];

/** Every field of the menu that compiles to a payload. `null` removes a default that it does not have. */
export function importedFields(
  { payload, numbers = [], at }: ImportedPayload,
  environment: Environment,
  references: References,
  diagnostics: Diagnostics,
): Field[] {
  const destination = (text: string, place: Span): Reference => {
    const menu = referencedMenu(text);
    if (menu !== undefined && keyPattern.test(menu)) return { value: { menu } };
    const [, kind, id = ""] = /^([^\s|]+)\|\|(\S*)$/.exec(text) ?? [];
    if (kind === "extension") return references.agent(id);
    if (kind === "ivr") return { value: { kind, id }, note: "this menu is not in the project" };
    const row = ownKind(kind ?? "", id);
    if (kind !== undefined) {
      return { value: row ? { [kind]: row.onlyId === undefined ? id : true } : { kind, id } };
    }
    diagnostics.add(
      "IVR655",
      place,
      `A destination must be \`KIND||ID\` without spaces, not \`${shorten(text)}\`.`,
      "Write a value such as `extension||500101`.",
    );
    return { value: "" };
  };
  const written = (is: string, text: string, place: Span): { value: Value; note?: string } => {
    if (is === "recording") return references.recording(text.replace(/^recording\|\|/, ""));
    if (is === "destination") return destination(text, place);
    return { value: is === "text" ? text : number(text) };
  };
  const general = rows
    .filter(([path, { is }]) => kinds.includes(is) && !isOfOption(path))
    .map(([path, { is }]) => {
      const { wire } = fields[path];
      const [place, sent] = [at(wire), payload[wire]];
      const to = sent === undefined ? { value: null } : written(is, String(sent), place);
      const notes = notesOn(String(sent), to);
      return { is, path: path.split("."), at: place, value: to.value, notes };
    });
  const phones = { is: "phones", path: ["numbers"], at: at("name"), value: numbers };
  const templates = templatesIn(payload, environment);
  const keys = payload.option.map(String);
  const twice = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (twice !== -1) {
    const message = `The payload has the option \`${shorten(keys[twice] ?? "")}\` twice.`;
    diagnostics.add("IVR655", at("option", twice), message, "Remove one of the two.");
  }
  const options = keys.map((key, index): Field => {
    const sent = payload.destination[index] ?? "";
    const path = ["options", key];
    const place = at("destination", index);
    const to = destination(sent, place);
    const template = templates?.[index];
    const notes = notesOn(sent, to);
    if (template === undefined) return { path, value: to.value, at: place, notes };
    const sms = references.smsTemplate(template);
    const mapping = typeof to.value === "string" ? { agent: to.value } : to.value;
    const value = { ...mapping, sms: sms.value };
    return { path, value, at: place, notes: [...notes, ...notesOn(template, sms)] };
  });
  const others = [...general, ...(numbers.length === 0 ? [] : [phones])];
  return [...others.toSorted((a, b) => kinds.indexOf(a.is) - kinds.indexOf(b.is)), ...options];
}

function notesOn(sent: string, { note }: { readonly note?: string }): Note[] {
  return note === undefined ? [] : [{ sent, text: note }];
}

/** The SMS template of each option; undefined for an option without one, and if no option has one. */
export function templatesIn(
  { sms_template: templates }: Payload,
  { wire }: Environment,
): readonly (string | undefined)[] | undefined {
  const ids = templates?.map((id) => (id === "" || id === wire.no_sms_template ? undefined : id));
  return ids?.some((id) => id !== undefined) ? ids : undefined;
}

/** The fields by section. */
export function inFileOrder(written: readonly Field[]): Field[] {
  const sectionOf = ({ path }: Field) => sections.indexOf(path.length === 1 ? "" : (path[0] ?? ""));
  return written.toSorted((a, b) => sectionOf(a) - sectionOf(b));
}

/** The text of a menu. */
export function menuText(written: readonly Field[]): string {
  const document = newDocument();
  for (const { path, value, notes = [] } of written) {
    const node = document.createNode(value, { flow: true });
    if (notes.length > 0) node.comment = ` ${notes.map(({ text }) => text).join("; ")}`;
    const keys = path.map((name) => document.createNode(number(name)));
    document.setIn(keys, node);
  }
  // A blank line before and after the options.
  let last: unknown;
  for (const pair of isMap(document.contents) ? document.contents.items : []) {
    if (!isPair(pair) || !isScalar(pair.key)) continue;
    pair.key.spaceBefore = [pair.key.value, last].includes("options");
    last = pair.key.value;
  }
  return documentText(document);
}

/** Digits as a number, if every parser keeps them unchanged. */
function number(text: string): string | number {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : text;
}
