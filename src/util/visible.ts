// Control characters, and characters that reorder or hide text: bidirectional marks, zero-width
// characters, line separators, the tag block.
const unsafe =
  // eslint-disable-next-line no-control-regex -- these are the characters looked for
  /[\u0000-\u001F\u007F-\u009F\u061C\u180E\u200B-\u200C\u200E-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E0FFF}]|[\uD800-\uDFFF]/gu;

/**
 * Returns text from outside so that a terminal can print it. Shows characters that could control
 * the terminal or hide text.
 */
export function visible(text: string): string {
  return text.replace(unsafe, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `\\u{${code.toString(16).toUpperCase()}}`;
  });
}
