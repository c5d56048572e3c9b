import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { WireField } from "../schema/config.ts";
import type { Environment } from "../project/environment.ts";
import type { GivenPayload, Told } from "./payload.ts";
import { type Presets, optionOnWire } from "./presets.ts";
import { type Reference, type References, flowMap } from "./references.ts";
import { WireValues } from "./wire-values.ts";
import { blockText, quoted, scalar } from "./yaml-text.ts";

/** What stands in a menu without a name. */
interface Unnamed {
  /** `options.1`, `invalid.recording`. */
  readonly field: string;
  /** As the payload has it. */
  readonly value: string;
  readonly reason: string;
}

export interface MenuText {
  readonly text: string;
  readonly unnamed: readonly Unnamed[];
}

export interface Surroundings {
  readonly environment: Environment;
  readonly references: References;
  readonly presets: Presets;
  /** Lines before everything else. */
  readonly head: readonly string[];
}

/** The menu that compiles to a payload, in the canonical layout. */
export function writeMenu(
  payload: GivenPayload,
  surroundings: Surroundings,
  diagnostics: Diagnostics,
): MenuText {
  return new Writer(payload, surroundings, diagnostics).menu();
}

interface Field {
  readonly name: string;
  readonly value: string;
  readonly comment?: string | undefined;
}

class Writer {
  readonly #payload: GivenPayload;
  readonly #surroundings: Surroundings;
  readonly #diagnostics: Diagnostics;
  readonly #wire: WireValues;
  readonly #unnamed: Unnamed[] = [];

  constructor(payload: GivenPayload, surroundings: Surroundings, diagnostics: Diagnostics) {
    this.#payload = payload;
    this.#surroundings = surroundings;
    this.#diagnostics = diagnostics;
    this.#wire = new WireValues(payload, surroundings.environment, diagnostics);
  }

  menu(): MenuText {
    const { name, description, invalid, timeout } = this.#payload;
    const { presets, head } = this.#surroundings;
    const sameWords = presets.text("description") === description.text;
    const about: Field[] = [
      { name: "name", value: scalar(name.text) },
      ...(sameWords ? [] : [{ name: "description", value: blockText(description.text, "  ") }]),
      ...this.#recording(["recording"], "recording", this.#payload.recording),
    ];
    const parts = [
      about.map((field) => line(field, "")),
      this.#section("options", this.#options()),
      [
        ...this.#section("invalid", [
          ...this.#count(["invalid", "retries"], invalid.retries),
          ...this.#recording(["invalid", "recording"], "invalid_recording", invalid.recording),
          ...this.#destination(["invalid", "destination"], invalid.destination),
        ]),
        ...this.#section("timeout", [
          ...this.#count(["timeout", "wait"], timeout.wait),
          ...this.#count(["timeout", "retries"], timeout.retries),
          ...this.#recording(
            ["timeout", "retry_recording"],
            "timeout_retry_recording",
            timeout.retry_recording,
          ),
          ...this.#recording(["timeout", "recording"], "timeout_recording", timeout.recording),
          ...this.#destination(["timeout", "destination"], timeout.destination),
        ]),
        ...this.#section("extra", this.#extra()),
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
    const templates = this.#wire.smsTemplates(this.#payload);
    const given = options.map((option) => option.key.text);
    const presets = this.#surroundings.presets.options();
    const sent = options.map((option, index) =>
      optionOnWire(option.destination.text, templates[index] ?? ""),
    );
    const fields = options
      .slice(0, options.length - inherited(given, sent, presets))
      .map((option, index) => {
        const key = option.key.text;
        const destination = this.#reference(["options", key], option.destination);
        const template = templates[index];
        const sms =
          template === undefined
            ? undefined
            : this.#noted(
                ["options", key, "sms"],
                template,
                this.#surroundings.references.smsTemplate(template),
              );
        return {
          name: number(key),
          value:
            sms === undefined
              ? (destination?.value ?? "")
              : flowMap([...(destination?.fields ?? []), `sms: ${sms.value}`]),
          comment: [destination?.comment, sms?.comment].filter(Boolean).join("; "),
        };
      });
    // A default that the payload does not have is taken away.
    const removed = presets.filter(({ key }) => !given.includes(key));
    return [...fields, ...removed.map(({ key }) => ({ name: number(key), value: "null" }))];
  }

  #extra(): Field[] {
    const { extra } = this.#payload;
    const { presets } = this.#surroundings;
    const removed = (name: string): Field[] =>
      presets.has("extra", name) ? [{ name, value: "null" }] : [];
    const count = extra.timeout_retries;
    const recording = extra.recording_invalid;
    return [
      ...(count === undefined
        ? removed("timeout_retries")
        : this.#count(["extra", "timeout_retries"], { ...count, text: plainNumber(count.text) })),
      ...(recording === undefined
        ? removed("recording_invalid")
        : this.#recording(["extra", "recording_invalid"], "recording_invalid", recording)),
    ];
  }

  #count(path: readonly string[], { text }: Told): Field[] {
    if (this.#surroundings.presets.text(...path) === text) return [];
    return [{ name: path.at(-1) ?? "", value: number(text) }];
  }

  #recording(path: readonly string[], field: WireField, told: Told): Field[] {
    const id = this.#wire.recording(field);
    if (id === undefined || this.#surroundings.presets.recording(...path) === id) return [];
    const reference = this.#surroundings.references.recording(id);
    return [{ name: path.at(-1) ?? "", ...this.#noted(path, told.text, reference) }];
  }

  #destination(path: readonly string[], told: Told): Field[] {
    if (this.#surroundings.presets.destination(...path) === told.text) return [];
    const reference = this.#reference(path, told);
    return reference === undefined ? [] : [{ name: path.at(-1) ?? "", ...reference }];
  }

  #reference(path: readonly string[], told: Told): Reference | undefined {
    const destination = this.#wire.destination(told);
    if (destination === undefined) return undefined;
    const { kind, id } = destination;
    if (kind !== "extension") {
      const fields = [`kind: ${scalar(kind, { flow: true })}`, `id: ${quoted(id)}`];
      return { value: flowMap(fields), fields };
    }
    const reference = this.#surroundings.references.agent(id);
    if (reference.unsound) {
      const comment = reference.comment ?? "";
      const message = `${comment[0]?.toUpperCase()}${comment.slice(1)}.`;
      this.#diagnostics.add("IVR659", told.at, message);
    }
    return this.#noted(path, told.text, reference);
  }

  #noted(path: readonly string[], value: string, reference: Reference): Reference {
    if (reference.nameless !== undefined) {
      this.#unnamed.push({ field: path.join("."), value, reason: reference.nameless });
    }
    return reference;
  }
}

/**
 * How many of the last options the defaults give by themselves: those follow a
 * menu's own, in their own order, and a default that the menu says again does not.
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

/** Digits without quotes where every reader of YAML keeps them. */
function number(digits: string): string {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(digits) ? digits : quoted(digits);
}

/** Always a number on the wire, where zeros in front are none. */
function plainNumber(digits: string): string {
  return digits.replace(/^0+(?=[0-9])/, "");
}
