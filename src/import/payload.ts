import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { digits } from "../schema/common.ts";
import { PayloadSchema } from "../schema/payload.ts";
import type { Payload } from "../schema/wire.ts";
import { many } from "../util/many.ts";
import { shorten } from "../util/nearest.ts";
import { canonicalKey } from "../compile/options.ts";
import { problemsOf } from "../compile/payload-file.ts";
import { type Node, type ScalarNode, at, entry, field } from "../yaml/node.ts";
import type { Candidate } from "./pasted.ts";

/**
 * A value of a payload and its place. A whole number becomes its digits, however JSON writes it.
 */
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
  /** The phone numbers that lead to the menu, if they are known. A payload does not have them. */
  readonly numbers?: readonly string[];
}

interface ImportedOption {
  readonly key: PlacedText;
  readonly destination: PlacedText;
  readonly sms: PlacedText | undefined;
}

/** Reads a payload; undefined, with diagnostics, if no menu can express it. */
export function readPayload(
  { node, key }: Candidate,
  diagnostics: Diagnostics,
): ImportedPayload | undefined {
  const value = plainOf(node);
  const parsed = PayloadSchema.safeParse(value);
  if (!parsed.success) {
    for (const { path, unknown, message, hint } of problemsOf(parsed.error.issues, value)) {
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

/** Reads a valid payload and reports what no menu can express. */
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
      this.#refuse(this.#node("option"), "A menu must have at least one option.", "Add an option.");
    }
    if (templates.length > 0 && templates.length !== keys.length) {
      this.#diagnostics.add(
        "IVR655",
        templates[keys.length] ?? this.#node("sms_template"),
        `The payload has ${many(keys.length, "option")}, but ${many(templates.length, "item")} in \`sms_template\`.`,
        "Give each option one item of `sms_template`, in the same order.",
      );
    }
    const seen = new Set<string>();
    return keys.map((node, index) => {
      const key = this.#key(node);
      if (seen.has(key.text)) {
        this.#refuse(
          key.at,
          `The payload has the option \`${shorten(key.text)}\` twice.`,
          "Remove one of the two.",
        );
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
      this.#refuse(node, "A key must be text or a whole number.", "Write a key such as 1.");
    }
    if (!/\S/.test(key.text) || key.text === "__proto__" || canonicalKey(key.text) !== key.text) {
      this.#refuse(
        node,
        key.text === ""
          ? "The key of an option cannot be empty."
          : `An option cannot have the key \`${key.text}\`.`,
        "Write a phone key: 0-9, * or #.",
      );
    }
    return key;
  }

  #words(name: string): PlacedText {
    const words = this.#text(name);
    if (!/\S/.test(words.text)) {
      this.#refuse(words.at, `\`${name}\` must not be empty.`, "Write some text.");
    }
    return words;
  }

  #count(name: string): PlacedText {
    const count = this.#text(name);
    if (!digits.test(count.text)) {
      this.#refuse(
        count.at,
        `\`${name}\` must be a whole number, 0 or more.`,
        "Write digits only, for example 5.",
      );
    }
    return count;
  }

  /** Reads `timeout_retries`. It is always sent as a number, so JSON must keep it exactly. */
  #extraCount(): PlacedText {
    const count = this.#count("timeout_retries");
    if (!/^0*[0-9]{1,15}$/.test(count.text)) {
      this.#refuse(
        count.at,
        "`timeout_retries` can have at most 15 digits.",
        "Write a smaller number.",
      );
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

  #refuse(span: Span, message: string, hint: string): void {
    this.#diagnostics.add("IVR655", span, message, hint);
  }
}

/** The text of a scalar. A whole number becomes its digits, however JSON writes it. */
function textOf(node: Node): PlacedText {
  if (node.kind !== "scalar") return { text: "", at: node };
  const { text, plain } = node;
  const number = Number(text);
  const isWhole = plain && Number.isSafeInteger(number);
  // `String` also turns -0 into 0.
  return { text: isWhole ? String(number) : text, at: node };
}

/** The first bracket of a mapping, to mark it. */
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
