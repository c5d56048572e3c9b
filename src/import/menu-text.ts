import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import { keyPattern } from "../schema/common.ts";
import {
  type FieldPath,
  type Field as TableField,
  fields,
  isOfOption,
  rows,
} from "../schema/fields.ts";
import { type Payload, referencedMenu } from "../schema/wire.ts";
import { shorten } from "../util/nearest.ts";
import { suggest } from "../util/suggest.ts";
import type { ImportedPayload } from "./payloads.ts";
import { type Reference, type References, flowMap } from "./references.ts";
import { blockText, quoted, scalar } from "./yaml-text.ts";

/** The parts of a menu file, in order. */
const sections = ["", "options", "invalid", "timeout", "extra"] as const;
type Section = (typeof sections)[number];

/** One field of a menu file. */
export interface Field {
  readonly section: Section;
  readonly name: string;
  readonly value: string;
  readonly comment?: string | undefined;
  /** Its place in the payload. */
  readonly at: Span;
  readonly unnamed: readonly Unnamed[];
  /** Why `validate` will reject it. */
  readonly invalid?: string | undefined;
}

/** A value without a name, to which the menu refers by its id. */
export interface Unnamed {
  /** `options.1`, `invalid.recording`. */
  readonly field: string;
  /** The value in the payload. */
  readonly value: string;
  readonly reason: string;
}

/** Every field of the menu that compiles to a payload. `null` removes a default that it does not have. */
export function fieldsOf(
  imported: ImportedPayload,
  environment: Environment,
  references: References,
  diagnostics: Diagnostics,
): Field[] {
  const { numbers = [], at } = imported;
  const writer = new FieldWriter(imported, references, diagnostics);
  const phones: Field = {
    section: "",
    name: "numbers",
    value: `[${numbers.map(quoted).join(", ")}]`,
    at: at("name"),
    unnamed: [],
  };
  const own = inFile.map((row) => writer.field(...row));
  const texts = inFile.filter(([, { is }]) => is === "text").length;
  return [
    ...own.slice(0, texts),
    ...(numbers.length === 0 ? [] : [phones]),
    ...own.slice(texts),
    ...writer.options(environment),
  ].toSorted((a, b) => sections.indexOf(a.section) - sections.indexOf(b.section));
}

/** The fields of a menu file, except its options, in the order of its kinds. */
const inFile = ["text", "count", "number", "recording", "destination"].flatMap((kind) =>
  rows.filter(([path, { is }]) => is === kind && !isOfOption(path)),
);

/** A default option that the payload does not have. */
export function removedOption(key: string, at: Span): Field {
  return { section: "options", name: number(key), value: "null", at, unnamed: [] };
}

class FieldWriter {
  readonly #imported: ImportedPayload;
  readonly #references: References;
  readonly #diagnostics: Diagnostics;

  constructor(imported: ImportedPayload, references: References, diagnostics: Diagnostics) {
    this.#imported = imported;
    this.#references = references;
    this.#diagnostics = diagnostics;
  }

  /** A field of the table. */
  field(path: FieldPath, { is }: TableField): Field {
    const wire = fields[path].wire;
    const sent = this.#imported.payload[wire];
    const at = this.#imported.at(wire);
    const parts = path.split(".");
    const own = {
      section: sections.find((section) => parts.length > 1 && section === parts[0]) ?? "",
      name: parts.at(-1) ?? "",
      at,
    };
    const value = String(sent);
    if (sent === undefined) return { ...own, value: "null", unnamed: [] };
    if (is === "destination" || is === "recording") {
      const reference =
        is === "destination"
          ? this.#reference(value, at)
          : this.#references.recording(value.replace(/^recording\|\|/, ""));
      return {
        ...own,
        value: reference.value,
        comment: reference.comment,
        unnamed: unnamed(path, value, reference),
        invalid: reference.invalid && reference.comment,
      };
    }
    const isName = path === "name";
    const text = is === "text" ? (isName ? scalar(value) : blockText(value, "  ")) : number(value);
    return { ...own, value: text, unnamed: [] };
  }

