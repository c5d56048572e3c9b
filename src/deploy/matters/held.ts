import type { RefKind } from "../../schema/ref.ts";
import { listed, many } from "../../util/many.ts";
import { shorten } from "../../util/nearest.ts";
import { phoneText } from "../../util/phone.ts";
import { type Hint, commandText, suggest, suggestId, withSentence } from "../../util/suggest.ts";
import { type Why, isRefusal } from "../plan/steps/step.ts";
import type { KindOfMatter } from "./matter.ts";
import { because } from "./because.ts";
import { unknownHint } from "./resolving.ts";

/* What holds steps of a plan back, and what a plan cannot compare. */

export interface HeldFacts {
  /** The name, or `moved_from:`, of a menu whose outcome is unknown. */
  lookalike: { readonly key: string; readonly of: string; readonly isMoved: boolean };
  "same-name": {
    readonly key: string;
    readonly name: string;
    /** The menus of the service. Null for a record without an id. */
    readonly ids: readonly (string | null)[];
    readonly isReplaced: boolean;
    /** Whether the recorded menu is a different one. */
    readonly isOther: boolean;
    readonly hasLinks: boolean;
  };
  "not-comparable": UncomparedFacts;
  "number-unlisted": {
    readonly number: string;
    readonly key: string;
    readonly ids: readonly string[];
    /** `ivrs/front-desk.yaml:4` */
    readonly line: string;
  };
  "number-waiting": { readonly number: string; readonly key: string };
  "number-kept": { readonly number: string; readonly key: string };
  refused: { readonly key: string };
  "webhook-loss": { readonly key: string; readonly pressed: readonly string[] };
  "not-found": UncomparedFacts;
  circle: { readonly path: readonly string[]; readonly canUpdate: boolean };
  "number-taken": { readonly number: string; readonly key: string; readonly reaches: string };
  "delete-guard": {
    readonly name: string;
    readonly id: string;
    readonly isOld: boolean;
    readonly sources: readonly string[];
    /** The numbers that a list may show too late, if nothing else points to it. */
    readonly lagging: readonly string[];
  };
  "cut-off-list": {
    readonly noun: RefKind;
    readonly names: readonly string[];
    readonly gone: readonly string[];
  };
  "too-many-creates": { readonly count: number; readonly limit: number };
  renamed: { readonly key: string; readonly of: string };
  "moved-twice": { readonly key: string; readonly from: string };
  "old-menu-kept": {
    readonly id: string;
    readonly key: string;
    readonly why: "no-operation" | "not-allowed" | "unknown" | "unidentified" | "unreadable";
  };
}

/** A menu that cannot be compared with the service. */
interface UncomparedFacts {
  readonly key: string;
  /** The recorded key. */
  readonly from: string;
  /** Why its record in the list is not understood. Absent if its id is not recorded. */
  readonly problem?: string | undefined;
  /** The listed menus with its name. */
  readonly ids: readonly string[];
}

function held(why: Why): Pick<KindOfMatter<never>, "blocks" | "exit"> {
  return { blocks: isRefusal(why) ? "everything" : "these menus", exit: 1 };
}

