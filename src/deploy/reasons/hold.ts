import type { WaitsFor } from "../../schema/output/shared-fields.ts";
import type { Ref, RefKind } from "../../schema/ref.ts";
import type { Ways } from "./callers.ts";

/** What each reason has to know. Only plain data. */
interface HoldFacts {
  /** The outcome of an earlier request is not known. */
  unknown: object;
  /** The menu is recorded, but the service does not list it. */
  missing: object;
  /** A person recorded the id of a menu with a different name. */
  "wrong-id": {
    readonly id: string;
    /** The name that is recorded. */
    readonly recorded: string;
    /** The name of the menu that has this id. */
    readonly other: string;
  };
  /** Somebody changed it on the console, and the service cannot change it back. */
  drift: object;
  /** It needs something that does not exist, is not known, is held back, or was tried in vain. */
  waiting: { readonly of?: Ref; readonly because: Awaited };
  /** It names an agent who gets no calls. */
  blocked: object;
  /** The account does not have the phone number, or lists it twice. */
  "number-unlisted": { readonly ids: readonly string[] };
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
  /** Menus would all have to be created after each other. */
  circle: { readonly to: Ref; readonly path: readonly string[]; readonly canUpdate: boolean };
  /** It cannot be found in the list, so it cannot be changed. */
  "not-found": Uncompared;
  /** `on_change: refuse` */
  refused: object;
  /** An update would remove webhooks. */
  "webhook-loss": { readonly pressed: readonly string[] };
  /** The number pointed to this menu, and somebody moved it on the console. */
  "number-moved": object;
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

export type Why = keyof HoldFacts;

/** Why apply does not do a step, with all that is known about that. */
export type Hold<K extends Why = Why> = {
  readonly [P in K]: HoldFacts[P] & { readonly why: P };
}[K];

/**
 * Why the id of a menu is not known. `sent`: the plan changes its record, so that its id can be recorded
 * afterwards. `unidentified`: it exists, but its id is not recorded. `absent`: it does not exist, and the
 * plan does not create it. The others are reasons that hold it back.
 */
export type Awaited = WaitsFor["because"];

/** The step that is held back, and its place in a file. */
export interface About {
  readonly ref: Ref;
  /** The menu of the step: for a phone number the one that it shall point to. */
  readonly key: string;
  readonly id: string;
  /** `ivrs/front-desk.yaml:4` */
  readonly line: string;
  /** What a phone number points to. */
  readonly reaches: string;
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

/** What is one matter for all menus with the reason. */
interface AllFacts {
  missing: {
    readonly menus: readonly { readonly key: string; readonly id: string }[];
    /** The list that lacks them: `2 menus listed at 09:05:00 UTC`. */
    readonly list: string;
    readonly ways: Ways;
    /** The other menus whose files link to them. */
    readonly linking: readonly string[];
  };
  drift: { readonly key: string; readonly places: readonly string[] };
}

/** The reasons whose rows have the words of a matter about one step. */
export type WordedWhy = Exclude<Why, "unknown" | "waiting" | "blocked" | keyof AllFacts>;

/** What the words of a row are made from. */
export type HeldFacts = AllFacts & { [K in WordedWhy]: Hold<K> & About };
