import * as z from "zod/mini";
import { permissionNames } from "./operations.ts";
import { Confirmed, EventSchema, FollowUp, NamingSchema, Pending, menuContent } from "./state.ts";

/** The version of the plan file's format. ivrctl reads no other version. */
export const planVersion = 3;

/** The payload of a menu, its digest, and the names of the ids in it. */
const MenuContent = z.strictObject(menuContent);

/** A menu that another one waits for, because its id is not known yet. */
export const WaitsFor = z.strictObject({
  key: z.string(),
  /**
   * `sent`: the plan changes its record, so that its id can be recorded afterwards. `unidentified`: it exists, but its id is not on
   * record. `unknown`: its outcome is unknown. `waiting`: it waits itself. `absent`: it does not
   * exist, and the plan does not create it. `circle`: it leads back to the menu that waits.
   */
  because: z.enum(["sent", "unidentified", "unknown", "waiting", "absent", "missing", "circle"]),
});

const about = { key: z.string(), name: z.string() };

/** A fact of a payload that differs: `destination.2`. */
export const Difference = z.strictObject({
  field: z.string(),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
});

/** How a menu on the service differs from its record. Somebody changed it on the console. */
const Drift = z.strictObject({
  /** The values on record, and those that the service has. */
  differences: z.readonly(z.array(Difference)),
  /** The names of the ids that only the service has. */
  naming: NamingSchema,
});

/** A phone number of the account, and what the plan was compared with. */
const numberFacts = {
  /** As the file writes it: `+912241234567`. */
  number: z.string(),
  /** What it leads to, for example `extension||500101`; null if it leads nowhere. */
  before: z.nullable(z.string()),
  /** What callers reach there. */
  reached: z.strictObject({
    /** The name of the agent, or of the menu on the service. Null if it is not known. */
    name: z.nullable(z.string()),
    /** The key of a menu on record. */
    key: z.exactOptional(z.string()),
    /**
     * `replaced`: the menu that the change replaces. `newer`: the menu on record until a restore.
     * `old`: the menu of a follow-up.
     */
    as: z.exactOptional(z.enum(["replaced", "newer", "old"])),
  }),
};

/** A phone number that apply lets lead to the menu, after the menu exists. */
const Bind = z.strictObject({
  ...numberFacts,
  /** The id and the name of the number on the service. */
  id: z.string(),
  name: z.nullable(z.string()),
  /** The destination of the menu. A reference if its id is known only after apply. */
  after: z.string(),
});
const bind = z.exactOptional(z.readonly(z.array(Bind)));

/** The phone numbers of the menu's file that lead elsewhere, and stay there. Absent if there are none. */
const unbound = z.exactOptional(z.readonly(z.array(z.strictObject(numberFacts))));

/**
 * The phone numbers that lead to the menu on record, and still do after this plan. Absent if the
 * service cannot list phone numbers.
 */
const reachedBy = z.exactOptional(z.readonly(z.array(z.string())));

/** A menu of the service that leads callers to a menu which is gone, and stays as it is. */
const Leader = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Absent if it is not on record. */
  key: z.exactOptional(z.string()),
  /** Where it does: `key 2`, `invalid` or `timeout`. */
  places: z.readonly(z.array(z.string())),
});

