import { visible } from "./terminal.ts";

/*
 * Text from files, the service or the state, escaped for a comment on a forge. Two readers must
 * take it as text: the Markdown parser, which ignores characters written as entities, and the
 * forge's filters, which look for mentions, references, links, emoji and formulas in each piece of
 * rendered text. For those the character is alone in a span. Nothing is added that would be copied.
 */

/** Text in a line, a list or a cell of a table; never at the start of a line. */
export function prose(text: string): string {
  return visible(text).replace(escaped, (sign) => {
    if (sign.length > 1) return sign.replace(/.{6}(?=.)/g, "$&<span></span>");
    const entity = `&#${sign.charCodeAt(0)};`;
    return filtered.has(sign) ? `<span>${entity}</span>` : entity;
  });
}

/**
 * Characters of Markdown and of references; every space but the plain one, about which parsers
 * disagree; a colon, a slash, a dot or a hyphen only if it can be part of a link (`https://`,
 * `:tada:`, `www.`, `GH-12`); what could be the name of a commit.
 */
const escaped =
  /[\\`*_[\]<>&|~@#$!%^]|[^\S ]|:(?=\S)|\/(?=\/)|(?<=www)\.|(?<=\w)-(?=\d)|(?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])/gi;

const filtered: ReadonlySet<string> = new Set("@#$!%~&^:/.-[*");

/** A key, a file or a command. */
export function code(text: string): string {
  return `<code>${prose(text)}</code>`;
}

/** A message of ivrctl, in which text between backticks is code. */
export function message(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? code(part.slice(1, -1)) : prose(part)))
    .join("");
}

/** A block that is shown unchanged, whatever it holds. */
export function fenced(language: string, lines: readonly string[]): string {
  const shown = lines.map(visible);
  const longest = shown
    .flatMap((line) => line.match(/`+/g) ?? [])
    .reduce((most, { length }) => Math.max(most, length), 2);
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...shown, fence].join("\n");
}

/** A block that a reader unfolds; the blank lines enable Markdown inside. */
export function folded(summary: string, content: string, open = false): string {
  return `<details${open ? " open" : ""}>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/** An invisible line by which a bot finds its own comment again. */
export function marker(...parts: readonly string[]): string {
  const safe = parts.map((part) => part.replace(/[^A-Za-z0-9._-]/g, "_"));
  return `<!-- ${["ivrctl", ...safe].join(":")} -->`;
}
