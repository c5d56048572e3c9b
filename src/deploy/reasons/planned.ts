import { listed } from "../../util/many.ts";
import type { KindOfMatter } from "./matter.ts";

/* What follows from a plan, and nobody has to do before apply. */

export interface PlannedFacts {
  "webhook-removed": { readonly key: string; readonly keys: readonly string[] };
  "not-deleted": {
    readonly keys: readonly string[];
    readonly why: "not-allowed" | "unidentified" | "unreadable";
  };
}

export const planned: { readonly [K in keyof PlannedFacts]: KindOfMatter<PlannedFacts[K]> } = {
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
