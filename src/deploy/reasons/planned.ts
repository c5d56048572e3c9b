import { listed } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import type { KindOfMatter } from "./matter.ts";

/* What follows from a plan, and nobody has to do before apply. */

export interface PlannedFacts {
  "number-left": { readonly number: string; readonly where: string };
  "number-to-point": {
    readonly keys: readonly string[];
    readonly numbers: string;
    readonly reached: "old" | "newer";
  };
  "links-to-old": {
    readonly keys: readonly string[];
    /** Whether the old menus do not exist any more. */
    readonly isGone: boolean;
  };
  "webhook-removed": { readonly key: string; readonly keys: readonly string[] };
  "not-deleted": {
    readonly keys: readonly string[];
    readonly why: "not-allowed" | "unidentified" | "unreadable";
  };
}

export const planned: { readonly [K in keyof PlannedFacts]: KindOfMatter<PlannedFacts[K]> } = {
  "number-left": {
    blocks: "nothing",
    exit: 0,
    isPlanned: true,
    words: ({ number, where }) => `${phoneText(number)} still points to ${where}.`,
    fix: () => ["Point it to the current menu on the console, or in `numbers:` of a file."],
  },
  "number-to-point": {
    blocks: "nothing",
    exit: 0,
    isPlanned: true,
    words: ({ keys, reached }) =>
      keys.length === 1
        ? `Callers of ${keys[0]} reach the ${reached} menu after apply.`
        : `Callers of ${keys.length} menus reach the ${reached} menus after apply: ${listed(keys)}.`,
    fix: ({ keys, numbers, reached }) => {
      const where = reached === "old" ? "new" : "restored";
      return [
        keys.length === 1
          ? `Then point ${numbers} to the ${where} menu on the console.`
          : `Then point the phone numbers to the ${where} menus on the console.`,
      ];
    },
  },
  "links-to-old": {
    blocks: "nothing",
    exit: 0,
    isPlanned: true,
    words: ({ keys, isGone }) =>
      `Callers of ${listed(keys)} still reach ${isGone ? "nothing where it links to the new menus" : "the old menus"}, because --target leaves ${keys.length === 1 ? "it" : "them"} out.`,
    fix: () => ["Apply without --target, or add these menus."],
  },
  "webhook-removed": {
    blocks: "nothing",
    exit: 0,
    isPlanned: true,
    words: ({ key, keys }) =>
      `${key}: the webhook of ${listed(keys.map((pressed) => `key ${pressed}`))} is removed.`,
    fix: () => ["If it is needed, set it again on the console after apply."],
  },
  "not-deleted": {
    blocks: "nothing",
    exit: 0,
    isPlanned: true,
    words: ({ keys, why }) =>
      why === "not-allowed"
        ? `${listed(keys)}: stays on the service.`
        : `ivrctl cannot delete ${listed(keys)}: ${why === "unidentified" ? "the id is not recorded" : "it does not understand the record in the list"}.`,
    fix: ({ why }) => [
      why === "not-allowed"
        ? "To delete it on the service instead, add --allow delete."
        : "Delete it on the console.",
    ],
  },
};
