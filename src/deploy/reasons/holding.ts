import { type Ref, nameIn, refText } from "../../schema/ref.ts";
import { suggest, suggestId, withSentence } from "../../util/suggest.ts";
import type { Rows } from "./reason.ts";
import { unknownHint } from "./resolving.ts";
import { shortly } from "./shortly.ts";

/* The reasons that leave out only one step, and the steps that wait for it. */

/** Written down where the reason is decided, and nowhere looked up again. */
export interface HoldingFacts {
  /** The number pointed to this menu, and somebody moved it on the console. */
  "number-moved": object;
  /** A person recorded the id of a menu with a different name. */
  "wrong-id": {
    readonly id: string;
    /** The name that is recorded, and when: `“Day” (recorded 2026-03-02 09:04:00 UTC)`. */
    readonly recorded: string;
    /** The name of the menu that has this id. */
    readonly other: string;
  };
  /** A request for a menu like this one, or for the menu that moves, has an unknown outcome. */
  lookalike: { readonly of: Ref; readonly isMoved?: boolean };
  /** The service lists menus with the name of a new one, and they are not recorded. */
  "same-name": {
    readonly menu: string;
    /** The menus of the service. Null for a record without an id. */
    readonly ids: readonly (string | null)[];
    readonly isReplaced: boolean;
    /** Whether the recorded menu is a different one. */
    readonly isOther: boolean;
    readonly hasLinks: boolean;
  };
  /** The account does not have the phone number, or lists it twice. */
  "number-unlisted": { readonly ids: readonly string[] };
}

export const holding: Rows<HoldingFacts> = {
  "number-moved": {
    allow: "take-number",
    at: (_, ref) => ref,
    refs: (_, menu, ref) => [ref, menu],
    words: ({ key }) => `Somebody moved this number away from ${key} on the console.`,
    callers: ({ ref, reaches }) => `Callers of ${refText(ref)} reach ${reaches}.`,
    fix: ({ key }, environment) => [
      {
        words: `Move it back on the console, or delete it from \`numbers:\` of ${key}. To point it to ${key} again, run:`,
        argv: suggest("apply", [], environment, ["--target", key, "--allow", "take-number"]),
      },
    ],
  },
  "wrong-id": {
    action: "blocked",
    words: ({ key, id, other }) =>
      `${key}: a person recorded the id ${id} for it, but menu ${id} on the service is “${other}”.`,
    fix: ({ key, recorded, other }, environment) => [
      {
        words: `Look up the id of ${recorded} on the console, and record it:`,
        argv: suggestId([`${key}=ID`], environment),
      },
      {
        words: `If “${other}” is this menu, and somebody renamed it, write the new name into the file:`,
        argv: suggest("import", [], environment, ["--live", key]),
      },
    ],
  },
  lookalike: {
    action: "none",
    short: ({ of }) => shortly.unknown(nameIn(of)),
    at: ({ isMoved }) => (isMoved ? "moved_from" : "name"),
    refs: ({ of }, menu) => [menu, of],
    code: "IVR615",
    words: ({ key, of, isMoved = false }) =>
      isMoved
        ? `The outcome of \`${nameIn(of)}\` is unknown. Nothing is sent for \`${key}\` until you resolve it.`
        : `\`${key}\` has the same name as \`${nameIn(of)}\`, whose outcome is unknown. Nothing is sent for \`${key}\` until you resolve it.`,
    fix({ of, isMoved = false }, environment) {
      const name = nameIn(of);
      const hint = unknownHint([name], environment);
      const renamed = `Add \`moved_from: ${name}\` if you renamed the file.`;
      return [isMoved ? hint : withSentence(renamed, hint)];
    },
  },
  "same-name": {
    allow: "same-name",
    action: "blocked",
    short: ({ menu, ids }) => shortly.sameName(menu, ids),
    at: () => "name",
    code: "IVR639",
    isInFile: true,
    words: ({ key, menu, ids, isReplaced }) =>
      `\`${key}\` is not ${isReplaced ? "replaced" : "created"}: ${shortly.sameName(menu, ids)}.`,
    fix({ key, ids: [id, ...more], isOther, hasLinks }, environment) {
      const second = "To create one more menu with this name, add --allow same-name.";
      if (isOther) {
        return [
          `If it is an old menu, delete it on the console. If a newer state has it, restore that state. ${second}`,
        ];
      }
      const argv = hasLinks
        ? // A menu cannot be recorded without those that it links to.
          suggest("import", [], environment, ["--live"])
        : suggestId([`${key}=${more.length === 0 && id ? id : "ID"}`], environment);
      return [{ words: `${second} If it is the same menu, record it instead:`, argv }];
    },
  },
  "number-unlisted": {
    short: () => shortly.numberMissing,
    isFirst: true,
    at: (_, ref) => ref,
    refs: (_, menu, ref) => [menu, ref],
    code: "IVR665",
    isInFile: true,
    words: ({ ref, key, ids }) =>
      ids.length > 0
        ? `${key}: the list of phone numbers has ${refText(ref)} more than once (ids ${ids.join(", ")}), so it is not clear which one to bind.`
        : `${key}: the account does not have the phone number ${refText(ref)}.`,
    fix: ({ line, ids }, environment) => [
      {
        words: `${ids.length > 0 ? "Ask the service's support which one is right" : `Correct the number in ${line}, or add it to the account`}. To see the account's numbers, run:`,
        argv: suggest("numbers", [], environment),
      },
    ],
  },
};
