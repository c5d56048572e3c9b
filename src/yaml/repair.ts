import type { Document } from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";

// Two mistakes are common: an unquoted `*` and an unquoted `${NAME}`. ivrctl reports them and reads on,
// so that it finds other mistakes too. It replaces each wrong character with one placeholder that YAML
// reads as text, so all positions stay the same. Values get the original characters back.
const placeholders = { "*": "\uE02A", "{": "\uE07B", "}": "\uE07D" } as const;
const originals = new Map<string, string>(Object.entries(placeholders).map(([k, v]) => [v, k]));
const anyPlaceholder = /[\uE02A\uE07B\uE07D]/g;

/** Reports mistakes of these kinds and returns the text with placeholders instead of them. */
export function repair(
  source: Source,
  text: string,
  documents: readonly Document.Parsed[],
  found: Diagnostics,
): string {
  const repairs = new Map<number, string>();
  for (const error of documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])) {
    const [offset] = error.pos;
    if (error.code === "BAD_ALIAS") {
      const star = text[offset] === "*" ? offset : offset - 1;
      if (/^\*[ \t]*:(?=\s|$)/.test(text.slice(star, star + 40)) && !repairs.has(star)) {
        repairs.set(star, placeholders["*"]);
        found.add(
          "IVR108",
          source.span(star, star + 1),
          "In YAML, an unquoted `*` starts an alias, not a key.",
          'Write `"*"` or `star`.',
        );
      }
    } else if (text[offset] === "{" && text[offset - 1] === "$") {
      const variable = /^\{[A-Za-z_][A-Za-z0-9_]*\}/.exec(text.slice(offset, offset + 200))?.[0];
      if (variable === undefined || repairs.has(offset)) continue;
      repairs.set(offset, placeholders["{"]);
      repairs.set(offset + variable.length - 1, placeholders["}"]);
      found.add(
        "IVR118",
        source.span(offset - 1, offset + variable.length),
        `Inside { } or [ ], $${variable} must be in quotes.`,
        `Write "$${variable}".`,
      );
    }
  }
  if (repairs.size === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const [offset, placeholder] of [...repairs].sort(([a], [b]) => a - b)) {
    parts.push(text.slice(from, offset), placeholder);
    from = offset + 1;
  }
  return parts.join("") + text.slice(from);
}

/** The text with placeholders replaced by the original characters. */
export function restored(text: string): string {
  return text.replace(anyPlaceholder, (placeholder) => originals.get(placeholder) ?? placeholder);
}
