import { Pair, YAMLMap } from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import { keyPattern } from "../schema/common.ts";
import { fields, isOfOption, rows } from "../schema/fields.ts";
import { type Payload, referencedMenu } from "../schema/wire.ts";
import { shorten } from "../util/nearest.ts";
import type { ImportedPayload } from "./payloads.ts";
import type { Reference, References } from "./references.ts";
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
  readonly invalid: boolean;
}

/** The parts of a menu file, in order. */
const sections = ["", "options", "invalid", "timeout", "extra"];

/** The fields of a menu file, except its options, in the order of its kinds. */
const inFile = ["text", "count", "number", "recording", "destination"].flatMap((kind) =>
  rows.filter(([path, { is }]) => is === kind && !isOfOption(path)),
);

/** Every field of the menu that compiles to a payload. `null` removes a default that it does not have. */
export function importedFields(
  { payload, numbers = [], at }: ImportedPayload,
  environment: Environment,
  references: References,
  diagnostics: Diagnostics,
): Field[] {
  const own = inFile.map(([path, { is }]): Field => {
    const { wire } = fields[path];
    const sent = payload[wire];
    const place = { path: path.split("."), at: at(wire) };
    const text = String(sent);
    if (sent === undefined) return { ...place, value: null };
    if (is === "text") return { ...place, value: text };
    if (is === "count" || is === "number") return { ...place, value: number(text) };
    const reference =
      is === "recording"
        ? references.recording(text.replace(/^recording\|\|/, ""))
        : destination(text, place.at);
    return { ...place, value: reference.value, notes: notesOn(text, reference) };
  });
  const phones: Field = { path: ["numbers"], at: at("name"), value: numbers };
  const texts = inFile.filter(([, { is }]) => is === "text").length;
  own.splice(texts, 0, ...(numbers.length === 0 ? [] : [phones]));
  function destination(text: string, place: Span): Reference {
    const menu = referencedMenu(text);
    if (menu !== undefined && keyPattern.test(menu)) return { value: { menu } };
    const [, kind, id = ""] = /^([^\s|]+)\|\|(\S*)$/.exec(text) ?? [];
    if (kind === "extension") return references.agent(id);
    if (kind === "ivr") return { value: { kind, id }, note: "this menu is not in the project" };
    if (kind !== undefined) return { value: { kind, id } };
    diagnostics.add(
      "IVR655",
      place,
      `A destination must be \`KIND||ID\` without spaces, not \`${shorten(text)}\`.`,
      /^[0-9]+$/.test(text)
        ? `Write \`extension||${text}\` for an agent.`
        : "Write a value such as `extension||500101`.",
    );
    return { value: "" };
  }
  const templates = templatesIn(payload, environment);
  if (payload.sms_template !== undefined && templates === undefined) {
    diagnostics.add(
      "IVR659",
      at("sms_template"),
      "`sms_template` has no template, so the menu leaves it out.",
    );
  }
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
  return [...own, ...options].toSorted((a, b) => sectionOf(a) - sectionOf(b));
}

function sectionOf({ path }: Field): number {
  return path.length === 1 ? 0 : sections.indexOf(path[0] ?? "");
}

function notesOn(sent: string, { note, invalid = false }: Reference): Note[] {
  return note === undefined ? [] : [{ sent, text: note, invalid }];
}

/** The SMS template of each option; undefined for an option without one, and if no option has one. */
export function templatesIn(
  { sms_template: templates }: Payload,
  { wire }: Environment,
): readonly (string | undefined)[] | undefined {
  const ids = templates?.map((id) => (id === "" || id === wire.no_sms_template ? undefined : id));
  return ids?.some((id) => id !== undefined) ? ids : undefined;
}

/** The text of a menu. */
export function menuText(written: readonly Field[], head: readonly string[]): string {
  const document = newDocument();
  const root = new YAMLMap();
  const inner = new Map<string, YAMLMap>();
  for (const { path, value, notes = [] } of written) {
    const [section = "", name] = path;
    let map = name === undefined ? root : inner.get(section);
    if (map === undefined) {
      const key = document.createNode(section);
      const last = [...inner.keys()].at(-1);
      key.spaceBefore = last === undefined ? root.items.length > 0 : last === "options";
      map = new YAMLMap();
      inner.set(section, map);
      root.items.push(new Pair(key, map));
    }
    const node = document.createNode(value, { flow: true });
    if (notes.length > 0) node.comment = ` ${notes.map(({ text }) => text).join("; ")}`;
    map.items.push(new Pair(document.createNode(number(name ?? section)), node));
  }
  document.contents = root;
  return head.map((line) => `${line}\n`).join("") + documentText(document);
}

/** Digits as a number, if every parser keeps them unchanged. */
function number(text: string): string | number {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : text;
}
