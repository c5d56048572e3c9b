import type { Environment } from "../project/environment.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { placeOf } from "../call/words.ts";
import {
  type ContentDestination,
  type LiveMenu,
  contentOfLive,
  destinationFields,
  readSettingsOf,
  textFields,
} from "../deploy/service/live-menu.ts";
import { idPattern } from "../schema/common.ts";
import { recordingWireFields } from "../schema/config.ts";
import { many } from "../util/many.ts";
import { shorten } from "../util/nearest.ts";
import { field } from "../yaml/node.ts";
import { ExtractedText } from "./extracted-text.ts";
import { readJson } from "./json.ts";
import { type ImportedPayload, readPayload } from "./payload.ts";
import type { Hint } from "../util/suggest.ts";

/** Why a menu of the service cannot become a menu of the project. */
export interface Reason {
  readonly reason: string;
  readonly hint?: Hint | undefined;
}

/** The payload that creates a menu like a listed one, as far as the list shows it. */
export function payloadOfLive(menu: LiveMenu, environment: Environment): ImportedPayload | Reason {
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
  const text = ({ kind, id }: ContentDestination) => `${kind}||${id}`;
  const templates = [...options.values()].map(({ smsTemplate }) => smsTemplate);
  const payload: Record<string, string | readonly string[]> = {
    ...fields,
    option: [...options.keys()],
    destination: [...options.values()].map(({ destination }) => text(destination)),
  };
  for (const name of destinationFields) {
    const to = destinations[name];
    if (to !== undefined) payload[name] = text(to);
  }
  if (templates.some((template) => template !== null)) {
    payload["sms_template"] = templates.map((template) => template ?? wire.noSmsTemplate());
  }
  // A service fills it in with the other recording if it was not sent.
  const isSent = field(field(environment.defaults, "extra"), "recording_invalid") !== undefined;
  if (["", "0", isSent ? undefined : fields.invalid_recording].includes(other)) {
    delete payload["recording_invalid"];
  }
  const plain = wire.plainRecordings();
  for (const name of recordingWireFields) {
    const id = payload[name];
    if (typeof id === "string" && !plain.has(name)) payload[name] = `recording||${id}`;
  }
  return readListed(menu.id, payload);
}

/** Reads a payload like one that somebody pasted, so that the same rules apply to it. */
function readListed(id: string, payload: object): ImportedPayload | Reason {
  const found = new Diagnostics();
  const source = new Source(`menu ${id}`, JSON.stringify(payload));
  const node = readJson(new ExtractedText(source), found);
  const read = node && readPayload({ node, key: undefined }, found);
  return read ?? firstProblem(found) ?? { reason: "Its record in the list is invalid." };
}

/** The first error, and how many different ones there are besides. */
export function firstProblem(
  found: Diagnostics,
  matches: (file: string) => boolean = () => true,
): Reason | undefined {
  const errors = found
    .sorted()
    .filter(({ severity, file }) => severity === "error" && matches(file));
  const [first] = errors;
  if (first === undefined) return undefined;
  const others = new Set(errors.map(({ message }) => message)).size - 1;
  const more = others === 0 ? "" : ` It has ${many(others, "more problem")}.`;
  // There is no file yet that could name another agent.
  const hint = first.code === "IVR304" ? unblock : first.hint;
  return { reason: first.message + more, hint };
}

const unblock =
  "Unblock the agent on the console, or let the menu lead to another agent there. To import the menu as it is, write `rules: { blocked-agent: warn }` in ivrctl.yaml.";

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
