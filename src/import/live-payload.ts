import { keyPlace } from "../call/words.ts";
import {
  type ContentDestination,
  type LiveMenu,
  destinationFields,
  isNone,
  liveDestination,
  liveSettings,
  textFields,
} from "../deploy/service/live-menu.ts";
import { Source } from "../diagnostics/source.ts";
import type { Environment } from "../project/environment.ts";
import { wireOf } from "../schema/fields.ts";
import { PayloadSchema } from "../schema/payload.ts";
import { menuReference } from "../schema/wire.ts";
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
 * keys of the menus that it may link to, by id.
 */
export function payloadOfLive(
  menu: LiveMenu,
  environment: Environment,
  links: ReadonlyMap<string, string>,
): ImportedPayload | Reason {
  const { wire } = environment;
  const { fields } = menu;
  const settings = liveSettings(wire);
  const options = menu.options.map((one) => ({
    ...one,
    destination: liveDestination(one.destination, settings),
  }));
  const destinations = new Map(
    destinationFields.map((name) => {
      const read = menu.destinations[name];
      return [name, read && liveDestination(read, settings)];
    }),
  );
  const { recording_invalid: other } = fields;
  const places = [
    ...options.map(({ key, destination }) => [keyPlace(key), destination] as const),
    ...[...destinations].map(([name, to]) => [`\`${name}\``, to] as const),
  ];
  const empty =
    required.filter((name) => !/\S/.test(fields[name] ?? "")).map((name) => `\`${name}\``)[0] ??
    places.find(([, to]) => !to?.kind || to.id === "")?.[0];
  if (empty !== undefined) {
    return {
      reason: `The list has no value for its ${empty}.`,
      hint: "If it is empty on the console too, set it there, then import the menu.",
    };
  }
  const unknown = places.find(([, to]) => to?.isKindUncertain)?.[1]?.kind;
  if (unknown !== undefined) {
    return {
      reason: `The list has a destination of the kind \`${unknown}\`, which ivrctl does not know.`,
      hint: `Write \`wire: { read_kinds: { WORD: ${unknown} } }\` in ivrctl.yaml. WORD is the kind in payloads, often the same word.`,
    };
  }
  const text = ({ kind, id }: ContentDestination) => {
    const key = kind === "ivr" ? links.get(id) : undefined;
    return key === undefined ? `${kind}||${id}` : menuReference(key);
  };
  // On a phone, 0 comes after 9.
  const place = (key: string) => (key === "0" ? 10 : /^\d+$/.test(key) ? Number(key) : 11);
  const sorted = options.toSorted((a, b) => place(a.key) - place(b.key));
  const payload: Record<string, string | readonly string[]> = {
    ...fields,
    option: sorted.map(({ key }) => key),
    destination: sorted.map(({ destination }) => text(destination)),
  };
  for (const [name, to] of destinations) if (to !== undefined) payload[name] = text(to);
  if (sorted.some(({ smsTemplate }) => !isNone(smsTemplate))) {
    payload["sms_template"] = sorted.map(({ smsTemplate }) =>
      isNone(smsTemplate) ? wire.no_sms_template : smsTemplate,
    );
  }
  // A service fills it in with the other recording if it was not sent.
  const isSent = field(field(environment.defaults, "extra"), "recording_invalid") !== undefined;
  if (["", "0", isSent ? undefined : fields.invalid_recording].includes(other)) {
    delete payload["recording_invalid"];
  }
  for (const name of wireOf("recording")) {
    const id = payload[name];
    if (typeof id === "string" && !wire.plain_recordings.includes(name))
      payload[name] = `recording||${id}`;
  }
  const parsed = PayloadSchema.safeParse(payload);
  const source = new Source(`menu ${menu.id}`, "");
  return parsed.success
    ? { key: undefined, payload: parsed.data, at: () => source.top() }
    : { reason: "Its record in the list is invalid." };
}

/** The fields that every payload has. */
const required = textFields.filter((name) => name !== "recording_invalid");
