// @ts-check

/**
 * Escapes control characters, so that the text cannot move the cursor or start a section of a log.
 *
 * @param {string} text
 * @returns {string}
 */
export function plain(text) {
  return text.replace(
    /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Escapes control characters and line breaks.
 *
 * @param {string} text
 * @returns {string}
 */
export function oneLine(text) {
  return plain(text).replaceAll("\n", "\\n");
}

/** The page of a run is limited to 1 MB. The end of a text matters most. */
const mostFenced = 200_000;

/**
 * Returns a Markdown code block that shows any text unchanged.
 *
 * @param {string} text
 * @returns {string}
 */
export function fenced(text) {
  const whole = plain(text.replaceAll("\r\n", "\n")).trimEnd();
  const shown = whole.length > mostFenced ? `…${whole.slice(-mostFenced)}` : whole;
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${shown}\n${fence}`;
}

/**
 * Quotes an argument of a command that a person copies to a shell.
 *
 * @param {string} word
 * @returns {string}
 */
export function shellWord(word) {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
