import { shorten } from "../util/nearest.ts";

/** Words that some YAML parsers do not read as text. */
const notText =
  /^(?:true|false|yes|no|on|off|y|n|null|nan|inf|[-+]?\.?(?:inf|nan)|[-+.]?[0-9].*)$/i;
const plainStart = /^[\p{L}]/u;
const plainBlock = /^[\p{L}\p{M}\p{N} _.,'"()&+/@*!?%=;–—…’‘“”:#$<>~^|[\]{}\p{Join_Control}-]*$/u;
const flowOnly = /[,[\]{}:]/;

/** Control characters, and characters that reorder or hide text. They are escaped, so that a review shows them. */
const unseen =
  /[\u0000-\u001F\u007F-\u00A0\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202F\u205F-\u206F\u3000\uFEFF\uFFF0-\uFFFF]|[\u{E0000}-\u{E0FFF}]|[\uD800-\uDFFF]/gu;

/** A text as a YAML scalar of a menu, in quotes if it needs them. */
export function scalar(value: string, { flow = false } = {}): string {
  const text = withoutVariables(value);
  const plain =
    plainStart.test(text) &&
    plainBlock.test(text) &&
    !text.endsWith(" ") &&
    !notText.test(text) &&
    !/:(?: |$)| #/.test(text) &&
    !(flow && flowOnly.test(text));
  return plain ? text : quoted(text);
}

export function quoted(text: string): string {
  return JSON.stringify(text).replace(unseen, escaped);
}

/** The text of a menu for which `{{` does not start a variable. */
function withoutVariables(value: string): string {
  return value.replaceAll("{{", "{{{{");
}

/** The value of a block key: a scalar on one line, or a block scalar for several lines. */
export function blockText(value: string, indent: string): string {
  const text = withoutVariables(value);
  const [, body = "", end = ""] = /^([^]*?)(\n?)$/.exec(text) ?? [];
  const lines = body.split("\n");
  const legible =
    lines.length > 1 &&
    /^[^\s]/.test(body) &&
    !/^(?:---|\.\.\.)/m.test(body) &&
    lines.every((line) => line === line.trimEnd() && line.search(unseen) === -1) &&
    lines.at(-1) !== "";
  if (!legible) return scalar(value);
  const written = lines.map((line) => (line === "" ? "" : indent + line));
  return [end === "" ? "|-" : "|", ...written].join("\n");
}

/** Text from outside as part of a comment, on one line and with hidden characters escaped. */
export function inComment(text: string): string {
  return shorten(text.replace(unseen, escaped));
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const [letter, width] = code > 0xffff ? ["U", 8] : ["u", 4];
  return `\\${letter}${code.toString(16).toUpperCase().padStart(width, "0")}`;
}
