import type { Span } from "../diagnostics/source.ts";
import type { Agent } from "../compile/agents.ts";
import {
  type Destination,
  type Placed,
  type ResolvedMenu,
  type ResolvedOption,
  type ResolvedRecording,
  allOf,
  sendable,
  whole,
} from "../compile/menu.ts";
import type {
  HouseAgent,
  HouseDestination,
  HouseMenu,
  HouseMenuOption,
  HouseRecording,
  HouseText,
  Place,
} from "./plugin.ts";

/** What a house rule is given: frozen copies, whose places only their maker understands. */
export class HouseView {
  readonly #spans = new WeakMap<object, Span>();

  /** Undefined where something of the menu is missing. */
  menu(seen: ResolvedMenu): HouseMenu | undefined {
    const { key, top, optionsAt, options, invalid, timeout } = seen;
    return frozen(
      whole({
        key,
        at: this.#place(top),
        name: this.#text(seen.name),
        description: this.#text(seen.description),
        recording: this.#recording(seen.recording),
        options: frozen(options && allOf(options.map((option) => this.#option(option)))),
        optionsAt: optionsAt && this.#place(optionsAt),
        invalid: frozen(
          whole({
            retries: this.#text(invalid.retries),
            recording: this.#recording(invalid.recording),
            destination: this.#destination(sendable(invalid.destination)),
          }),
        ),
        timeout: frozen(
          whole({
            wait: this.#text(timeout.wait),
            retries: this.#text(timeout.retries),
            retryRecording: this.#recording(timeout.retryRecording),
            recording: this.#recording(timeout.recording),
            destination: this.#destination(sendable(timeout.destination)),
          }),
        ),
      }),
    );
  }

  /** Where a place is; undefined for anything that is none of these. */
  spanOf(place: unknown): Span | undefined {
    return typeof place === "object" && place !== null ? this.#spans.get(place) : undefined;
  }

  #option(option: ResolvedOption): HouseMenuOption | undefined {
    const destination = this.#destination(sendable(option.destination));
    return (
      destination &&
      Object.freeze({
        key: option.key,
        keyAt: this.#place(option.keyAt),
        for: this.#text(option.for),
        sms: option.sms?.id,
        destination,
      })
    );
  }

  #text(text: Placed<string> | undefined): HouseText | undefined {
    return text && Object.freeze({ value: text.value, at: this.#place(text.at) });
  }

  #recording(recording: ResolvedRecording | undefined): HouseRecording | undefined {
    if (recording === undefined) return undefined;
    const { id, alias, says, seconds } = recording.value;
    return Object.freeze({ id, alias, says, seconds, at: this.#place(recording.at) });
  }

  #destination(destination: Destination | undefined): HouseDestination | undefined {
    if (destination === undefined) return undefined;
    const at = this.#place(destination.span);
    return destination.kind === "extension"
      ? Object.freeze({
          kind: "extension",
          id: destination.eid,
          agent: houseAgent(destination.agent),
          at,
        })
      : Object.freeze({ kind: destination.name, id: destination.id, agent: undefined, at });
  }

  #place(span: Span): Place {
    const place = Object.freeze(Object.create(null));
    this.#spans.set(place, span);
    return place;
  }
}

export function houseAgent({ departments, ...agent }: Agent): HouseAgent {
  return Object.freeze({ ...agent, departments: Object.freeze([...departments]) });
}

function frozen<T extends object>(value: T | undefined): Readonly<T> | undefined {
  return value && Object.freeze(value);
}
