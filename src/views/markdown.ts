import { type Hint, commandText, hintParts, separateHints } from "../util/suggest.ts";
import { visible } from "./terminal.ts";

/*
 * Escapes text from files, the service or the state for a comment on GitHub or GitLab. Entities
 * prevent Markdown. After rendering, the site looks for mentions, references, links, emoji and
 * formulas in each piece of text. So every character that could start one is in its own span.
 * Spans add no text, so a reader can still copy it.
 */

/** Escaped text for a line, a list or a table cell. Not for the start of a line. */
export function prose(text: string): string {
  return visible(text).replace(escaped, (sign) => {
    if (sign.length > 1) return sign.replace(/.{6}(?=.)/g, "$&<span></span>");
    const entity = `&#${sign.charCodeAt(0)};`;
    return filtered.has(sign) ? `<span>${entity}</span>` : entity;
  });
}

/**
 * Characters of Markdown and of references, and all spaces except the plain one, which parsers
 * treat differently. A colon, slash, dot or hyphen only if it can be part of a link or reference
 * (`https://`, `:tada:`, `www.`, `GH-12`). Also anything that can be the name of a commit.
 */
const escaped =
  /[\\`*_[\]<>&|~@#$!%^]|[^\S ]|:(?=\S)|\/(?=\/)|(?<=www)\.|(?<=\w)-(?=\d)|(?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])/gi;

const filtered: ReadonlySet<string> = new Set("@#$!%~&^:/.-[*");

/** A key, a file or a command, shown as code. */
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

/** A hint with its command, which is for the project in this folder of the repository. */
export function advice(hint: Hint, directory?: string): string {
  return separateHints(hint)
    .map((single) => {
      const { words, command } = hintParts(single, (argv) => commandText(argv, directory));
      return command === undefined ? message(words) : `${message(words)}<br>${code(command)}`;
    })
    .join("<br>");
}

/** A fenced block. Its content cannot close it. */
export function fenced(language: string, lines: readonly string[]): string {
  const texts = lines.map(visible);
  const longest = texts
    .flatMap((line) => line.match(/`+/g) ?? [])
    .reduce((most, { length }) => Math.max(most, length), 2);
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...texts, fence].join("\n");
}

/** A block that a reader can unfold. The blank lines enable Markdown inside. */
export function folded(summary: string, content: string, open = false): string {
  return `<details${open ? " open" : ""}>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/** The maximum length of a comment on GitHub in characters. UTF-16 units are never fewer. */
export const commentLimit = 65_536;

/** Room for the line that identifies a comment. */
export const markerRoom = 1000;

/** An invisible line. A bot finds its comment by it. */
export function marker(...parts: readonly string[]): string {
  const safe = parts.map((part) => part.replace(/[^A-Za-z0-9._-]/g, "_"));
  return `<!-- ${["ivrctl", ...safe].join(":")} -->`;
}

/** Returns a text that is not longer than `limit`. `render` makes it with at most so many items in each list. */
export function fitting(limit: number, render: (most: number) => string): string {
  let text = render(Number.POSITIVE_INFINITY);
  for (let most = 1000; text.length > limit && most >= 0; most = Math.ceil(most * 0.8) - 1) {
    text = render(most);
  }
  return text;
}
