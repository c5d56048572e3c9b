import type { Code } from "./codes.ts";

/**
 * What the code decides by, beyond the severity. Only this table has numbers: a place that treats some
 * problems differently names a group.
 */
const groups = {
  "altered plan": ["IVR621"],
  "bind unknown": ["IVR670"],
  "blocked agent": ["IVR304", "IVR314"],
  /** What holds back only its menus. */
  "held menu": ["IVR304", "IVR314", "IVR639"],
  "key or name used twice": ["IVR212", "IVR213", "IVR216"],
  "no configuration": ["IVR126", "IVR402"],
  "no file": ["IVR126"],
  "not comparable": ["IVR637"],
  "stale plan": ["IVR622", "IVR623", "IVR624", "IVR625", "IVR627", "IVR638"],
  "state lost": ["IVR629"],
  "state not begun": ["IVR608"],
  "state set back": ["IVR628"],
  "variable not set": ["IVR403"],
} as const satisfies Readonly<Record<string, readonly Code[]>>;

/** Whether a problem belongs to one of these groups. */
export function isAbout(
  { code }: { readonly code: Code },
  ...names: readonly (keyof typeof groups)[]
): boolean {
  return names.some((name) => groups[name].some((one) => one === code));
}
