import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { digits } from "../schema/common.ts";
import { PayloadSchema } from "../schema/payload.ts";
import type { Payload } from "../schema/wire.ts";
import { shorten } from "../util/nearest.ts";
import { canonicalKey } from "../compile/options.ts";
import { counted, faultsOf } from "../compile/payload-file.ts";
import { type Node, type ScalarNode, at, entry, field } from "../yaml/node.ts";
import type { Candidate } from "./pasted.ts";

/** A value of a payload and its place. A whole number is its digits, however JSON writes it. */
export interface PlacedText {
  readonly text: string;
  readonly at: Span;
}

type RequiredField = Exclude<keyof Payload, ListField | OptionalField>;
type ListField = "option" | "destination" | "sms_template";
type OptionalField = "timeout_retries" | "recording_invalid";

/** A payload that a menu can express, every value with its place. */
export interface ImportedPayload {
  /** The key that a map of payloads gives it. */
  readonly key: PlacedText | undefined;
  readonly at: Span;
  readonly fields: Readonly<
    Record<RequiredField, PlacedText> & Record<OptionalField, PlacedText | undefined>
  >;
  readonly options: readonly ImportedOption[];
  /** Where `sms_template` is, if the payload has it. */
  readonly sms: Span | undefined;
}

interface ImportedOption {
  readonly key: PlacedText;
  readonly destination: PlacedText;
  readonly sms: PlacedText | undefined;
}

/** The payload, if it is one that a menu can express. */
export function readPayload(
  { node, key }: Candidate,
  diagnostics: Diagnostics,
): ImportedPayload | undefined {
  const value = plainOf(node);
  const parsed = PayloadSchema.safeParse(value);
  if (!parsed.success) {
    for (const { path, unknown, message, hint } of faultsOf(parsed.error.issues, value)) {
      const own = unknown && entry(node, String(path[0]))?.key;
      const place = path.length === 0 ? undefined : (own ?? at(node, path));
      diagnostics.add("IVR655", place ?? shortSpan(node), message, hint);
    }
    return undefined;
  }
  const found = new Diagnostics();
  const payload = new PayloadReader(node, found).read(key);
  diagnostics.addAll(found);
  return found.hasErrors ? undefined : payload;
}

/** Reads a payload that fits the schema, and reports what no menu can express. */
class PayloadReader {
  readonly #payload: Node;
  readonly #diagnostics: Diagnostics;

  constructor(payload: Node, diagnostics: Diagnostics) {
    this.#payload = payload;
    this.#diagnostics = diagnostics;
  }

  read(key: ScalarNode | undefined): ImportedPayload {
    return {
      key: key && { text: key.text, at: key },
      at: shortSpan(this.#payload),
      fields: {
        name: this.#words("name"),
        description: this.#words("description"),
        recording: this.#text("recording"),
        timeout: this.#count("timeout"),
        incorrect_count: this.#count("incorrect_count"),
        invalid_recording: this.#text("invalid_recording"),
        invalid_destination: this.#text("invalid_destination"),
        timeout_retry_recording: this.#text("timeout_retry_recording"),
        timeout_recording: this.#text("timeout_recording"),
        timeout_destination: this.#text("timeout_destination"),
        timeout_tries: this.#count("timeout_tries"),
        timeout_retries: this.#has("timeout_retries") ? this.#extraCount() : undefined,
        recording_invalid: this.#has("recording_invalid")
          ? this.#text("recording_invalid")
          : undefined,
      },
      options: this.#options(),
      sms: field(this.#payload, "sms_template"),
    };
  }

  #options(): ImportedOption[] {
    const destinations = this.#items("destination");
    const templates = this.#items("sms_template");
    const keys = this.#items("option");
    if (keys.length === 0) {
      this.#fault(this.#node("option"), "A menu has at least one option, and here is none.");
    }
    if (templates.length > 0 && templates.length !== keys.length) {
      this.#diagnostics.add(
        "IVR655",
        templates[keys.length] ?? this.#node("sms_template"),
        `${counted(keys.length, "option")} and ${counted(templates.length, "item")} of \`sms_template\`, which belong together by position.`,
        "Give one item for each option; which is missing or left over only you can know.",
      );
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
        destination: destination === undefined ? { text: "", at: node } : textOf(destination),
        sms: sms && textOf(sms),
      };
    });
  }

  #key(node: Node): PlacedText {
    const key = textOf(node);
    if (node.kind === "scalar" && node.plain && !/^-?[0-9]+$/.test(key.text)) {
      this.#fault(node, "A key is text, or a whole number.");
    }
    if (!/\S/.test(key.text) || key.text === "__proto__" || canonicalKey(key.text) !== key.text) {
      this.#fault(node, `No menu has an option with the key \`${key.text}\`.`);
    }
    return key;
  }

  #words(name: string): PlacedText {
    const words = this.#text(name);
    if (!/\S/.test(words.text)) this.#fault(words.at, `A menu's \`${name}\` is never empty.`);
    return words;
  }

  #count(name: string): PlacedText {
    const count = this.#text(name);
    if (!digits.test(count.text)) {
      this.#fault(count.at, `\`${name}\` must be a whole number from 0, digits only.`);
    }
    return count;
  }

  /** Always sent as a number, so it must be one that JSON keeps. */
  #extraCount(): PlacedText {
    const count = this.#count("timeout_retries");
    if (!/^0*[0-9]{1,15}$/.test(count.text)) {
      this.#fault(count.at, "`timeout_retries` has at most 15 digits.");
    }
    return count;
  }

  #text(name: string): PlacedText {
    return textOf(this.#node(name));
  }

  #items(name: string): readonly Node[] {
    const list = this.#node(name);
    return list.kind === "list" ? list.items : [];
  }

  #has(name: string): boolean {
    return field(this.#payload, name) !== undefined;
  }

  #node(name: string): Node {
    return field(this.#payload, name) ?? this.#payload;
  }

  #fault(span: Span, message: string): void {
    this.#diagnostics.add("IVR656", span, message);
  }
}

/** The text of a scalar; a whole number is its digits, however JSON writes it. */
function textOf(node: Node): PlacedText {
  if (node.kind !== "scalar") return { text: "", at: node };
  const { text, plain } = node;
  const number = Number(text);
  const isWhole = plain && Number.isSafeInteger(number);
  // `String` also turns -0 into 0.
  return { text: isWhole ? String(number) : text, at: node };
}

/** A mapping is marked by its bracket alone, not from end to end. */
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
