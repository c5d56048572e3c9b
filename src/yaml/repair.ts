import type { Document } from "yaml";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";

// Two mistakes are so natural that reading goes on after explaining them. The wrong
// characters are replaced one for one, so that every position holds, by stand-ins that
// YAML takes for text. What was read gets the original characters back.
const standIns = { "*": "\uE02A", "{": "\uE07B", "}": "\uE07D" } as const;
const originals = new Map<string, string>(Object.entries(standIns).map(([k, v]) => [v, k]));
const anyStandIn = /[\uE02A\uE07B\uE07D]/g;

/** The text with every mistake of the kind that the parser tripped over explained and stood in for. */
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
        repairs.set(star, standIns["*"]);
        found.add(
          "IVR108",
          source.span(star, star + 1),
          "An unquoted `*` starts an alias in YAML, not a key.",
          'Write "*" in quotes, or `star`.',
        );
      }
    } else if (text[offset] === "{" && text[offset - 1] === "$") {
      const variable = /^\{[A-Za-z_][A-Za-z0-9_]*\}/.exec(text.slice(offset, offset + 200))?.[0];
      if (variable === undefined || repairs.has(offset)) continue;
      repairs.set(offset, standIns["{"]);
      repairs.set(offset + variable.length - 1, standIns["}"]);
      found.add(
        "IVR118",
        source.span(offset - 1, offset + variable.length),
        `Inside { } or [ ] the braces of $${variable} end the value.`,
        `Quote it: "$${variable}".`,
      );
    }
  }
  if (repairs.size === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const [offset, standIn] of [...repairs].sort(([a], [b]) => a - b)) {
    parts.push(text.slice(from, offset), standIn);
    from = offset + 1;
  }
  return parts.join("") + text.slice(from);
}

/** What was written where a stand-in was read. */
export function restored(text: string): string {
  return text.replace(anyStandIn, (standIn) => originals.get(standIn) ?? standIn);
}
