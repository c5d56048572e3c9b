import { type Ref, type RefKind, isOld, nameIn, refText } from "../../schema/ref.ts";
import { listed, many } from "../../util/many.ts";
import { shorten } from "../../util/nearest.ts";
import { type Hint, commandText, suggest, suggestId } from "../../util/suggest.ts";
import type { Rows } from "./reason.ts";
import { shortly } from "./shortly.ts";

/* The reasons that refuse the plan. */

/** Written down where the reason is decided, and nowhere looked up again. */
export interface RefusingFacts {
  /** `on_change: refuse` */
  refused: object;
  /** An update would remove webhooks. */
  "webhook-loss": { readonly pressed: readonly string[] };
  /** It cannot be found in the list, so it cannot be changed. */
  "not-found": Uncompared;
  /** Menus would all have to be created after each other. */
  circle: {
    readonly to: Ref;
    readonly path: readonly string[];
    /** The places of the links to `to`: `key 2`, `invalid`. */
    readonly links: readonly string[];
    readonly canUpdate: boolean;
  };
  /** The number points to something that ivrctl does not manage, and never pointed to this menu. */
  "number-taken": object;
  /** Something still links to a menu that is to be deleted. */
  "delete-guard": {
    /** What links to it, each as a `Ref`, `id:7` or `list`. */
    readonly from: readonly string[];
    /** The same in words, without menus that are to be deleted too. */
    readonly sources: readonly string[];
    /** The numbers that a list may show too late, if nothing else points to it. */
    readonly lagging: readonly string[];
  };
  /** The list may be cut off. It counts only if the user names everything that it lacks. */
  "cut-off-list": { readonly noun: RefKind; readonly gone: readonly Ref[] };
  /** More creates than `max_creates:` allows. */
  "too-many-creates": { readonly created: readonly Ref[]; readonly limit: number };
  /** A file was probably renamed without `moved_from:`. */
  renamed: { readonly of: Ref };
  /** `moved_from:` names a recorded menu, but its new key is recorded too. */
  "moved-twice": { readonly of: Ref };
}

/** A menu that cannot be compared with the service. */
export interface Uncompared {
  /** The recorded key. */
  readonly from: string;
  /** Why its record in the list is not understood. Absent if its id is not recorded. */
  readonly problem?: string | undefined;
  /** The listed menus with its name. */
  readonly candidates: readonly string[];
}

