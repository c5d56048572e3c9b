import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { keyPattern } from "../schema/common.ts";
import type { WireField } from "../schema/config.ts";
import { menuIdIn, referencedMenu } from "../schema/wire.ts";
import { suggest } from "../util/suggest.ts";
import type { Environment } from "../project/environment.ts";
import type { ImportedPayload, PlacedText } from "./payload.ts";
import { type Presets, optionOnWire } from "./presets.ts";
import { type Reference, type References, flowMap } from "./references.ts";
import { WireValues } from "./wire-values.ts";
import { blockText, quoted, scalar } from "./yaml-text.ts";

/** A value without a name, to which the menu refers by its id. */
interface Unnamed {
  /** `options.1`, `invalid.recording`. */
  readonly field: string;
  /** The value in the payload. */
  readonly value: string;
  readonly reason: string;
}

export interface MenuText {
  readonly text: string;
  readonly unnamed: readonly Unnamed[];
}

/** What is known about the project that a menu is written for. */
export interface ProjectNames {
  readonly environment: Environment;
  readonly references: References;
  readonly presets: Presets;
  /** The keys of menus in the project, by their ids on the service, if the ids are known. */
  readonly menus: ReadonlyMap<string, string> | undefined;
}

/** Writes the menu that compiles to a payload, in the canonical layout, after the lines of `head`. */
export function writeMenu(
  payload: ImportedPayload,
  names: ProjectNames,
  head: readonly string[],
  diagnostics: Diagnostics,
): MenuText {
  return new Writer(payload, names, diagnostics).menu(head);
}

interface Field {
  readonly name: string;
  readonly value: string;
  readonly comment?: string | undefined;
}

class Writer {
  readonly #payload: ImportedPayload;
  readonly #presets: Presets;
  readonly #references: References;
  readonly #menus: ReadonlyMap<string, string> | undefined;
  readonly #environment: string;
  readonly #diagnostics: Diagnostics;
  readonly #wire: WireValues;
  readonly #unnamed: Unnamed[] = [];

  constructor(payload: ImportedPayload, names: ProjectNames, diagnostics: Diagnostics) {
    this.#payload = payload;
    this.#presets = names.presets;
    this.#references = names.references;
    this.#menus = names.menus;
    this.#environment = names.environment.name;
    this.#diagnostics = diagnostics;
    this.#wire = new WireValues(payload, names.environment, diagnostics);
  }

