import { nameIn, refText } from "../../schema/ref.ts";
import { listed } from "../../util/many.ts";
import { suggest, suggestId, withSentence } from "../../util/suggest.ts";
import { callersOn } from "./callers.ts";
import { mostShown } from "./matter.ts";
import type { Rows } from "./reason.ts";
import { unknownHint } from "./resolving.ts";
import { shortly } from "./shortly.ts";

/** The reasons that leave out only one step, and the steps that wait for it. */
export const holding = {
  unknown: {
    action: "unknown",
    short: (_, { ref }) => shortly.unknown(nameIn(ref)),
    isFirst: true,
  },
  blocked: { action: "blocked" },
  waiting: { action: "waiting" },
  missing: {
    allow: "recreate",
    action: "missing",
    short: (_, { id }) => shortly.missing(id),
    isFirst: true,
    words({ menus, list }) {
      const names = listed(menus.map(({ key, id }) => `${key} (id ${id})`));
      const what = menus.length === 1 ? "this menu" : "these menus";
      return `${names}: the service no longer lists ${what}${list === "" ? "" : ` (${list})`}.`;
    },
    callers({ menus, ways }) {
      const callers = callersOn(ways) ?? `Callers of ${listed(menus.map(({ key }) => key))}`;
      return `${callers} reach nothing, unless the list is incomplete.`;
    },
    fix({ menus, linking }, environment) {
      const [it, they, are] = menus.length === 1 ? ["it", "it", "is"] : ["them", "they", "are"];
      const also = linking.length === 0 ? "" : `, and to link ${listed(linking)} to ${it}`;
      const words = `Check on the console that ${they} ${are} gone. To create ${it} again${also}, run:`;
      const keys = [...menus.map(({ key }) => key), ...linking];
      // A command with more keys is hard to read. The plan shows what else changes.
      const targets = keys.length > mostShown ? [] : keys.flatMap((key) => ["--target", key]);
      const flags = [...targets, "--allow", "recreate"];
      return [{ words, argv: suggest("apply", [], environment, flags) }];
    },
  },
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
        words: `Look up the id of “${recorded}” on the console, and record it:`,
        argv: suggestId([`${key}=ID`], environment),
      },
      {
        words: `If “${other}” is this menu, and somebody renamed it, write the new name into the file:`,
        argv: suggest("import", [], environment, ["--live", key]),
      },
    ],
  },
  drift: {
    action: "drift",
    words: ({ key }) => `${key} was changed on the console, and the service cannot change it back.`,
    callers: ({ key, places }) => `Callers of ${key} reach: ${listed(places)}.`,
    fix: () => ["Change it back on the console, or write it into the file."],
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
    fix: ({ line }, environment) => [
      {
        words: `Correct the number in ${line}, or add it to the account. To see the account's numbers, run:`,
        argv: suggest("numbers", [], environment),
      },
    ],
  },
} satisfies Partial<Rows>;
