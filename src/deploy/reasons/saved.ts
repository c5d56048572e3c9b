import type { Code } from "../../diagnostics/codes.ts";
import { suggest } from "../../util/suggest.ts";
import type { KindOfMatter } from "./matter.ts";

/* What keeps a saved plan from being applied. */

export interface SavedFacts {
  "stale-plan": StaleFacts;
  "state-set-back":
    | { readonly isOlder: true; readonly was: number; readonly is: number }
    | { readonly isOlder: false; readonly was: number };
}

/** What differs, and for some of these how it was when the plan was made, and how it is now. */
interface StaleFacts {
  readonly differs: keyof typeof stale;
  readonly was?: string | number;
  readonly is?: string | number | null | undefined;
  readonly what?: string;
}

const made = "since it was made";

const stale = {
  environment: ["IVR623", ({ was, is }) => `is for the environment ${was}, not for ${is}`],
  address: [
    "IVR623",
    ({ was, is }, environment) =>
      `is for ${was}, but the environment ${environment} now uses ${is}`,
  ],
  "other state": [
    "IVR622",
    ({ was, is }) => `is stale: it was made from the state ${was}, but ivrctl.yaml has ${is}`,
  ],
  decision: [
    "IVR622",
    ({ was, is, what }) =>
      `is stale: ${what} was changed after the plan was made (the state was at event ${was}, and is now at ${is})`,
  ],
  /** `is` is the branch that they are from. */
  files: [
    "IVR624",
    ({ is, what }) =>
      `is stale: the files${is === undefined ? "" : ` on ${is}`} have changed ${made}: ${what}`,
  ],
  state: ["IVR622", ({ what }) => `is stale: the state has changed ${made}: ${what}`],
  service: [
    "IVR638",
    ({ what }) => `is stale: something on the service has changed ${made}: ${what}`,
  ],
  agent: ["IVR625", ({ what }) => `is stale: ${what}`],
  nothing: ["IVR627", ({ what }) => `does not match the files: ${what}`],
} satisfies Readonly<
  Record<string, readonly [Code, (facts: StaleFacts, environment: string) => string]>
>;

export const saved: { readonly [K in keyof SavedFacts]: KindOfMatter<SavedFacts[K]> } = {
  "stale-plan": {
    blocks: "everything",
    code: ({ differs }) => stale[differs][0],
    words: (facts, environment) => `The plan ${stale[facts.differs][1](facts, environment)}.`,
    fix({ differs, is }, environment) {
      const isOther = differs === "environment" && typeof is === "string";
      const argv = suggest("plan", [], isOther ? is : environment, ["--out", "FILE"]);
      return [
        {
          words: isOther ? `Use --env ${environment}, or make a new plan:` : "Make a new plan:",
          argv,
        },
      ];
    },
  },
  "state-set-back": {
    blocks: "everything",
    code: "IVR628",
    words: (facts) =>
      facts.isOlder
        ? `The plan was made at event ${facts.was} of the state, but this state is only at event ${facts.is}.`
        : `The plan was made from a different history: event ${facts.was} of this state is not the one that the plan was made from.`,
    fix: ({ isOlder }) => [
      isOlder
        ? "Restore the newer state. This one does not have the menus that were created since. A new plan would create them again."
        : "Restore the state that the plan was made from, or compare this one with the console. Then make a new plan.",
    ],
  },
};
