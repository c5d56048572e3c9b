import { visible } from "./terminal.ts";

/*
 * Text from files, the service or the state, made fit for a comment on a forge.
 * Two readers have to be told that it is text: the Markdown parser, which takes
 * nothing written as an entity for a sign of its own, and the forge's filters,
 * which look for mentions, references, links, emoji and formulas in what was
 * rendered, one piece of text at a time: there the sign stands alone in a span.
 * Nothing is added that somebody would copy along.
 */

/** Text in a line, a list or a cell of a table; never at the start of a line. */
export function prose(text: string): string {
  return visible(text).replace(told, (sign) => {
    if (sign.length > 1) return sign.replace(/.{6}(?=.)/g, "$&<span></span>");
    const entity = `&#${sign.charCodeAt(0)};`;
    return filtered.has(sign) ? `<span>${entity}</span>` : entity;
  });
}

/**
 * Signs of Markdown and of references; every space but the plain one, about which
 * parsers do not agree; a colon, a slash, a dot or a hyphen only where it can be
 * part of a link (`https://`, `:tada:`, `www.`, `GH-12`); what could be the name of a commit.
 */
const told =
  /[\\`*_[\]<>&|~@#$!%^]|[^\S ]|:(?=\S)|\/(?=\/)|(?<=www)\.|(?<=\w)-(?=\d)|(?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])/gi;

const filtered: ReadonlySet<string> = new Set("@#$!%~&^:/.-[*");

/** What is copied, or named by its address: a key, a file, a command. */
export function code(text: string): string {
  return `<code>${prose(text)}</code>`;
}

/** A message of ours, in which what stands between backticks is quoted. */
export function message(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? code(part.slice(1, -1)) : prose(part)))
    .join("");
}

/** A block that is shown as it stands, whatever is in it. */
export function fenced(language: string, lines: readonly string[]): string {
  const shown = lines.map(visible);
  const longest = shown
    .flatMap((line) => line.match(/`+/g) ?? [])
    .reduce((most, { length }) => Math.max(most, length), 2);
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...shown, fence].join("\n");
}

/** What a reader unfolds; the blank lines let Markdown be Markdown again inside. */
export function folded(summary: string, content: string, open = false): string {
  return `<details${open ? " open" : ""}>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/** A line that nobody sees, by which a bot finds its own comment again. */
export function marker(...parts: readonly string[]): string {
  const safe = parts.map((part) => part.replace(/[^A-Za-z0-9._-]/g, "_"));
  return `<!-- ${["ivrctl", ...safe].join(":")} -->`;
}
