import type { WaitsFor } from "../../schema/output/shared-fields.ts";
import { type Ref, nameIn } from "../../schema/ref.ts";
import { listed } from "../../util/many.ts";
import { suggest } from "../../util/suggest.ts";
import { type KindOfMatter, mostShown } from "./matter.ts";
import type { Reason } from "./reason.ts";
import { shortly } from "./shortly.ts";

/*
 * The reasons that leave out only one step, and whose matter is about several of them: all requests with
 * unknown outcomes, all menus that wait for one id, all places of one agent, all menus that the list lacks.
 */

/** Written down where the reason is decided, and nowhere looked up again. */
export interface GroupedFacts {
  /** The outcome of an earlier request is not known. */
  unknown: object;
  /** The menu is recorded, but the service does not list it. */
  missing: object;
  /** Somebody changed it on the console, and the service cannot change it back. */
  drift: object;
  /** It needs something that does not exist, is not known, is held back, or was tried in vain. */
  waiting: { readonly of?: Ref; readonly because: Awaited };
  /** It names an agent who gets no calls. */
  blocked: object;
}

/**
 * Why the id of a menu is not known. `sent`: the plan changes its record, so that its id can be recorded
 * afterwards. `unidentified`: it exists, but its id is not recorded. `absent`: it does not exist, and the
 * plan does not create it. The others are reasons that hold it back.
 */
export type Awaited = WaitsFor["because"];

/** What the words of a matter have to know. The others are in `waiting.ts`, `outside.ts` and `kinds.ts`. */
export interface GroupedMatterFacts {
  missing: {
    readonly menus: readonly { readonly key: string; readonly id: string }[];
    /** The list that lacks them: `2 menus listed at 09:05:00 UTC`. */
    readonly list: string;
    /** Undefined if no number and no other menu leads there. */
    readonly callers: string | undefined;
    /** The other menus whose files link to them. */
    readonly linking: readonly string[];
  };
  drift: { readonly key: string; readonly places: readonly string[] };
}

export const grouped: { readonly [K in keyof GroupedFacts]: Reason<GroupedFacts[K]> } & {
  readonly [K in keyof GroupedMatterFacts]: KindOfMatter<GroupedMatterFacts[K]>;
} = {
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
    callers: ({ callers }) => callers && `${callers} reach nothing, unless the list is incomplete.`,
    fix({ menus, linking }, environment) {
      const [it, they, are] = menus.length === 1 ? ["it", "it", "is"] : ["them", "they", "are"];
      const missing = menus.map(({ key }) => key);
      const all = [...missing, ...linking];
      // Several missing menus have to be named. A command with more keys is hard to read.
      const hasRoom = all.length <= mostShown;
      const also = hasRoom && linking.length > 0 ? `, and to link ${listed(linking)} to ${it}` : "";
      const which = missing.length > mostShown ? `the first ${mostShown}` : it;
      const words = `Check on the console that ${they} ${are} gone. To create ${which} again${also}, run:`;
      const keys = hasRoom ? all : missing.slice(0, mostShown);
      const flags = [...keys.flatMap((key) => ["--target", key]), "--allow", "recreate"];
      return [{ words, argv: suggest("apply", [], environment, flags) }];
    },
  },
  drift: {
    action: "drift",
    words: ({ key }) => `${key} was changed on the console, and the service cannot change it back.`,
    callers: ({ key, places }) => `Callers of ${key} reach: ${listed(places)}.`,
    fix: () => ["Change it back on the console, or write it into the file."],
  },
};
