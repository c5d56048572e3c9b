/**
 * Who callers reach: from what they call, through menus, to where calls end. Plain data: what the service
 * has now, what it has after apply, and what the files want are all this one value.
 */
export interface World {
  /** Where calls begin: a phone number (`+912241234567`), or the unnamed number of a menu (`menu:desk`). */
  readonly entries: ReadonlyMap<string, Target>;
  readonly menus: ReadonlyMap<InstanceId, Instance>;
}

/**
 * Four worlds in the order of time. Everything that is said about callers is the difference of two of
 * them: what happened on the console and in the list of agents (applied, now), what apply changes (now,
 * after), and what only a person can change (after, wanted).
 */
export interface Worlds {
  /** As it was applied last, with the people of that time. */
  readonly applied: World;
  /** As the service lists it, else as it is recorded. */
  readonly now: World;
  /** When apply has run, and nobody has touched the console. */
  readonly after: World;
  /** What the files want. */
  readonly wanted: World;
  /** The recorded menus that are not the current ones of their keys after apply. */
  readonly old: ReadonlySet<InstanceId>;
}

/** One menu on the service, now or after apply. Two menus of the same key are two instances. */
export type InstanceId = string;

export interface Instance {
  /** Equal for what people call the same menu: the key, or the id if no key has it. */
  readonly key: string;
  readonly name: string;
  /** The id on the service and when it was created, as far as that is known. */
  readonly id?: string;
  readonly createdAt?: string;
  /** In the order in which people read them: the keys, then `invalid` and `timeout`. */
  readonly exits: ReadonlyMap<Exit, Target>;
  /** What callers hear, and how long they can take. Equal for two menus that sound the same. */
  readonly sound: string;
}

/** What callers do in a menu: `key 2`, `invalid` or `timeout`. A key that a menu lacks is `invalid` there. */
export type Exit = string;

/** Where a call goes next. */
export type Target = { readonly kind: "menu"; readonly id: InstanceId } | End;

/** Where calls end. */
export interface End {
  readonly kind: "end";
  /** Equal for ends that are the same for callers: an agent is the extension and who has it. */
  readonly is: string;
  /** `Fatima Khan (extension 500134)`, `nobody` */
  readonly words: string;
  /** Whether somebody or something answers. `unknown` if nothing says where the call goes. */
  readonly answers: "yes" | "no" | "unknown";
  /** The menus that the call may continue in, if nothing says which of them. */
  readonly maybe?: readonly InstanceId[];
  readonly eid?: string;
  /** Why nobody answers: `Spa Desk (extension 500134) is not on the agent list`. */
  readonly why?: string;
}

/** Where callers get to who do this in a menu. */
export function exitOf({ exits }: Instance, exit: Exit): Target | undefined {
  return exits.get(exit) ?? exits.get("invalid");
}

/** An end in place of a menu that the world does not have. */
export const gone: End = {
  kind: "end",
  is: "gone",
  words: "nothing",
  answers: "no",
  why: "the menu does not exist",
};
