import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { digits } from "../schema/common.ts";
import { PayloadSchema } from "../schema/payload.ts";
import { shorten } from "../util/nearest.ts";
import { canonicalKey } from "../compile/options.ts";
import { counted, faultsOf } from "../compile/payload-file.ts";
import { type MapNode, type Node, type ScalarNode, at, entry, field } from "../yaml/node.ts";
import type { Candidate } from "./pasted.ts";

/** A value of a payload, in the one form that both number forms have, and where it stands. */
export interface Told {
  readonly text: string;
  readonly at: Span;
}

/** A payload as it was given, every field at its place. */
export interface GivenPayload {
  readonly key: Told | undefined;
  readonly at: Span;
  readonly name: Told;
  readonly description: Told;
  readonly recording: Told;
  readonly options: readonly GivenOption[];
  readonly invalid: Readonly<Record<"retries" | "recording" | "destination", Told>>;
  readonly timeout: Readonly<
    Record<"wait" | "retries" | "retry_recording" | "recording" | "destination", Told>
  >;
  readonly extra: {
    readonly timeout_retries: Told | undefined;
    readonly recording_invalid: Told | undefined;
  };
  /** Where `sms_template` stands, if it does. */
  readonly sms: Span | undefined;
}

interface GivenOption {
  readonly key: Told;
  readonly destination: Told;
  readonly sms: Told | undefined;
}

/** The payload, if it is one that a menu can say. */
export function judge(
  { node, key }: Candidate,
  diagnostics: Diagnostics,
): GivenPayload | undefined {
  const value = plainOf(node);
  const judged = PayloadSchema.safeParse(value);
  if (!judged.success) {
    for (const { path, unknown, message, hint } of faultsOf(judged.error.issues, value)) {
      const own = unknown && entry(node, String(path[0]))?.key;
      const place = path.length === 0 ? undefined : (own ?? at(node, path));
      diagnostics.add("IVR655", place ?? shortSpan(node), message, hint);
    }
    return undefined;
  }
  if (node.kind !== "map") return undefined;
  return new Judge(node, diagnostics).payload(key);
}

class Judge {
  readonly #payload: MapNode;
  readonly #diagnostics: Diagnostics;
  #sound = true;

  constructor(payload: MapNode, diagnostics: Diagnostics) {
    this.#payload = payload;
    this.#diagnostics = diagnostics;
  }

  payload(key: ScalarNode | undefined): GivenPayload | undefined {
    const given: GivenPayload = {
      key: key && { text: key.text, at: key },
      at: shortSpan(this.#payload),
      name: this.#words("name"),
      description: this.#words("description"),
      recording: this.#text("recording"),
      options: this.#options(),
      invalid: {
        retries: this.#count("incorrect_count"),
        recording: this.#text("invalid_recording"),
        destination: this.#text("invalid_destination"),
      },
      timeout: {
        wait: this.#count("timeout"),
        retries: this.#count("timeout_tries"),
        retry_recording: this.#text("timeout_retry_recording"),
        recording: this.#text("timeout_recording"),
        destination: this.#text("timeout_destination"),
      },
      extra: {
        timeout_retries: this.#if("timeout_retries", () => this.#extraCount()),
        recording_invalid: this.#if("recording_invalid", () => this.#text("recording_invalid")),
      },
      sms: field(this.#payload, "sms_template"),
    };
    return this.#sound ? given : undefined;
  }

  #options(): GivenOption[] {
    const destinations = this.#items("destination");
    const templates = this.#items("sms_template");
    const keys = this.#items("option");
    if (keys.length === 0) {
      this.#fault(this.#place("option"), "A menu has at least one option, and here is none.");
    }
    if (templates.length > 0 && templates.length !== keys.length) {
      this.#unpaired(keys.length, templates);
    }
    const seen = new Set<string>();
    return keys.map((node, index) => {
      const key = this.#key(node);
      if (seen.has(key.text)) {
        this.#fault(key.at, `The option \`${shorten(key.text)}\` is given twice.`);
      }
      seen.add(key.text);
      const [destination, sms] = [destinations[index], templates[index]];
      return {
        key,
        destination: destination === undefined ? nothing(node) : told(destination),
        sms: sms && told(sms),
      };
    });
  }

  #unpaired(options: number, templates: readonly Node[]): void {
    this.#sound = false;
    this.#diagnostics.add(
      "IVR655",
      templates[options] ?? this.#place("sms_template"),
      `${counted(options, "option")} and ${counted(templates.length, "item")} of \`sms_template\`, which belong together by position.`,
      "Give one item for each option; which is missing or left over only you can know.",
    );
  }

  #key(node: Node): Told {
    const key = told(node);
    if (node.kind === "scalar" && node.plain && !/^-?[0-9]+$/.test(key.text)) {
      this.#fault(node, "A key is text, or a whole number.");
    }
    if (!/\S/.test(key.text) || key.text === "__proto__" || canonicalKey(key.text) !== key.text) {
      this.#fault(node, `No menu has an option with the key \`${key.text}\`.`);
    }
    return key;
  }

  #words(name: string): Told {
    const words = this.#text(name);
    if (!/\S/.test(words.text)) this.#fault(words.at, `A menu's \`${name}\` is never empty.`);
    return words;
  }

  #count(name: string): Told {
    const count = this.#text(name);
    if (!digits.test(count.text)) {
      this.#fault(count.at, `\`${name}\` must be a whole number from 0, digits only.`);
    }
    return count;
  }

  /** Always sent as a number, so it must be one that JSON keeps. */
  #extraCount(): Told {
    const count = this.#count("timeout_retries");
    if (!/^0*[0-9]{1,15}$/.test(count.text)) {
      this.#fault(count.at, "`timeout_retries` has at most 15 digits.");
    }
    return count;
  }

  #text(name: string): Told {
    return told(field(this.#payload, name) ?? this.#payload);
  }

  #if(name: string, read: () => Told): Told | undefined {
    return field(this.#payload, name) === undefined ? undefined : read();
  }

  #items(name: string): readonly Node[] {
    const list = field(this.#payload, name);
    return list?.kind === "list" ? list.items : [];
  }

  #place(name: string): Span {
    return field(this.#payload, name) ?? this.#payload;
  }

  #fault(span: Span, message: string): void {
    this.#sound = false;
    this.#diagnostics.add("IVR656", span, message);
  }
}

/** A whole number as its digits, however JSON writes it. */
function told(node: Node): Told {
  if (node.kind !== "scalar") return nothing(node);
  if (!node.plain || /^-?[0-9]+$/.test(node.text)) {
    return { text: node.text === "-0" && node.plain ? "0" : node.text, at: node };
  }
  const number = Number(node.text);
  return { text: Number.isSafeInteger(number) ? String(number) : node.text, at: node };
}

function nothing(at: Span): Told {
  return { text: "", at };
}

/** A mapping is pointed at by its bracket: nobody wants to see all of it marked. */
function shortSpan({ source, start }: Span): Span {
  return source.span(start, start + 1);
}

function plainOf(node: Node): unknown {
  switch (node.kind) {
    case "scalar":
      return node.plain ? JSON.parse(node.text) : node.text;
    case "list":
      return node.items.map(plainOf);
    case "map":
      return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, plainOf(value)]));
  }
}
