import type { Code } from "./codes.ts";

/**
 * What the code decides by, beyond the severity. Only this table has numbers: a place that treats some
 * problems differently names a group. A shorter text stands for all codes that start with it.
 */
const groups = {
  "agent reference": ["IVR30"],
  "altered plan": ["IVR621"],
  ambiguous: ["IVR303"],
  "blocked agent": ["IVR304", "IVR314"],
  "empty file": ["IVR106"],
  "key or name used twice": ["IVR212", "IVR213", "IVR216"],
  /** The schema and the references of a menu, or a key that is there twice. */
  "menu content": ["IVR107", "IVR2", "IVR3"],
  "missing field": ["IVR202"],
  "no configuration": ["IVR126", "IVR402"],
  "no environment": ["IVR401"],
  "no file": ["IVR126"],
  "no operator": ["IVR703"],
  "no revision": ["IVR641"],
  "not found": ["IVR301"],
  reference: ["IVR3"],
  "renumbered key": ["IVR711"],
  "settings or list": ["IVR1", "IVR4", "IVR5"],
  /** Several of them can be at one place, each with its own message. */
  "several at a place": ["IVR202", "IVR503"],
  "stale plan": ["IVR622", "IVR623", "IVR624", "IVR625", "IVR627", "IVR638"],
  "state lost": ["IVR629"],
  "state not begun": ["IVR608"],
  "state or plan": ["IVR6"],
  "state set back": ["IVR628"],
  /** The text of a file: its message may quote any part of it. */
  text: ["IVR1"],
  "unreadable text": ["IVR101", "IVR102", "IVR104", "IVR106"],
  "variable not set": ["IVR403"],
  "wrong account": ["IVR607"],
} as const satisfies Readonly<Record<string, readonly (Code | `IVR${number}`)[]>>;

/** Whether a problem belongs to one of these groups. */
export function isAbout(
  { code }: { readonly code: Code },
  ...names: readonly (keyof typeof groups)[]
): boolean {
  return names.some((name) => groups[name].some((start) => code.startsWith(start)));
}