  options(environment: Environment): Field[] {
    const { payload, at } = this.#imported;
    const templates = templatesIn(payload, environment);
    if (payload.sms_template !== undefined && templates === undefined) {
      this.#diagnostics.add(
        "IVR659",
        at("sms_template"),
        "`sms_template` has no template, so the menu leaves it out.",
      );
    }
    return payload.option.map((own, index): Field => {
      const sends = payload.destination[index] ?? "";
      const place = at("destination", index);
      const to = this.#reference(sends, place);
      const template = templates?.[index];
      const sms = template === undefined ? undefined : this.#references.smsTemplate(template);
      const ids = unnamed(`options.${own}`, sends, to);
      return {
        section: "options",
        name: number(own),
        value: sms === undefined ? to.value : flowMap(to.fields.concat(`sms: ${sms.value}`)),
        comment: [to.comment, sms?.comment].filter(Boolean).join("; "),
        at: place,
        unnamed: sms ? ids.concat(unnamed(`options.${own}.sms`, template ?? "", sms)) : ids,
        invalid: to.invalid && to.comment,
      };
    });
  }

  #reference(text: string, at: Span): Reference {
    const menu = referencedMenu(text);
    if (menu !== undefined && keyPattern.test(menu)) {
      const fields = [`menu: ${scalar(menu, { flow: true })}`];
      return { value: flowMap(fields), fields };
    }
    const [, kind, id = ""] = /^([^\s|]+)\|\|(\S*)$/.exec(text) ?? [];
    if (kind === undefined) {
      this.#diagnostics.add(
        "IVR655",
        at,
        `A destination must be \`KIND||ID\` without spaces, not \`${shorten(text)}\`.`,
        /^[0-9]+$/.test(text)
          ? `Write \`extension||${text}\` for an agent.`
          : "Write a value such as `extension||500101`.",
      );
      return { value: "null", fields: [] };
    }
    if (kind === "extension") return this.#references.agent(id);
    const fields = [`kind: ${scalar(kind, { flow: true })}`, `id: ${quoted(id)}`];
    const reference = { value: flowMap(fields), fields };
    return kind === "ivr"
      ? { ...reference, nameless: "this menu is not in the project" }
      : reference;
  }
}

/** The SMS template of each option; undefined for an option without one, and if no option has one. */
export function templatesIn(
  { sms_template: templates }: Payload,
  { wire }: Environment,
): readonly (string | undefined)[] | undefined {
  const ids = templates?.map((id) => (id === "" || id === wire.noSmsTemplate ? undefined : id));
  return ids?.some((id) => id !== undefined) ? ids : undefined;
}

function unnamed(field: string, value: string, { nameless }: Reference): Unnamed[] {
  return nameless === undefined ? [] : [{ field, value, reason: nameless }];
}

/** Reports the agents that `validate` will reject. */
export function warnOfInvalid(
  fields: readonly Field[],
  environment: Environment,
  diagnostics: Diagnostics,
): void {
  for (const { at, invalid } of fields) {
    if (invalid === undefined) continue;
    diagnostics.add("IVR659", at, `${invalid[0]?.toUpperCase()}${invalid.slice(1)}.`, {
      words: "Correct the menu after the import. If the agent list is old, pull it again:",
      argv: suggest("agents pull", [], environment.name),
    });
  }
}

/** The text of a menu, and the field of each line. */
export function layOut(fields: readonly Field[], head: readonly string[]) {
  const lines: { readonly text: string; readonly field?: Field }[] = head.map((text) => ({ text }));
  let section: Section | undefined;
  for (const field of fields) {
    const { name, value, comment } = field;
    if (field.section !== section) {
      const isApart = section !== undefined && ["", "options"].includes(section);
      section = field.section;
      if (isApart) lines.push({ text: "" });
      if (section !== "") lines.push({ text: `${section}:`, field });
    }
    const indent = section === "" ? "" : "  ";
    const text = `${indent}${name}: ${value}${comment ? ` # ${comment}` : ""}`;
    lines.push(...text.split("\n").map((part) => ({ text: part, field })));
  }
  const text = lines.map((line) => `${line.text}\n`).join("");
  return { text, fieldAt: (line: number): Field | undefined => lines[line - 1]?.field };
}

/** Returns digits as YAML, without quotes if every parser keeps them unchanged. */
function number(given: string | number): string {
  const digits = String(given);
  return /^(?:0|[1-9][0-9]{0,14})$/.test(digits) ? digits : quoted(digits);
}