const Change = z.discriminatedUnion("action", [
  z.strictObject({
    action: z.literal("create"),
    ...about,
    bind,
    after: MenuContent,
    /**
     * What is sent first, if the menu leads to menus that are created after it. An update adds
     * these links as soon as the ids are known.
     */
    first: z.exactOptional(MenuContent),
    /** The record of a menu that is gone from the service. It is deleted before the menu is created again. */
    recreates: z.exactOptional(z.strictObject({ key: z.string(), before: Confirmed })),
  }),
  z.strictObject({
    action: z.literal("update"),
    ...about,
    /** The id on the service. */
    id: z.string(),
    before: Confirmed,
    after: MenuContent,
    movedFrom: z.nullable(z.string()),
    /** What the plan was compared with, besides the record. Absent if the service has what is on record. */
    drift: z.exactOptional(Drift),
    /** The keys with a webhook, which the update removes. */
    webhooks: z.readonly(z.array(z.string())),
    bind,
  }),
  z.strictObject({
    action: z.literal("replace"),
    ...about,
    before: Confirmed,
    after: MenuContent,
    /** The former key of the menu. */
    movedFrom: z.nullable(z.string()),
    drift: z.exactOptional(Drift),
    /** The other menus that lead callers to the old menu. Absent if there are none. */
    ledBy: z.exactOptional(z.readonly(z.array(z.string()))),
    bind,
    reachedBy,
  }),
  z.strictObject({
    action: z.literal("move"),
    ...about,
    before: Confirmed,
    after: MenuContent,
    movedFrom: z.string(),
    bind,
  }),
  /** Only phone numbers change: they lead to the menu from now on. */
  z.strictObject({
    action: z.literal("bind"),
    ...about,
    id: z.string(),
    before: Confirmed,
    bind: z.readonly(z.array(Bind)),
  }),
  z.strictObject({
    action: z.literal("forget"),
    ...about,
    before: Confirmed,
    /** The id of a menu that is gone from the service, so that it needs no follow-up. */
    gone: z.exactOptional(z.string()),
    /** Why the menu is not deleted, although the service can delete menus. */
    kept: z.exactOptional(z.enum(["not-allowed", "unidentified", "unreadable"])),
    reachedBy,
  }),
  /** The file was deleted, and so is the menu on the service. */
  z.strictObject({
    action: z.literal("delete"),
    ...about,
    id: z.string(),
    before: Confirmed,
    drift: z.exactOptional(Drift),
    /** The keys with a webhook, which is lost as well. */
    webhooks: z.readonly(z.array(z.string())),
  }),
  z.strictObject({
    action: z.literal("restore"),
    ...about,
    /** The newer record, which becomes a follow-up. Absent if the key has no record. */
    before: z.exactOptional(Confirmed),
    followUp: FollowUp,
    after: MenuContent,
    /** The former key of the menu, if it moves at the same time. */
    movedFrom: z.exactOptional(z.string()),
    /** The other menus that lead to it, by their files. Absent if there are none. */
    ledBy: z.exactOptional(z.readonly(z.array(z.string()))),
    bind,
    reachedBy,
  }),
  /** The menu is on record, but the service does not list it any more. */
  z.strictObject({
    action: z.literal("missing"),
    ...about,
    id: z.string(),
    before: Confirmed,
    after: MenuContent,
    movedFrom: z.nullable(z.string()),
    /** Absent if there are none. */
    leaders: z.exactOptional(z.readonly(z.array(Leader))),
    unbound,
  }),
  /** Somebody changed the menu on the console, and ivrctl cannot change it back. */
  z.strictObject({
    action: z.literal("drift"),
    ...about,
    id: z.string(),
    before: Confirmed,
    drift: Drift,
    unbound,
  }),
  /** Nothing is sent until the ids of the menus that it leads to are known. */
  z.strictObject({
    action: z.literal("waiting"),
    ...about,
    before: z.nullable(Confirmed),
    /** A destination without an id is a reference to the menu. */
    after: MenuContent,
    movedFrom: z.nullable(z.string()),
    waitsFor: z.readonly(z.array(WaitsFor)),
    drift: z.exactOptional(Drift),
    unbound,
  }),
  z.strictObject({
    action: z.literal("unknown"),
    ...about,
    before: z.nullable(Confirmed),
    pending: Pending,
    /** Whether the file still has the content that was sent. */
    file: z.enum(["same", "changed", "gone"]),
    /** The menus in the list that may be this one. Absent if the service cannot list menus. */
    candidates: z.exactOptional(z.readonly(z.array(z.string()))),
    unbound,
  }),
]);

/** What apply would do, and what a person has to do. */
const Plan = z.strictObject({
  environment: z.string(),
  /** The address of the service, in the form that the state records. */
  address: z.string(),
  /** The state that the plan was made from. */
  state: z.strictObject({
    lineage: z.nullable(z.string()),
    serial: z.int(),
    /** Differs between two histories that have the same serial. */
    head: z.string(),
  }),
  /** All changes, sorted by key, but each after the changes of the menus that its menu leads to. */
  changes: z.readonly(z.array(Change)),
  unchanged: z.int(),
  /** Records that stay as they are but get new names. Nothing changes for callers. */
  named: z.readonly(z.array(z.strictObject({ key: z.string(), naming: NamingSchema }))),
  /** The open follow-ups, the oldest first. */
  followUps: z.readonly(z.array(FollowUp)),
  /** Extensions of agents that were blocked when the plan was made. The rules of the project allow them. */
  blocked: z.exactOptional(z.readonly(z.array(z.string()))),
  /** The lists that the plan was compared with. Absent if the service cannot list menus. */
  list: z.exactOptional(
    z.strictObject({
      menus: z.int(),
      at: z.string(),
      /** Absent if the service cannot list phone numbers. */
      numbers: z.exactOptional(z.int()),
    }),
  ),
  /** What apply records because the list proves it: ids and outcomes. The changes start from there. */
  learned: z.exactOptional(z.readonly(z.array(EventSchema))),
  /** What the command line or the environment allows. */
  allowed: z.exactOptional(z.readonly(z.array(z.enum(permissionNames)))),
});

const digest = z.string();

/** A saved plan: what apply sends, and the digests of what must not change before it does. */
export const PlanFileSchema = z.strictObject({
  format: z.literal("ivrctl-plan"),
  version: z.literal(planVersion),
  created_at: z.string(),
  files: z.strictObject({
    config: digest,
    menus: z.array(z.strictObject({ file: z.string(), digest })),
  }),
  plan: Plan,
  /** The digest of all fields above. */
  digest,
});

export type MenuContent = z.infer<typeof MenuContent>;
export type Bind = z.infer<typeof Bind>;
export type Unbound = NonNullable<z.infer<typeof unbound>>[number];
export type Difference = z.infer<typeof Difference>;
export type Drift = z.infer<typeof Drift>;
export type WaitsFor = z.infer<typeof WaitsFor>;
export type Change = z.infer<typeof Change>;
export type Plan = z.infer<typeof Plan>;
export type PlanFile = z.infer<typeof PlanFileSchema>;