  menu(head: readonly string[]): MenuText {
    const { fields, numbers = [] } = this.#payload;
    const description = fields.description.text;
    const about: Field[] = [
      { name: "name", value: scalar(fields.name.text) },
      ...(this.#presets.text("description") === description
        ? []
        : [{ name: "description", value: blockText(description, "  ") }]),
      ...(numbers.length === 0
        ? []
        : [{ name: "numbers", value: `[${numbers.map(quoted).join(", ")}]` }]),
      ...this.#recording("recording", "recording"),
    ];
    const parts = [
      about.map((field) => line(field, "")),
      this.#section("options", this.#options()),
      [
        ...this.#section("invalid", [
          ...this.#count("invalid.retries", fields.incorrect_count),
          ...this.#recording("invalid.recording", "invalid_recording"),
          ...this.#destination("invalid.destination", fields.invalid_destination),
        ]),
        ...this.#section("timeout", [
          ...this.#count("timeout.wait", fields.timeout),
          ...this.#count("timeout.retries", fields.timeout_tries),
          ...this.#recording("timeout.retry_recording", "timeout_retry_recording"),
          ...this.#recording("timeout.recording", "timeout_recording"),
          ...this.#destination("timeout.destination", fields.timeout_destination),
        ]),
        ...this.#section("extra", [
          ...this.#count("extra.timeout_retries", fields.timeout_retries),
          ...this.#recording("extra.recording_invalid", "recording_invalid"),
        ]),
      ],
    ].filter((lines) => lines.length > 0);
    const text = parts.map((lines) => `${lines.join("\n")}\n`).join("\n");
    return { text: head.map((own) => `${own}\n`).join("") + text, unnamed: this.#unnamed };
  }

  #section(name: string, fields: readonly Field[]): string[] {
    return fields.length === 0 ? [] : [`${name}:`, ...fields.map((field) => line(field, "  "))];
  }

  #options(): Field[] {
    const { options } = this.#payload;
    const templates = this.#wire.smsTemplates();
    const given = options.map((option) => option.key.text);
    const presets = this.#presets.options();
    const sent = options.map((option, index) =>
      optionOnWire(option.destination.text, templates[index] ?? ""),
    );
    const own = options.slice(0, options.length - inherited(given, sent, presets));
    const fields = own.map(({ key: { text: key }, destination }, index) => {
      const to = this.#reference(`options.${key}`, destination);
      const template = templates[index];
      if (template === undefined) {
        return { name: number(key), value: to?.value ?? "", comment: to?.comment };
      }
      const sms = this.#references.smsTemplate(template);
      this.#noteUnnamed(`options.${key}.sms`, template, sms);
      return {
        name: number(key),
        value: flowMap([...(to?.fields ?? []), `sms: ${sms.value}`]),
        comment: [to?.comment, sms.comment].filter(Boolean).join("; "),
      };
    });
    const removed = presets.filter(({ key }) => !given.includes(key));
    return [...fields, ...removed.map(({ key }) => ({ name: number(key), value: "null" }))];
  }

  #count(path: string, count: PlacedText | undefined): Field[] {
    if (count === undefined) return this.#removed(path);
    if (this.#presets.text(path) === count.text) return [];
    return [{ name: lastOf(path), value: number(count.text) }];
  }

  #recording(path: string, field: WireField): Field[] {
    const recording = this.#payload.fields[field];
    if (recording === undefined) return this.#removed(path);
    const id = this.#wire.recording(field, recording);
    if (id === undefined || this.#presets.recording(path) === id) return [];
    const reference = this.#references.recording(id);
    this.#noteUnnamed(path, recording.text, reference);
    return [{ name: lastOf(path), ...reference }];
  }

  /** Removes a default that the payload does not have. */
  #removed(path: string): Field[] {
    return this.#presets.has(path) ? [{ name: lastOf(path), value: "null" }] : [];
  }

  #destination(path: string, destination: PlacedText): Field[] {
    if (this.#presets.destination(path) === destination.text) return [];
    const reference = this.#reference(path, destination);
    return reference === undefined ? [] : [{ name: lastOf(path), ...reference }];
  }

  #reference(path: string, { text, at }: PlacedText): Reference | undefined {
    const menu = this.#menus?.get(menuIdIn(text) ?? "") ?? referencedMenu(text);
    if (menu !== undefined && keyPattern.test(menu)) {
      const fields = [`menu: ${scalar(menu, { flow: true })}`];
      return { value: flowMap(fields), fields };
    }
    const destination = this.#wire.destination({ text, at });
    if (destination === undefined) return undefined;
    const { kind, id } = destination;
    if (kind !== "extension") {
      const fields = [`kind: ${scalar(kind, { flow: true })}`, `id: ${quoted(id)}`];
      if (kind === "ivr" && this.#menus !== undefined) {
        this.#unnamed.push({ field: path, value: text, reason: "this menu is not in the project" });
      }
      return { value: flowMap(fields), fields };
    }
    const reference = this.#references.agent(id);
    if (reference.invalid) {
      const comment = reference.comment ?? "";
      this.#diagnostics.add("IVR659", at, `${comment[0]?.toUpperCase()}${comment.slice(1)}.`, {
        words: "Correct the menu after the import. If the agent list is old, pull it again:",
        argv: suggest("agents pull", [], this.#environment),
      });
    }
    this.#noteUnnamed(path, text, reference);
    return reference;
  }

  #noteUnnamed(field: string, value: string, { nameless }: Reference): void {
    if (nameless !== undefined) this.#unnamed.push({ field, value, reason: nameless });
  }
}

/**
 * The number of options at the end that the menu need not have, because the defaults provide them.
 * Default options come after those of the menu, in the order of the defaults.
 */
function inherited(
  given: readonly string[],
  sent: readonly string[],
  presets: readonly { readonly key: string; readonly sends: string | undefined }[],
): number {
  let count = 0;
  let before = presets.length;
  for (let index = given.length - 1; index >= 0; index -= 1) {
    const at = presets.findIndex(({ key }) => key === given[index]);
    if (at === -1 || at >= before || presets[at]?.sends !== sent[index]) break;
    before = at;
    count += 1;
  }
  return count;
}

function line({ name, value, comment }: Field, indent: string): string {
  return `${indent}${name}: ${value}${comment ? ` # ${comment}` : ""}`;
}

/** Returns digits as YAML, without quotes if every parser keeps them unchanged. */
function number(digits: string): string {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(digits) ? digits : quoted(digits);
}

function lastOf(path: string): string {
  return path.replace(/^.*\./, "");
}
