import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { canonicalKey } from "./options.ts";
import { type Entry, type MapNode, type Node, entry, field, isNull } from "./read/node.ts";
import { Aliases } from "./resolve/aliases.ts";
import type { Context } from "./resolve/context.ts";
import { Destinations } from "./resolve/destinations.ts";
import type { Placed, Reached, SeenMenu, SeenOption, SeenRecording } from "./seen.ts";

/**
 * Settles every reference of a menu. What the schema found faulty is passed
 * over; everything else is looked at, whatever is wrong beside it.
 */
export function bind(menu: MapNode, context: Context): SeenMenu {
  return new Binder(context).menu(menu);
}

class Binder {
  readonly #faulty: ReadonlySet<Node>;
  readonly #aliases: Aliases;
  readonly #destinations: Destinations;
  readonly #diagnostics: Diagnostics;

  constructor(context: Context) {
    this.#faulty = context.validity.faulty;
    this.#aliases = new Aliases(context);
    this.#destinations = new Destinations(context);
    this.#diagnostics = context.diagnostics;
  }

  menu(menu: MapNode): SeenMenu {
    const [options, invalid, timeout, extra] = [
      entry(menu, "options"),
      field(menu, "invalid"),
      field(menu, "timeout"),
      field(menu, "extra"),
    ];
    return {
      name: this.#text(menu, "name"),
      description: this.#text(menu, "description"),
      recording: this.#recording(menu, "recording"),
      optionsAt: options?.key,
      options: this.#options(options),
      invalid: {
        retries: this.#text(invalid, "retries"),
        recording: this.#recording(invalid, "recording"),
        destination: this.#destination(entry(invalid, "destination")),
      },
      timeout: {
        wait: this.#text(timeout, "wait"),
        retries: this.#text(timeout, "retries"),
        retryRecording: this.#recording(timeout, "retry_recording"),
        recording: this.#recording(timeout, "recording"),
        destination: this.#destination(entry(timeout, "destination")),
      },
      extra: {
        timeoutRetries: this.#text(extra, "timeout_retries"),
        recordingInvalid: this.#recording(extra, "recording_invalid"),
      },
    };
  }

  #options(options: Entry | undefined): SeenOption[] | undefined {
    if (options?.value.kind !== "map") return undefined;
    if (options.value.entries.length === 0) {
      this.#diagnostics.add("IVR209", options.key, "A menu has at least one option.");
      return undefined;
    }
    return options.value.entries.map((option) => this.#option(option));
  }

  #option(option: Entry): SeenOption {
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
      return { key: name, keyAt: key, for: undefined, sms: undefined, destination: undefined };
    }
    const sms = value.kind === "map" ? field(value, "sms") : undefined;
    return {
      key: name,
      keyAt: key,
      for: value.kind === "map" ? this.#text(value, "for") : undefined,
      sms: sms === undefined || this.#faulty.has(sms) ? undefined : this.#aliases.smsTemplate(sms),
      destination: this.#destination(option),
    };
  }

  #text(parent: Node | undefined, key: string): Placed<string> | undefined {
    const node = field(parent, key);
    return node?.kind === "scalar" && !this.#faulty.has(node)
      ? { value: node.text, at: node }
      : undefined;
  }

  #recording(parent: Node | undefined, key: string): SeenRecording | undefined {
    const node = field(parent, key);
    return node === undefined || this.#faulty.has(node) ? undefined : this.#aliases.recording(node);
  }

  #destination(owner: Entry | undefined): Reached | undefined {
    if (owner === undefined || isNull(owner.value) || this.#faulty.has(owner.value))
      return undefined;
    return this.#destinations.resolve(owner.value, owner.key);
  }
}
