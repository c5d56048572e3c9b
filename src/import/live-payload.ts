import { placeOf } from "../call/words.ts";
import {
  type ContentDestination,
  type LiveMenu,
  contentOfLive,
  destinationFields,
  readSettingsOf,
  textFields,
} from "../deploy/service/live-menu.ts";
import { Source } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import { idPattern } from "../schema/common.ts";
import { wireOf } from "../schema/fields.ts";
import { PayloadSchema } from "../schema/payload.ts";
import { menuReference } from "../schema/wire.ts";
import { shorten } from "../util/nearest.ts";
import type { Hint } from "../util/suggest.ts";
import { field } from "../yaml/node.ts";
import type { ImportedPayload } from "./payloads.ts";

/** Why a menu of the service cannot become a menu of the project. */
export interface Reason {
  readonly reason: string;
  readonly hint?: Hint | undefined;
}

/**
 * The payload that creates a menu like a listed one, as far as the list shows it. `links` are the
 * keys of the menus that it may lead to, by id.
 */
export function payloadOfLive(
  menu: LiveMenu,
  environment: Environment,
  links: ReadonlyMap<string, string>,
): ImportedPayload | Reason {
  const { wire } = environment;
  const { fields, destinations, options } = contentOfLive(menu, readSettingsOf(wire));
  const { recording_invalid: other } = fields;
  const places = [
    ...[...options].map(([key, { destination }]) => [placeOf(key), destination] as const),
    ...destinationFields.map((name) => [`\`${name}\``, destinations[name]] as const),
  ];
  const reason =
    required.map((name) => missing(`\`${name}\``, fields[name])).find(Boolean) ??
    places.map(([place, to]) => destinationProblem(place, to)).find(Boolean);
  if (reason !== undefined) return reason;
  const text = ({ kind, id }: ContentDestination) => {
    const key = kind === "ivr" ? links.get(id) : undefined;
    return key === undefined ? `${kind}||${id}` : menuReference(key);
  };
  // On a phone, 0 comes after 9.
  const place = (key: string) => (key === "0" ? 10 : /^\d+$/.test(key) ? Number(key) : 11);
  const sorted = [...options].toSorted(([a], [b]) => place(a) - place(b));
  const payload: Record<string, string | readonly string[]> = {
    ...fields,
    option: sorted.map(([key]) => key),
    destination: sorted.map(([, { destination }]) => text(destination)),
  };
  for (const name of destinationFields) {
    const to = destinations[name];
    if (to !== undefined) payload[name] = text(to);
  }
  const templates = sorted.map(([, { smsTemplate }]) => smsTemplate);
  if (templates.some((template) => template !== null)) {
    payload["sms_template"] = templates.map((template) => template ?? wire.noSmsTemplate);
  }
  // A service fills it in with the other recording if it was not sent.
  const isSent = field(field(environment.defaults, "extra"), "recording_invalid") !== undefined;
  if (["", "0", isSent ? undefined : fields.invalid_recording].includes(other)) {
    delete payload["recording_invalid"];
  }
  const plain = wire.plainRecordings;
  for (const name of wireOf("recording")) {
    const id = payload[name];
    if (typeof id === "string" && !plain.has(name)) payload[name] = `recording||${id}`;
  }
  const parsed = PayloadSchema.safeParse(payload);
  const source = new Source(`menu ${menu.id}`, "");
  return parsed.success
    ? { key: undefined, payload: parsed.data, at: () => source.top() }
    : { reason: "Its record in the list is invalid." };
}

/** The fields that every payload has. */
const required = textFields.filter((name) => name !== "recording_invalid");

function missing(what: string, value: string | undefined): Reason | undefined {
  if (value === undefined) return { reason: `The list does not show its ${what}.` };
  if (/\S/.test(value)) return undefined;
  return { reason: `Its ${what} is empty.`, hint: onConsole };
}

const onConsole = "Set it on the console, then import the menu.";

function destinationProblem(place: string, to: ContentDestination | undefined): Reason | undefined {
  if (to === undefined) return { reason: `The list does not show its ${place}.` };
  const { kind, id, isKindUncertain } = to;
  if (kind === "" || id === "") {
    return { reason: `Its ${place} has no destination.`, hint: onConsole };
  }
  if (!idPattern.test(id)) {
    return {
      reason: `Its ${place} leads to the id \`${shorten(id)}\`, which no menu file can have.`,
    };
  }
  if (!isKindUncertain) return undefined;
  return {
    reason: `The list has a destination of the kind \`${kind}\`, which ivrctl does not know.`,
    hint: `Write \`wire: { read_kinds: { WORD: ${kind} } }\` in ivrctl.yaml. WORD is the kind in payloads, often the same word.`,
  };
}
