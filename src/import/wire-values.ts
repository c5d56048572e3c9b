import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { idPattern } from "../schema/common.ts";
import { type WireField, recordingWireFields } from "../schema/config.ts";
import type { Environment, Wire } from "../project/environment.ts";
import { shorten } from "../util/nearest.ts";
import type { GivenPayload, Told } from "./payload.ts";

/**
 * What the encoded values of a payload stand for, where the environment would
 * encode them the same way; else it is told what to put into ivrctl.yaml.
 */
export class WireValues {
  readonly #environment: Environment;
  readonly #diagnostics: Diagnostics;
  readonly #recordings: ReadonlyMap<WireField, Told>;

  constructor(payload: GivenPayload, environment: Environment, diagnostics: Diagnostics) {
    this.#environment = environment;
    this.#diagnostics = diagnostics;
    this.#recordings = recordingsOf(payload);
  }

  /** The recording's id. */
  recording(field: WireField): string | undefined {
    const told = this.#recordings.get(field);
    if (told === undefined) return undefined;
    const id = /^recording\|\|([^]*)$/.exec(told.text)?.[1];
    const plain = this.#environment.wire.plainRecordings;
    if (!idPattern.test(id ?? told.text)) {
      this.#diagnostics.add(
        "IVR656",
        told.at,
        `\`${field}\` must be \`recording||ID\`, or the id alone, without spaces.`,
      );
      return undefined;
    }
    if ((id === undefined) === plain.has(field)) return id ?? told.text;
    const fields = [...this.#recordings].flatMap(([name, { text }]) =>
      text.includes("||") ? [] : name,
    );
    this.#diagnostics.add(
      "IVR657",
      told.at,
      id === undefined
        ? `\`${field}\` holds a bare id, and the environment \`${this.#environment.name}\` would send \`recording||${shorten(told.text)}\`.`
        : `\`${field}\` holds \`recording||\`, and the environment \`${this.#environment.name}\` would send the bare id.`,
      `In ivrctl.yaml: wire: { plain_recordings: [${fields.join(", ")}] }.`,
    );
    return undefined;
  }

  destination(told: Told): { readonly kind: string; readonly id: string } | undefined {
    const [, kind = "", id = ""] = /^([^\s|]+)\|\|([^]*)$/.exec(told.text) ?? [];
    if (kind === "" || !idPattern.test(id)) {
      this.#diagnostics.add(
        "IVR656",
        told.at,
        `A destination is \`KIND||ID\` without spaces, and this is \`${shorten(told.text)}\`.`,
        /^[0-9]+$/.test(told.text) ? `An agent's is \`extension||${told.text}\`.` : undefined,
      );
      return undefined;
    }
    const allowed = this.#environment.wire.destinationKinds;
    if (kind === "extension" || allowed.has(kind)) return { kind, id };
    this.#diagnostics.add(
      "IVR657",
      told.at,
      `The destination kind \`${shorten(kind)}\` is not allowed in the environment \`${this.#environment.name}\`.`,
      `In ivrctl.yaml: wire: { destination_kinds: [${[...allowed, kind].join(", ")}] }.`,
    );
    return undefined;
  }

  /** The ids of the options' SMS templates, undefined for one that has none. */
  smsTemplates({ options, sms }: GivenPayload): (string | undefined)[] {
    const { wire, name } = this.#environment;
    if (sms === undefined) return options.map(() => undefined);
    const ids = options.map(({ sms: own }) => (own?.text === wire.noSmsTemplate ? undefined : own));
    const named = ids.filter((id) => id !== undefined);
    if (!namesTemplates({ options }, wire)) {
      this.#diagnostics.add(
        "IVR650",
        sms,
        "`sms_template` names no template, so the menu leaves it out.",
      );
      return options.map(() => undefined);
    }
    if (!this.#environment.smsTemplatesEnabled) {
      this.#diagnostics.add(
        "IVR657",
        sms,
        `SMS templates are not switched on for the environment \`${name}\`.`,
        "In ivrctl.yaml: sms_templates_enabled: true.",
      );
      return [];
    }
    for (const { text, at } of named) {
      if (text === "") {
        this.#diagnostics.add(
          "IVR657",
          at,
          `Here is no template, and the environment \`${name}\` would send \`${wire.noSmsTemplate}\` for that.`,
          'In ivrctl.yaml: wire: { no_sms_template: "" }.',
        );
      } else if (!idPattern.test(text)) {
        this.#diagnostics.add("IVR656", at, "An SMS template's id has no spaces and no `||`.");
      }
    }
    return ids.map((id) => id?.text);
  }
}

/** Whether any option has an SMS template; a list of fillers says nothing. */
export function namesTemplates({ options }: Pick<GivenPayload, "options">, wire: Wire): boolean {
  return options.some(({ sms }) => ![undefined, "", wire.noSmsTemplate].includes(sms?.text));
}

function recordingsOf(payload: GivenPayload): Map<WireField, Told> {
  const all: Readonly<Record<WireField, Told | undefined>> = {
    recording: payload.recording,
    invalid_recording: payload.invalid.recording,
    timeout_retry_recording: payload.timeout.retry_recording,
    timeout_recording: payload.timeout.recording,
    recording_invalid: payload.extra.recording_invalid,
  };
  return new Map(
    recordingWireFields.flatMap((field) => {
      const told = all[field];
      return told === undefined ? [] : [[field, told] as const];
    }),
  );
}
