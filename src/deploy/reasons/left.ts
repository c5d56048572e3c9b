import { phoneText } from "../../util/phone.ts";
import { suggest, suggestId } from "../../util/suggest.ts";
import type { KindOfMatter } from "./matter.ts";
import { type Uncompared, identify, whyNot } from "./refusing.ts";
import { unknownHint } from "./resolving.ts";
import { shortly } from "./shortly.ts";

/* What a plan leaves as it is. */

export interface LeftFacts {
  "not-comparable": Uncompared & { readonly key: string };
  "number-waiting": {
    readonly number: string;
    readonly key: string;
    /** Its name and time, if it exists. */
    readonly menu?: string | undefined;
  };
  "number-kept": { readonly number: string; readonly key: string };
  "old-menu-kept": {
    readonly id: string;
    readonly key: string;
    /** Its name and time. */
    readonly menu: string;
    readonly why: keyof typeof whyKept;
  };
}

const whyKept = {
  "no-operation": "the environment does not have `delete` in `operations:`",
  "not-allowed": "that is not allowed",
  unknown: "the outcome of an earlier delete is unknown",
  unidentified: "the id of the menu is not recorded",
  unreadable: shortly.unreadable,
} as const;

export const left: { readonly [K in keyof LeftFacts]: KindOfMatter<LeftFacts[K]> } = {
  "not-comparable": {
    blocks: "nothing",
    code: "IVR637",
    words: (facts) => `\`${facts.key}\` cannot be compared with the service: ${whyNot(facts)}.`,
    fix: identify,
  },
  "number-waiting": {
    code: "IVR637",
    words: ({ number, key }) =>
      `${phoneText(number)} is not bound, because the id of \`${key}\` is not recorded.`,
    fix: ({ key, menu }, environment) => [
      {
        words: `Find the id${menu === undefined ? "" : ` of ${menu}`} on the console, and record it:`,
        argv: suggestId([`${key}=ID`], environment),
      },
    ],
  },
  "number-kept": {
    blocks: "nothing",
    exit: 0,
    code: "IVR669",
    words: ({ number, key }) =>
      `${phoneText(number)} is no longer in any file, but it still points to \`${key}\`. ivrctl never leaves a number without a destination.`,
    fix: () => [
      "To let it point to a different menu, add it to `numbers:` of that menu. Or change it on the console.",
    ],
  },
  "old-menu-kept": {
    blocks: "everything",
    code: "IVR631",
    words: ({ id, why }) => `${id} cannot be deleted: ${whyKept[why]}.`,
    fix({ id, key, menu, why }, environment) {
      if (why === "not-allowed") return ["Add --allow delete."];
      if (why === "unknown") return [unknownHint([key], environment)];
      if (why === "unidentified") {
        const words = `Find the id of ${menu} on the console, and record it:`;
        return [{ words, argv: suggestId([`${id}=ID`], environment) }];
      }
      const words = "Delete the menu on the console. Then run:";
      return [{ words, argv: suggest("state done", [id], environment) }];
    },
  },
};
