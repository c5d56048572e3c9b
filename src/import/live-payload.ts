import { keyPlace } from "../call/describe-call.ts";
import {
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
  // On a phone, 0 comes after 9.
  const rank = (key: string) => (key === "0" ? 10 : /^\d+$/.test(key) ? Number(key) : 11);
  const options = menu.options.toSorted((a, b) => rank(a.key) - rank(b.key));
  const places = [
    ...options.map(({ key, destination }) => [keyPlace(key), destination] as const),
    ...destinationFields.map((name) => [`\`${name}\``, menu.destinations[name]] as const),
  ];
  const empty =
    required.filter((name) => !/\S/.test(fields[name] ?? "")).map((name) => `\`${name}\``)[0] ??
    places.find(([, to]) => !to?.type || to.id === "")?.[0];
  if (empty !== undefined) {
    return {
      reason: `The list has no value for its ${empty}.`,
      hint: "If it is empty on the console too, set it there, then import the menu.",
    };
  }
  const reached = places.flatMap(([, to]) => (to ? liveDestination(to, settings) : []));
  const unknown = reached.find(({ isKindUncertain }) => isKindUncertain)?.kind;
  if (unknown !== undefined) {
    return {
      reason: `The list has a destination of the kind \`${unknown}\`, which ivrctl does not know.`,
      hint: `Write \`wire: { read_kinds: { WORD: ${unknown} } }\` in ivrctl.yaml. WORD is the kind in payloads, often the same word.`,
    };
  }
  const written = reached.map(({ kind, id }) => {
    const key = kind === "ivr" ? links.get(id) : undefined;
    return key === undefined ? `${kind}||${id}` : menuReference(key);
  });
  const others = written.slice(options.length);
  const payload: Record<string, unknown> = {
    ...fields,
    option: options.map(({ key }) => key),
    destination: written.slice(0, options.length),
    ...Object.fromEntries(destinationFields.map((name, at) => [name, others[at]])),
  };
  const templates = options.map(({ smsTemplate }) => smsTemplate);
  if (!templates.every(isNone)) {
    payload["sms_template"] = templates.map((id) => (isNone(id) ? wire.no_sms_template : id));
  }
  // A service fills it in with the other recording if it was not sent.
  const isSent = field(field(environment.defaults, "extra"), "recording_invalid") !== undefined;
  if (["", "0", isSent ? undefined : fields.invalid_recording].includes(fields.recording_invalid)) {
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
