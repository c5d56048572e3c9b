import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { idPattern } from "../schema/common.ts";
import { type WireField, recordingWireFields } from "../schema/config.ts";
import type { Environment, Wire } from "../project/environment.ts";
import { shorten } from "../util/nearest.ts";
import type { ImportedPayload, PlacedText } from "./payload.ts";

/**
 * Decodes the values of a payload, provided that the environment would encode them
 * the same way. If not, reports what to add to ivrctl.yaml.
 */
export class WireValues {
  readonly #payload: ImportedPayload;
  readonly #environment: Environment;
  readonly #diagnostics: Diagnostics;

  constructor(payload: ImportedPayload, environment: Environment, diagnostics: Diagnostics) {
    this.#payload = payload;
    this.#environment = environment;
    this.#diagnostics = diagnostics;
  }

  /** The recording's id. */
  recording(field: WireField, { text, at }: PlacedText): string | undefined {
    const id = /^recording\|\|([^]*)$/.exec(text)?.[1];
    const plain = this.#environment.wire.plainRecordings();
    if (!idPattern.test(id ?? text)) {
      this.#diagnostics.add(
        "IVR656",
        at,
        `\`${field}\` must be \`recording||ID\`, or the id alone, without spaces.`,
      );
      return undefined;
    }
    if ((id === undefined) === plain.has(field)) return id ?? text;
    const bare = recordingWireFields.filter(
      (name) => this.#payload.fields[name]?.text.includes("||") === false,
    );
    this.#diagnostics.add(
      "IVR657",
      at,
      id === undefined
        ? `\`${field}\` holds a bare id, and the environment \`${this.#environment.name}\` would send \`recording||${shorten(text)}\`.`
        : `\`${field}\` holds \`recording||\`, and the environment \`${this.#environment.name}\` would send the bare id.`,
      `In ivrctl.yaml: wire: { plain_recordings: [${bare.join(", ")}] }.`,
    );
    return undefined;
  }

  destination({
    text,
    at,
  }: PlacedText): { readonly kind: string; readonly id: string } | undefined {
    const [, kind = "", id = ""] = /^([^\s|]+)\|\|([^]*)$/.exec(text) ?? [];
    if (kind === "" || !idPattern.test(id)) {
      this.#diagnostics.add(
        "IVR656",
        at,
        `A destination is \`KIND||ID\` without spaces, and this is \`${shorten(text)}\`.`,
        /^[0-9]+$/.test(text) ? `An agent's is \`extension||${text}\`.` : undefined,
      );
      return undefined;
    }
    const allowed = this.#environment.wire.destinationKinds();
    if (kind === "extension" || allowed.has(kind)) return { kind, id };
    this.#diagnostics.add(
      "IVR657",
      at,
      `The destination kind \`${shorten(kind)}\` is not allowed in the environment \`${this.#environment.name}\`.`,
      `In ivrctl.yaml: wire: { destination_kinds: [${[...allowed, kind].join(", ")}] }.`,
    );
    return undefined;
  }

  /** The ids of the options' SMS templates, undefined for one that has none. */
  smsTemplates(): (string | undefined)[] {
    const { options, sms } = this.#payload;
    const { wire, name } = this.#environment;
    if (sms === undefined) return options.map(() => undefined);
    if (!namesTemplates(this.#payload, wire)) {
      this.#diagnostics.add(
        "IVR650",
        sms,
        "`sms_template` names no template, so the menu leaves it out.",
      );
      return options.map(() => undefined);
    }
    if (!this.#environment.smsTemplatesEnabled()) {
      this.#diagnostics.add(
        "IVR657",
        sms,
        `SMS templates are not switched on for the environment \`${name}\`.`,
        "In ivrctl.yaml: sms_templates_enabled: true.",
      );
      return [];
    }
    const ids = options.map(({ sms: own }) =>
      own?.text === wire.noSmsTemplate() ? undefined : own,
    );
    for (const { text, at } of ids.filter((id) => id !== undefined)) {
      if (text === "") {
        this.#diagnostics.add(
          "IVR657",
          at,
          `Here is no template, and the environment \`${name}\` would send \`${wire.noSmsTemplate()}\` for that.`,
          'In ivrctl.yaml: wire: { no_sms_template: "" }.',
        );
      } else if (!idPattern.test(text)) {
        this.#diagnostics.add("IVR656", at, "An SMS template's id has no spaces and no `||`.");
      }
    }
    return ids.map((id) => id?.text);
  }
}

/** Whether any option has an SMS template, and not only the filler for none. */
export function namesTemplates({ options }: ImportedPayload, wire: Wire): boolean {
  return options.some(({ sms }) => ![undefined, "", wire.noSmsTemplate()].includes(sms?.text));
}
