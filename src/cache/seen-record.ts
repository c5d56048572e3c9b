import * as z from "zod/mini";
import { type Agent, type Agents, type Marks, marks } from "../compile/agents.ts";
import type { Environment } from "../compile/environment.ts";
import { aliasedRecording, bareRecording } from "../compile/resolve/aliases.ts";
import type { Placed, Reached, SeenMenu, SeenOption, SeenRecording } from "../compile/seen.ts";
import { At, type Places } from "./places.ts";

// What a menu without a fault was seen to say. What stands in the configuration or
// on the agent list is named, not repeated: both are the same, or this is not read.
const PlacedText = z.object({ value: z.string(), at: At });
const Recording = z.union([
  z.object({ alias: z.string(), at: At }),
  z.object({ id: z.string(), at: At }),
]);
const Reference = z.partialRecord(z.enum(marks), z.string());
const Destination = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("extension"),
    /** The agent's place on the list. */
    agent: z.int(),
    eid: z.string(),
    reference: Reference,
    at: At,
  }),
  z.object({ kind: z.literal("other"), name: z.string(), id: z.string(), at: At }),
  z.object({ kind: z.literal("unchecked"), reference: Reference, at: At }),
]);
const Sms = z.object({ id: z.string(), alias: z.optional(z.string()) });
const Option = z.object({
  key: z.string(),
  keyAt: At,
  for: z.optional(PlacedText),
  sms: z.optional(Sms),
  destination: Destination,
});
export const SeenRecord = z.object({
  name: PlacedText,
  description: PlacedText,
  recording: Recording,
  optionsAt: At,
  options: z.array(Option),
  invalid: z.object({ retries: PlacedText, recording: Recording, destination: Destination }),
  timeout: z.object({
    wait: PlacedText,
    retries: PlacedText,
    retryRecording: Recording,
    recording: Recording,
    destination: Destination,
  }),
  extra: z.object({
    timeoutRetries: z.optional(PlacedText),
    recordingInvalid: z.optional(Recording),
  }),
});
type SeenRecord = z.infer<typeof SeenRecord>;

/** Undefined where something is missing. */
export function writeSeen(
  seen: SeenMenu,
  places: Places,
  indexOf: (agent: Agent) => number | undefined,
): SeenRecord | undefined {
  const { options, optionsAt, invalid, timeout, extra } = seen;
  const text = (placed: Placed<string> | undefined) =>
    placed && { value: placed.value, at: places.write(placed.at) };
  const recording = (own: SeenRecording | undefined) => {
    if (own === undefined) return undefined;
    const { alias, id } = own.value;
    const at = places.write(own.at);
    return alias === undefined ? { id, at } : { alias, at };
  };
  const destination = (reached: Reached | undefined) => {
    if (reached === undefined || reached.kind === "nobody") return undefined;
    const { span, ...rest } = reached;
    const at = places.write(span);
    return rest.kind === "extension"
      ? { ...rest, agent: indexOf(rest.agent), at }
      : { ...rest, at };
  };
  const record = SeenRecord.safeParse({
    name: text(seen.name),
    description: text(seen.description),
    recording: recording(seen.recording),
    optionsAt: optionsAt && places.write(optionsAt),
    options: options?.map((option) => ({
      key: option.key,
      keyAt: places.write(option.keyAt),
      for: text(option.for),
      sms: option.sms,
      destination: destination(option.destination),
    })),
    invalid: {
      retries: text(invalid.retries),
      recording: recording(invalid.recording),
      destination: destination(invalid.destination),
    },
    timeout: {
      wait: text(timeout.wait),
      retries: text(timeout.retries),
      retryRecording: recording(timeout.retryRecording),
      recording: recording(timeout.recording),
      destination: destination(timeout.destination),
    },
    extra: {
      timeoutRetries: text(extra.timeoutRetries),
      recordingInvalid: recording(extra.recordingInvalid),
    },
  });
  return record.success ? record.data : undefined;
}

/** Undefined where it does not fit the environment and the agents. */
export function readSeen(
  record: SeenRecord,
  places: Places,
  {
    environment,
    agents,
  }: { readonly environment: Environment; readonly agents: Agents | undefined },
): SeenMenu | undefined {
  const reader = new Reader(places, environment, agents);
  const seen = reader.menu(record);
  return reader.fits ? seen : undefined;
}

type PlacedRecord = z.infer<typeof PlacedText>;
type RecordingRecord = z.infer<typeof Recording>;
type DestinationRecord = z.infer<typeof Destination>;

class Reader {
  fits = true;
  readonly #places: Places;
  readonly #environment: Environment;
  readonly #agents: Agents | undefined;

  constructor(places: Places, environment: Environment, agents: Agents | undefined) {
    this.#places = places;
    this.#environment = environment;
    this.#agents = agents;
  }

  menu({ invalid, timeout, extra, ...menu }: SeenRecord): SeenMenu {
    return {
      name: this.#text(menu.name),
      description: this.#text(menu.description),
      recording: this.#recording(menu.recording),
      optionsAt: this.#places.read(menu.optionsAt),
      options: menu.options.map((option) => this.#option(option)),
      invalid: {
        retries: this.#text(invalid.retries),
        recording: this.#recording(invalid.recording),
        destination: this.#reached(invalid.destination),
      },
      timeout: {
        wait: this.#text(timeout.wait),
        retries: this.#text(timeout.retries),
        retryRecording: this.#recording(timeout.retryRecording),
        recording: this.#recording(timeout.recording),
        destination: this.#reached(timeout.destination),
      },
      extra: {
        timeoutRetries: this.#text(extra.timeoutRetries),
        recordingInvalid: this.#recording(extra.recordingInvalid),
      },
    };
  }

  #option({ key, keyAt, sms, ...option }: z.infer<typeof Option>): SeenOption {
    return {
      key,
      keyAt: this.#places.read(keyAt),
      for: this.#text(option.for),
      sms: sms && { id: sms.id, ...(sms.alias === undefined ? {} : { alias: sms.alias }) },
      destination: this.#reached(option.destination),
    };
  }

  #text(record: PlacedRecord | undefined): Placed<string> | undefined {
    return record && { value: record.value, at: this.#places.read(record.at) };
  }

  #recording(record: RecordingRecord | undefined): SeenRecording | undefined {
    if (record === undefined) return undefined;
    const at = this.#places.read(record.at);
    if ("id" in record) return bareRecording(record.id, at);
    const alias = this.#environment.recordings.get(record.alias);
    if (alias !== undefined) return aliasedRecording(alias.id.text, alias, record.alias, at);
    this.fits = false;
    return undefined;
  }

  #reached({ at, ...record }: DestinationRecord): Reached | undefined {
    const span = this.#places.read(at);
    if (record.kind === "other") return { ...record, span };
    const reference = this.#marks(record.reference);
    if (record.kind === "unchecked") return { kind: "unchecked", reference, span };
    const { eid } = record;
    const agent = this.#agents?.list[record.agent];
    if (agent?.eid === eid) return { kind: "extension", eid, agent, reference, span };
    this.fits = false;
    return undefined;
  }

  /** Undefined values are no part of it. */
  #marks(record: z.infer<typeof Reference>): Marks {
    const reference: Marks = {};
    for (const [mark, value] of Object.entries(record)) {
      const known = marks.find((candidate) => candidate === mark);
      if (known !== undefined && value !== undefined) reference[known] = value;
    }
    return reference;
  }
}
