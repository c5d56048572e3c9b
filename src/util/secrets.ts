/**
 * The secrets of this run: tokens, passwords, keys. The code that reads a secret adds it here. Then
 * it is masked in everything that is stored or printed, also in encoded or escaped form.
 */
class Secrets {
  readonly #values = new Set<string>();
  #all: Mask | undefined;
  #strong: Mask | undefined;

  add(value: string | undefined): void {
    if (value === undefined || value.length < shortest || this.#values.has(value)) return;
    this.#values.add(value);
    this.#all = undefined;
    this.#strong = undefined;
  }

  /** Removes all secrets. Only tests need this, because they run several commands in one process. */
  clear(): void {
    this.#values.clear();
    this.#all = undefined;
    this.#strong = undefined;
  }

  /** Replaces the secrets in a text. */
  mask(text: string): string {
    if (this.#values.size === 0) return text;
    this.#all ??= new Mask([...this.#values]);
    return this.#all.over(text);
  }

  /** Replaces the secrets in JSON, except those that could be a number or a word of JSON. `mask` handles these in strings. */
  maskJson(text: string): string {
    if (this.#values.size === 0) return text;
    this.#strong ??= new Mask([...this.#values].filter(isStrong));
    return this.#strong.over(text);
  }

  /** Replaces the secrets in a text without changing its length. */
  blot(text: string): string {
    if (this.#values.size === 0) return text;
    this.#all ??= new Mask([...this.#values]);
    return this.#all.over(text, (found) => "*".repeat(found.length));
  }
}

export const secrets = new Secrets();

/** The minimum length of a secret. Shorter values occur in any text, so they are not masked. */
const shortest = 4;
/** The minimum length of a secret that is also masked in other spellings. */
const distinctive = 8;

function isStrong(value: string): boolean {
  return value.length >= distinctive && !/^[-+.eE\d]+$/.test(value);
}

class Mask {
  readonly #values: readonly string[];
  readonly #needles: ReadonlySet<string>;
  #pattern: RegExp | undefined;

  constructor(values: readonly string[]) {
    // Longest first, so that a secret that starts with another one is masked completely.
    this.#values = values.toSorted((a, b) => b.length - a.length);
    this.#needles = new Set(this.#values.filter(isDistinctive).flatMap(needlesOf));
  }

  over(text: string, by: (found: string) => string = () => "***"): string {
    let clean = text;
    for (const value of this.#values) {
      if (clean.includes(value)) clean = clean.replaceAll(value, by);
    }
    // The pattern matches every spelling, so it is slow. Few texts need it.
    if (!this.#isNear(clean)) return clean;
    this.#pattern ??= new RegExp(
      this.#values.filter(isDistinctive).flatMap(spellingsOf).join("|"),
      "gu",
    );
    return clean.replace(this.#pattern, by);
  }

  #isNear(text: string): boolean {
    if (text.length < distinctive || this.#needles.size === 0) return false;
    const forms = formsOf(text);
    return [...this.#needles].some((needle) => forms.some((form) => form.includes(needle)));
  }
}

function isDistinctive(value: string): boolean {
  return value.length >= distinctive;
}

function needlesOf(value: string): string[] {
  const cores = [0, 1, 2].map((before) => base64Core(value, before));
  return [value, percentEncoded(value)]
    .map((spelling) => bare(spelling).toLowerCase())
    .concat(cores, bytesOf(value).map(hexByte).join(""));
}

/** The forms of a text in which needles are searched: words, hex and base64. */
function formsOf(text: string): readonly string[] {
  const stripped = bare(text);
  const lower = stripped.toLowerCase();
  return [
    lower,
    lower.replaceAll(/[:-]+/g, ""),
    stripped.replaceAll("-", "+").replaceAll("_", "/"),
  ];
}

/** A text without gaps and escapes. */
function bare(text: string): string {
  const decoded = /[%&\\]/.test(text) ? text.replaceAll(escaped, decode) : text;
  return decoded.replaceAll(ignored, "");
}

const escaped =
  /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\u\{[0-9a-f]+\}|\\[nrtbf]|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos);/gi;
// oxlint-disable-next-line no-control-regex -- these are the characters looked for
const ignored = /\u001B\[[0-9;]*m|[\s\p{Cc}\p{Cf}\u2400-\u2421\\]+/gu;

function decode(spelling: string): string {
  const numbered = /^(?:%|\\u\{?|&#x)(?<hex>[0-9a-f]+)|^&#(?<decimal>\d+)/i.exec(spelling)?.groups;
  if (numbered !== undefined) {
    const { hex, decimal } = numbered;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
  }
  return Object.keys(names).find((character) => spelling === `&${names[character]};`) ?? "";
}

function spellingsOf(value: string): string[] {
  return [spelled(value), ...[0, 1, 2].map((before) => base64Of(value, before)), hexOf(value)];
}

/**
 * What may be between two characters of a secret: white space, control characters, invisible
 * characters and colors, directly or as escaped by JSON, an address or `visible`.
 */
const gap = String.raw`(?:\u001b\[[0-9;]*m|[\s\p{Cc}\p{Cf}\u2400-\u2421]|\\[nrtbf]|\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]+\}|%0[0-9a-fA-F]|%20|&#(?:1[03]|x[aAdD]);){0,80}?`;

/** The pattern of a secret: each character in either case, percent-encoded, or escaped for JSON, Markdown, XML or HTML. */
function spelled(value: string): string {
  const [first = "", ...rest] = Array.from(value, characterOf);
  // A backslash before the first character may be the second half of an escaped one.
  return [first, ...rest.map((character) => String.raw`(?:\\?${character})`)].join(gap);
}

function characterOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  const name = names[character];
  const spellings = [
    anyCase(percentEncoded(character)),
    String.raw`\\u${anyCase(hex.padStart(4, "0"))}`,
    `&#0*${code};`,
    `&#[xX]0*${anyCase(hex)};`,
    ...(name === undefined ? [] : [`&${name};`]),
    ...new Set([character, character.toLowerCase(), character.toUpperCase()].map(literal)),
  ];
  return `(?:${spellings.join("|")})`;
}

const names: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};

/** The base64 characters that depend only on the secret, with 0 to 2 bytes of a group before it. */
function base64Core(value: string, before: number): string {
  const bytes = [0, 0].slice(0, before).concat(bytesOf(value));
  // The characters at both ends also depend on the bytes next to the secret.
  return btoa(String.fromCodePoint(...bytes)).slice(
    Math.ceil((before * 8) / 6),
    Math.floor((bytes.length * 8) / 6),
  );
}

/** The pattern of a secret in base64, in either alphabet. */
function base64Of(value: string, before: number): string {
  const digits = Array.from(base64Core(value, before), (digit) =>
    digit === "+"
      ? "(?:[+-]|%2[bB])"
      : digit === "/"
        ? String.raw`(?:\\?/|_|%2[fF])`
        : literal(digit),
  );
  const edge = "[A-Za-z0-9+/_-]?";
  return `${before === 0 ? "" : edge}${digits.join(gap)}${edge}`;
}

function hexOf(value: string): string {
  return bytesOf(value)
    .map((byte) => anyCase(hexByte(byte)))
    .join("[ :-]?");
}

function percentEncoded(text: string): string {
  return bytesOf(text)
    .map((byte) => `%${hexByte(byte)}`)
    .join("");
}

function bytesOf(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}

function hexByte(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
