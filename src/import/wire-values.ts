import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { idPattern } from "../schema/common.ts";
import { type WireField, recordingWireFields } from "../schema/config.ts";
import type { Environment, Wire } from "../project/environment.ts";
import { shorten } from "../util/nearest.ts";
import type { ImportedPayload, PlacedText } from "./payload.ts";

/**
 * Decodes the values of a payload, if the environment encodes them in the same way. Otherwise
 * reports what to add to ivrctl.yaml.
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
        "IVR655",
        at,
        `\`${field}\` must be \`recording||ID\`, or an id without spaces.`,
        "Write a value such as `recording||19549`.",
      );
      return undefined;
    }
    if ((id === undefined) === plain.has(field)) return id ?? text;
    const bare = recordingWireFields.filter(
      (name) => this.#payload.fields[name]?.text.includes("||") === false,
    );
    this.#diagnostics.add(
      "IVR655",
      at,
      id === undefined
        ? `\`${field}\` is an id alone, but the environment \`${this.#environment.name}\` sends \`recording||${shorten(text)}\`.`
        : `\`${field}\` starts with \`recording||\`, but the environment \`${this.#environment.name}\` sends the id alone.`,
      `Write \`wire: { plain_recordings: [${bare.join(", ")}] }\` in ivrctl.yaml.`,
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
        "IVR655",
        at,
        `A destination must be \`KIND||ID\` without spaces, not \`${shorten(text)}\`.`,
        /^[0-9]+$/.test(text)
          ? `Write \`extension||${text}\` for an agent.`
          : "Write a value such as `extension||500101`.",
      );
      return undefined;
    }
    return { kind, id };
  }

  /** The SMS template ids of the options; undefined for an option without one. */
  smsTemplates(): (string | undefined)[] {
    const { options, sms } = this.#payload;
    const { wire, name } = this.#environment;
    if (sms === undefined) return options.map(() => undefined);
    if (!namesTemplates(this.#payload, wire)) {
      this.#diagnostics.add(
        "IVR659",
        sms,
        "`sms_template` has no template, so the menu leaves it out.",
      );
      return options.map(() => undefined);
    }
    if (!this.#environment.smsTemplatesEnabled()) {
      this.#diagnostics.add(
        "IVR655",
        sms,
        `SMS templates are turned off in the environment \`${name}\`.`,
        "Write `sms_templates_enabled: true` in ivrctl.yaml.",
      );
      return [];
    }
    const ids = options.map(({ sms: own }) =>
      own?.text === wire.noSmsTemplate() ? undefined : own,
    );
    for (const { text, at } of ids.filter((id) => id !== undefined)) {
      if (text === "") {
        this.#diagnostics.add(
          "IVR655",
          at,
          `For an option without an SMS template, this payload has an empty text, but the environment \`${name}\` sends \`${wire.noSmsTemplate()}\`.`,
          'Write `wire: { no_sms_template: "" }` in ivrctl.yaml.',
        );
      } else if (!idPattern.test(text)) {
        this.#diagnostics.add(
          "IVR655",
          at,
          "The id of an SMS template cannot have spaces or `||`.",
          "Write an id such as 77.",
        );
      }
    }
    return ids.map((id) => id?.text);
  }
}

/** Whether any option has an SMS template. The value for no template does not count. */
export function namesTemplates({ options }: ImportedPayload, wire: Wire): boolean {
  return options.some(({ sms }) => ![undefined, "", wire.noSmsTemplate()].includes(sms?.text));
}