export const heldRows: { readonly [K in keyof HeldFacts]: KindOfMatter<HeldFacts[K]> } = {
  lookalike: {
    ...held("lookalike"),
    code: "IVR615",
    words: ({ key, of, isMoved }) =>
      isMoved
        ? `The outcome of \`${of}\` is unknown. Nothing is sent for \`${key}\` until you resolve it.`
        : `\`${key}\` has the same name as \`${of}\`, whose outcome is unknown. Nothing is sent for \`${key}\` until you resolve it.`,
    fix({ of, isMoved }, environment) {
      const hint = unknownHint([of], environment);
      const renamed = `Add \`moved_from: ${of}\` if you renamed the file.`;
      return [isMoved ? hint : withSentence(renamed, hint)];
    },
  },
  "same-name": {
    ...held("namesake"),
    code: "IVR639",
    isInFile: true,
    words: ({ key, name, ids, isReplaced }) =>
      `\`${key}\` is not ${isReplaced ? "replaced" : "created"}: ${because.sameName(name, ids)}.`,
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
  "not-comparable": {
    blocks: "nothing",
    exit: 1,
    code: "IVR637",
    words: (facts) => `\`${facts.key}\` cannot be compared with the service: ${whyNot(facts)}.`,
    fix: identify,
  },
  "number-unlisted": {
    ...held("unlisted"),
    code: "IVR665",
    isInFile: true,
    words: ({ number, key, ids }) =>
      ids.length > 0
        ? `${key}: the list of phone numbers has ${phoneText(number)} more than once (ids ${ids.join(", ")}), so it is not clear which one to bind.`
        : `${key}: the account does not have the phone number ${phoneText(number)}.`,
    fix: ({ line }, environment) => [
      {
        words: `Correct the number in ${line}, or add it to the account. To see the account's numbers, run:`,
        argv: suggest("numbers", [], environment),
      },
    ],
  },
  "number-waiting": {
    ...held("waiting"),
    code: "IVR637",
    words: ({ number, key }) =>
      `${phoneText(number)} is not bound, because the id of \`${key}\` is not recorded.`,
    fix: ({ key }, environment) => [
      {
        words: "Find the id on the console, and record it:",
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
  refused: {
    ...held("refused"),
    code: "IVR610",
    words: ({ key }) => `\`${key}\` would change, but it has \`on_change: refuse\`.`,
    fix: () => ["Undo the change, or remove `on_change: refuse`."],
  },
  "webhook-loss": {
    ...held("loses"),
    code: "IVR636",
    words: ({ key, pressed }) =>
      `\`${key}\` has a webhook that was set on the console (${pressed.map((one) => `key ${one}`).join(", ")}). The update would remove it.`,
    fix: () => [
      "Add --allow webhook-loss if the webhook is not needed, or if you will set it again.",
    ],
  },
  "not-found": {
    ...held("unreadable"),
    code: "IVR637",
    words: (facts) => `\`${facts.key}\` has changed, but it cannot be updated: ${whyNot(facts)}.`,
    fix: identify,
  },
  circle: {
    ...held("circle"),
    code: "IVR619",
    words: ({ path }) =>
      path.length === 1
        ? `\`${path[0]}\` links to itself, so its payload would have to contain its own id.`
        : `These menus link to each other in a circle: ${[...path, path[0] ?? ""].map((key) => shorten(key)).join(" → ")}.`,
    fix: ({ canUpdate }) => [
      canUpdate
        ? "Let one key, `invalid` or `timeout` go to an agent. ivrctl creates the menu with that destination, and adds this link afterwards. This does not work with `on_change: replace`."
        : "Remove this link, or go to an agent instead. The service can only create menus, and every new menu has a new id.",
    ],
  },
  "number-taken": {
    ...held("foreign"),
    code: "IVR667",
    words: ({ number, reaches }) =>
      `${phoneText(number)} points to ${reaches}, and not to a recorded menu.`,
    fix: ({ key }) => [`Add --allow take-number if its callers should reach \`${key}\` instead.`],
  },
  "delete-guard": {
    ...held("inbound"),
    code: "IVR640",
    words: ({ name, id, sources }) =>
      `\`${name}\` (id ${id}) cannot be deleted, because ${because.inbound(sources)}.`,
    fix({ name, isOld, lagging }, environment) {
      const elsewhere = "Let phone numbers and other menus point elsewhere first.";
      if (lagging.length > 0) {
        const words = "A list can lag behind. If the console shows that they point elsewhere, run:";
        return [{ words, argv: suggest("state resolve", lagging, environment, ["--absent"]) }];
      }
      if (isOld) return [elsewhere];
      const words = `${elsewhere} To keep the menu on the service, and delete only its record, run:`;
      return [{ words, argv: suggest("state rm", [name], environment) }];
    },
  },
  "cut-off-list": {
    ...held("cutoff"),
    code: "IVR635",
    words: ({ noun, gone }) =>
      `The service does not list ${many(gone.length, `recorded ${whenGone[noun].noun}`)}: ${listed(gone)}. The list may be cut off, so nothing is deleted, and nothing is created again.`,
    fix({ noun, names }, environment) {
      const { command, flags = [], again = "" } = whenGone[noun];
      const words = `Check on the console that ${names.length === 1 ? "it is" : "they are"} gone.${again} To remove the record, run:`;
      return [{ words, argv: suggest(command, names, environment, flags) }];
    },
  },
  "too-many-creates": {
    ...held("creates"),
    code: "IVR612",
    words: ({ count, limit }) =>
      `The plan creates ${many(count, "menu")}, but the limit is ${limit}.`,
    fix: () => [
      "Check that the plan is right. Then raise `max_creates:`, add --max-creates N, or plan fewer menus with --target KEY.",
    ],
  },
  renamed: {
    ...held("rename"),
    code: "IVR609",
    words: ({ key, of }) =>
      `\`${key}\` has the same name as \`${of}\`, whose file is gone. Was the file renamed?`,
    fix: ({ of }, environment) => [
      {
        words: `Add \`moved_from: ${of}\` if it was. If you want both menus, first delete the old record:`,
        argv: suggest("state rm", [of], environment),
      },
    ],
  },
  "moved-twice": {
    ...held("twice"),
    code: "IVR611",
    words: ({ key, from }) =>
      `Both \`${from}\` and \`${key}\` are in the state, so \`${from}\` cannot be moved.`,
    fix: ({ from }, environment) => [
      {
        words: "Remove `moved_from`, or delete the old record:",
        argv: suggest("state rm", [from], environment),
      },
    ],
  },
  "old-menu-kept": {
    blocks: "everything",
    exit: 1,
    code: "IVR631",
    words: ({ id, why }) => `${id} cannot be deleted: ${whyKept[why]}.`,
    fix({ id, key, why }, environment) {
      if (why === "not-allowed") return ["Add --allow delete."];
      if (why === "unknown") return [unknownHint([key], environment)];
      if (why === "unidentified") {
        const words = "Find its id on the console, and record it:";
        return [{ words, argv: suggestId([`${id}=ID`], environment) }];
      }
      const words = "Delete the menu on the console. Then run:";
      return [{ words, argv: suggest("state done", [id], environment) }];
    },
  },
};

const whyKept = {
  "no-operation": "the environment does not have `delete` in `operations:`",
  "not-allowed": "that is not allowed",
  unknown: "the outcome of an earlier delete is unknown",
  unidentified: "the id of the menu is not recorded",
  unreadable: because.unreadable,
} as const;

/** How a person says that something is gone which a list lacks. */
const whenGone: Readonly<
  Record<RefKind, { noun: string; command: string; flags?: readonly string[]; again?: string }>
> = {
  menu: {
    noun: "menu",
    command: "state rm",
    again: " To create a menu again, select it with --target KEY.",
  },
  old: { noun: "old menu", command: "state done" },
  number: { noun: "phone number", command: "state resolve", flags: ["--absent"] },
};

function whyNot({ problem, ids }: UncomparedFacts): string {
  if (problem !== undefined) return `${because.unreadable} (${problem})`;
  const found = ids.length === 0 ? "" : ` (with its name: ${listed(ids)})`;
  return `its id is not recorded, and the list does not show which menu it is${found}`;
}

function identify({ from, problem }: UncomparedFacts, environment: string): [Hint] {
  if (problem !== undefined) {
    return [
      "Correct that record on the console. Or set `on_change: replace`, to create a new menu.",
    ];
  }
  const remove = commandText(suggest("state rm", [from], environment));
  const words = `If the console no longer shows it, delete its record: \`${remove}\`. Otherwise, look up its id on the console, and record it:`;
  return [{ words, argv: suggestId([`${from}=ID`], environment) }];
}