export const refusing: Rows<RefusingFacts> = {
  refused: {
    blocks: "everything",
    at: () => "menu",
    code: "IVR610",
    words: ({ key }) => `\`${key}\` would change, but it has \`on_change: refuse\`.`,
    fix: () => ["Undo the change, or remove `on_change: refuse`."],
  },
  "webhook-loss": {
    blocks: "everything",
    allow: "webhook-loss",
    at: () => "menu",
    code: "IVR636",
    words: ({ key, pressed }) =>
      `\`${key}\` has a webhook that was set on the console (${pressed.map((one) => `key ${one}`).join(", ")}). The update would remove it.`,
    fix: () => [
      "Add --allow webhook-loss if the webhook is not needed, or if you will set it again.",
    ],
  },
  "not-found": {
    blocks: "everything",
    action: "none",
    short: ({ problem, from }) =>
      problem === undefined ? shortly.unidentified(from) : shortly.unreadable,
    isFirst: true,
    at: () => "menu",
    code: "IVR637",
    words: (facts) => `\`${facts.key}\` has changed, but it cannot be updated: ${whyNot(facts)}.`,
    fix: identify,
  },
  circle: {
    blocks: "everything",
    action: "waiting",
    at: ({ to }) => to,
    code: "IVR619",
    words: ({ path, links }) =>
      path.length === 1
        ? `\`${path[0]}\` links to itself (${links.join(", ")}), so its payload would have to contain its own id.`
        : `These menus link to each other in a circle: ${[...path, path[0] ?? ""].map((key) => shorten(key)).join(" → ")}.`,
    fix: ({ canUpdate, links }) => [
      canUpdate
        ? "Let one key, `invalid` or `timeout` go to an agent. ivrctl creates the menu with that destination, and adds this link afterwards. This does not work with `on_change: replace`."
        : `Remove ${links.length > 1 ? "these links" : "this link"}, or go to an agent instead. The service can only create menus, and every new menu has a new id.`,
    ],
  },
  "number-taken": {
    blocks: "everything",
    allow: "take-number",
    at: (_, ref) => ref,
    refs: (_, menu, ref) => [ref, menu],
    code: "IVR667",
    words: ({ ref, reaches }) =>
      `${refText(ref)} points to ${reaches}, and not to a recorded menu.`,
    fix: ({ key }) => [`Add --allow take-number if its callers should reach \`${key}\` instead.`],
  },
  "delete-guard": {
    blocks: "everything",
    refs: (_, __, ref) => [ref],
    code: "IVR640",
    words: ({ ref, id, sources }) =>
      `\`${nameIn(ref)}\` (id ${id}) cannot be deleted, because ${shortly.inbound(sources)}.`,
    fix({ ref, lagging }, environment) {
      const elsewhere = "Let phone numbers and other menus point elsewhere first.";
      if (lagging.length > 0) {
        const words = "A list can lag behind. If the console shows that they point elsewhere, run:";
        return [{ words, argv: suggest("state resolve", lagging, environment, ["--absent"]) }];
      }
      if (isOld(ref)) return [elsewhere];
      const words = `${elsewhere} To keep the menu on the service, and delete only its record, run:`;
      return [{ words, argv: suggest("state rm", [nameIn(ref)], environment) }];
    },
  },
  "cut-off-list": {
    blocks: "everything",
    short: ({ gone }) => shortly.cutOff(gone.map(nameIn)),
    refs: ({ gone }) => gone,
    code: "IVR635",
    words: ({ noun, gone }) =>
      `The service does not list ${many(gone.length, `recorded ${whenGone[noun].noun}`)}: ${listed(gone.map(refText))}. The list may be cut off, so nothing is deleted, and nothing is created again.`,
    fix({ noun, gone }, environment) {
      const { command, flags = [], again = "" } = whenGone[noun];
      const words = `Check on the console that ${gone.length === 1 ? "it is" : "they are"} gone.${again} To remove the record, run:`;
      return [{ words, argv: suggest(command, gone.map(nameIn), environment, flags) }];
    },
  },
  "too-many-creates": {
    blocks: "everything",
    at: () => "limit",
    refs: ({ created }) => created,
    code: "IVR612",
    words: ({ created, limit }) =>
      `The plan creates ${many(created.length, "menu")}, but the limit is ${limit}.`,
    fix: () => [
      "Check that the plan is right. Then raise `max_creates:`, add --max-creates N, or plan fewer menus with --target KEY.",
    ],
  },
  renamed: {
    blocks: "everything",
    at: () => "name",
    refs: ({ of }, menu) => [menu, of],
    code: "IVR609",
    words: ({ key, of }) =>
      `\`${key}\` has the same name as \`${nameIn(of)}\`, whose file is gone. Was the file renamed?`,
    fix: ({ of }, environment) => [
      {
        words: `Add \`moved_from: ${nameIn(of)}\` if it was. If you want both menus, first delete the old record:`,
        argv: suggest("state rm", [nameIn(of)], environment),
      },
    ],
  },
  "moved-twice": {
    blocks: "everything",
    at: () => "moved_from",
    refs: ({ of }, menu) => [menu, of],
    code: "IVR611",
    words: ({ key, of }) =>
      `Both \`${nameIn(of)}\` and \`${key}\` are in the state, so \`${nameIn(of)}\` cannot be moved.`,
    fix: ({ of }, environment) => [
      {
        words: "Remove `moved_from`, or delete the old record:",
        argv: suggest("state rm", [nameIn(of)], environment),
      },
    ],
  },
};

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
  recording: { noun: "recording", command: "state resolve", flags: ["--absent"] },
};

export function whyNot({ problem, candidates: ids }: Uncompared): string {
  if (problem !== undefined) return `${shortly.unreadable} (${problem})`;
  const sameName = ids.length === 0 ? "" : ` (with its name: ${listed(ids)})`;
  return `its id is not recorded, and the list does not show which menu it is${sameName}`;
}

export function identify({ from, problem }: Uncompared, environment: string): [Hint] {
  if (problem !== undefined) {
    return [
      "Correct that record on the console. Or set `on_change: replace`, to create a new menu.",
    ];
  }
  const remove = commandText(suggest("state rm", [from], environment));
  const words = `If the console no longer shows it, delete its record: \`${remove}\`. Otherwise, look up its id on the console, and record it:`;
  return [{ words, argv: suggestId([`${from}=ID`], environment) }];
}
