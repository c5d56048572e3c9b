import { isMap, isPair, isScalar } from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { keyPattern } from "../schema/field-types.ts";
import { isOfOption, rows } from "../schema/fields.ts";
import { menuFieldNames } from "../schema/menu.ts";
import { destinationText, recordingText } from "../deploy/service/encode-payload.ts";
import type { Destination } from "../model/menu.ts";
import { type MenuField, fieldsIn } from "../model/menu-diff.ts";
import { shorten } from "../util/nearest.ts";
import type { ImportedMenu } from "./payloads.ts";
import type { Reference, References } from "../references/shortest-reference.ts";
import { type Value, documentText, newDocument } from "../yaml/new-document.ts";

export interface WrittenField {
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
const sections = ["", ...menuFieldNames];

/** The kinds of fields, in the order in which they are written. Others come before them. */
const kinds = ["text", "phones", "count", "number", "recording", "destination"];

/** Every field of the file that compiles to a menu. `null` removes a default that it does not have. */
export function importedFields(
  { menu, at }: ImportedMenu,
  references: References,
  diagnostics: Diagnostics,
): WrittenField[] {
  const destination = (to: Destination, place: Span): Reference => {
    const text = destinationText(to);
    const isValid =
      to.kind === "menu" && to.key !== undefined
        ? keyPattern.test(to.key)
        : /^[^\s|]+\|\|\S*$/.test(text);
    if (!isValid) {
      diagnostics.add(
        "IVR655",
        place,
        `A destination must be \`KIND||ID\` without spaces, not \`${shorten(text.replace(/^\|\|/, ""))}\`.`,
        "Write a value such as `extension||500101`.",
      );
      return { value: "" };
    }
    return references.destination(to);
  };
  const written = (field: MenuField, place: Span): { value: Value; note?: string } => {
    if (field.is === "recording") return references.recording(field.value.id);
    if (field.is === "destination") return destination(field.value, place);
    if (field.is === "sms") return references.smsTemplate(field.value.id);
    return { value: field.is === "text" ? field.value : number(field.value) };
  };
  const inMenu = fieldsIn(menu);
  const general = rows
    .filter(([path]) => path !== "options" && !isOfOption(path))
    .map(([path, { is, wire }]) => {
      const [place, field] = [at(wire), inMenu.get(path)];
      const to = field === undefined ? { value: null } : written(field, place);
      const notes = field === undefined ? [] : notesOn(field, to);
      return { is, path: path.split("."), at: place, value: to.value, notes };
    });
  const { numbers = [] } = menu;
  const phones = { is: "phones", path: ["numbers"], at: at("name"), value: numbers };
  const keys = menu.options.map(({ key }) => key);
  const twice = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (twice !== -1) {
    const message = `The payload has the option \`${shorten(keys[twice] ?? "")}\` twice.`;
    diagnostics.add("IVR655", at("option", twice), message, "Remove one of the two.");
  }
  const options = menu.options.map((option, index): WrittenField => {
    const { key, destination: reached, sms, for: purpose } = option;
    const path = ["options", key];
    const place = at("destination", index);
    const to = destination(reached, place);
    const notes = noteWith(destinationText(reached), to);
    const template = sms && references.smsTemplate(sms.id);
    const value = optionValue(to.value, purpose, template?.value);
    const more = sms && template ? noteWith(sms.id, template) : [];
    return { path, value, at: place, notes: [...notes, ...more] };
  });
  const others = [...general, ...(numbers.length === 0 ? [] : [phones])];
  return [...others.toSorted((a, b) => kinds.indexOf(a.is) - kinds.indexOf(b.is)), ...options];
}

/** An option as a file writes it: only where it goes, or a mapping that also says what it is for. */
export function optionValue(
  to: Reference["value"],
  purpose: string | undefined,
  sms: Reference["value"] | undefined,
): Value {
  if (purpose === undefined && sms === undefined) return to;
  const mapping = typeof to === "string" ? { agent: to } : to;
  return {
    ...(purpose !== undefined && { for: purpose }),
    ...mapping,
    ...(sms !== undefined && { sms }),
  };
}

function notesOn(field: MenuField, to: { readonly note?: string }): Note[] {
  if (field.is === "destination") return noteWith(destinationText(field.value), to);
  if (field.is === "recording") return noteWith(recordingText(field.value), to);
  return noteWith(typeof field.value === "string" ? field.value : field.value.id, to);
}

function noteWith(sent: string, { note }: { readonly note?: string }): Note[] {
  return note === undefined ? [] : [{ sent, text: note }];
}

export function inFileOrder(written: readonly WrittenField[]): WrittenField[] {
  const sectionOf = ({ path }: WrittenField) =>
    sections.indexOf(path.length === 1 ? "" : (path[0] ?? ""));
  return written.toSorted((a, b) => sectionOf(a) - sectionOf(b));
}

export function menuText(written: readonly WrittenField[]): string {
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
