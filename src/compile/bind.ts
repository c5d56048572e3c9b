import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { canonicalKey } from "./options.ts";
import type { BoundOption, Destination, DrawnMenu, Nobody, Recording } from "./menu.ts";
import { type Entry, type MapNode, type Node, entry, field, isNull } from "./read/node.ts";
import { Aliases } from "./resolve/aliases.ts";
import type { Context } from "./resolve/context.ts";
import { Destinations } from "./resolve/destinations.ts";

/**
 * Settles every reference of a menu. What the schema found faulty is passed
 * over; everything else is looked at, whatever is wrong beside it. The result
 * is there only when nothing is missing; agents alone may be.
 */
export function bind(menu: MapNode, context: Context): DrawnMenu | undefined {
  return new Binder(context).menu(menu);
}

class Binder {
  readonly #faulty: ReadonlySet<Node>;
  readonly #aliases: Aliases;
  readonly #destinations: Destinations;
  readonly #diagnostics: Diagnostics;

  constructor(context: Context) {
    this.#faulty = context.judgement.faulty;
    this.#aliases = new Aliases(context);
    this.#destinations = new Destinations(context);
    this.#diagnostics = context.diagnostics;
  }

  menu(menu: MapNode): DrawnMenu | undefined {
    const [invalid, timeout, extra] = [
      field(menu, "invalid"),
      field(menu, "timeout"),
      field(menu, "extra"),
    ];
    return whole({
      name: this.#text(menu, "name"),
      description: this.#text(menu, "description"),
      recording: this.#recording(menu, "recording"),
      options: this.#options(entry(menu, "options")),
      invalid: whole({
        retries: this.#text(invalid, "retries"),
        recording: this.#recording(invalid, "recording"),
        destination: this.#destination(entry(invalid, "destination")),
      }),
      timeout: whole({
        wait: this.#text(timeout, "wait"),
        retries: this.#text(timeout, "retries"),
        retryRecording: this.#recording(timeout, "retry_recording"),
        recording: this.#recording(timeout, "recording"),
        destination: this.#destination(entry(timeout, "destination")),
      }),
      extra: this.#extra(extra),
    });
  }

  #extra(extra: Node | undefined): DrawnMenu["extra"] {
    const timeoutRetries = this.#text(extra, "timeout_retries");
    const recordingInvalid = this.#recording(extra, "recording_invalid");
    return {
      ...(timeoutRetries === undefined ? {} : { timeoutRetries }),
      ...(recordingInvalid === undefined ? {} : { recordingInvalid }),
    };
  }

  #options(options: Entry | undefined): DrawnMenu["options"] | undefined {
    if (options?.value.kind !== "map") return undefined;
    if (options.value.entries.length === 0) {
      this.#diagnostics.add("IVR209", options.key, "A menu has at least one option.");
      return undefined;
    }
    return allOf(options.value.entries.map((option) => this.#option(option)));
  }

  #option(option: Entry): BoundOption<Destination | Nobody> | undefined {
    const { key, value } = option;
    const name = canonicalKey(key.text);
    if (name === "") this.#diagnostics.add("IVR114", key, "An option's key must not be empty.");
    else if (!/^[0-9*#]$/.test(name)) {
      this.#diagnostics.add(
        "IVR210",
        key,
        `\`${name}\` is no key of a telephone: 0-9, * and # are.`,
        "The service does not show which others it allows; it is sent as written.",
      );
    }
    if (isNull(value)) {
      const span = value.start === value.end ? key : value;
      this.#diagnostics.add(
        "IVR208",
        span,
        `Key ${name} leads nowhere.`,
        "Name an agent after the colon.",
      );
      return undefined;
    }
    const sms = value.kind === "map" ? field(value, "sms") : undefined;
    const template =
      sms === undefined || this.#faulty.has(sms) ? undefined : this.#aliases.smsTemplate(sms);
    const destination = this.#destination(option);
    if (destination === undefined) return undefined;
    const purpose = value.kind === "map" ? this.#text(value, "for") : undefined;
    return {
      key: name,
      destination,
      ...(purpose === undefined ? {} : { for: purpose }),
      ...(template === undefined ? {} : { sms: template }),
    };
  }

  #text(parent: Node | undefined, key: string): string | undefined {
    const node = field(parent, key);
    return node?.kind === "scalar" && !this.#faulty.has(node) ? node.text : undefined;
  }

  #recording(parent: Node | undefined, key: string): Recording | undefined {
    const node = field(parent, key);
    return node === undefined || this.#faulty.has(node) ? undefined : this.#aliases.recording(node);
  }

  #destination(owner: Entry | undefined): Destination | Nobody | undefined {
    if (owner === undefined || isNull(owner.value) || this.#faulty.has(owner.value))
      return undefined;
    return this.#destinations.resolve(owner.value, owner.key);
  }
}

type Whole<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The record, if all of it is there. */
function whole<T extends object>(record: T): Whole<T> | undefined {
  return isWhole(record) ? record : undefined;
}

function isWhole<T extends object>(record: T): record is T & Whole<T> {
  return !Object.values(record).includes(undefined);
}

function allOf<T>(items: readonly (T | undefined)[]): T[] | undefined {
  const present = items.filter((item) => item !== undefined);
  return present.length === items.length ? present : undefined;
}
