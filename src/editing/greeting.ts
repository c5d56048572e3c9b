import type { ResolvedMenu, ResolvedOption } from "../compile/compiled-menu.ts";
import { disagreement } from "../rules/built-in/prompt-mismatch.ts";

/**
 * What the greeting of a menu should say if it and the keys disagree: its sentences for the keys that it announces
 * rightly, and new ones for the others. Undefined if they agree, or if that cannot be said for certain.
 */
export function suggestedGreeting({ facts, options }: ResolvedMenu): string | undefined {
  const { recording } = facts;
  const says = recording?.value.says;
  const problem = options && disagreement(recording, options);
  if (options === undefined || says === undefined || problem === undefined) return undefined;
  const parts = says.trim().split(/(?<=[.!?;,])\s+(?=(?:(?:and|or),?\s+)?(?:for|to|press)\s)/i);
  // "For sales, press 1" is one part.
  const joined: string[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isRest = /^press\s/i.test(part) && last !== undefined && !announces.test(last);
    if (isRest) joined[joined.length - 1] = `${last} ${part}`;
    else joined.push(part);
  }
  const byKey = new Map(joined.flatMap((part) => keysIn(part).map((key) => [key, part] as const)));
  const first = joined.findIndex((part) => announces.test(part));
  const last = joined.findLastIndex((part) => announces.test(part));
  const isPlain = joined.slice(first, last + 1).every((part) => keysIn(part).length === 1);
  if (first === -1 || !isPlain) return undefined;
  const isAfter = /\bpress [0-9*#] (?:for|to) /i.test(says);
  const wrong = new Set(problem.wrong.map(({ key }) => key));
  const sentences = options.map((option) => {
    const kept = wrong.has(option.key) ? undefined : byKey.get(option.key);
    return kept?.replace(/^(?:and|or),?\s+/i, "") ?? sentenceFor(option, isAfter);
  });
  if (sentences.includes(undefined)) return undefined;
  const all = [...joined.slice(0, first), ...sentences, ...joined.slice(last + 1)];
  const text = all.flatMap((part) => (part === undefined ? [] : asSentence(part))).join(" ");
  const suggested = recording && { ...recording, value: { ...recording.value, says: text } };
  return disagreement(suggested, options) ? undefined : text;
}

const announces = /\bpress [0-9*#]/i;

function keysIn(part: string): string[] {
  return [...part.matchAll(/\bpress ([0-9*#])(?![ .:-]?[0-9])/gi)].map(([, key = ""]) => key);
}

function sentenceFor({ key, for: purpose }: ResolvedOption, isAfter: boolean): string | undefined {
  if (purpose === undefined) return undefined;
  return isAfter ? `Press ${key} for ${purpose.value}` : `For ${purpose.value}, press ${key}`;
}

function asSentence(part: string): string {
  const text = part.replace(/[,;]$/, "");
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?।]$/.test(text) ? "" : ".");
}
