import * as z from "zod/mini";
import { permissionNames } from "./operations.ts";
import { DestinationSchema, MenuSchema, RecipeSchema } from "./menu-record.ts";
import { added, laterFields } from "./since.ts";

/** The version of the format of every document. ivrctl reads no other version. */
export const planFormat = "1.0";

const digest = z.string();

/** What a menu is, what a phone number points to, or what a recording is made from. */
const Content = z.union([
  z.strictObject({ menu: MenuSchema }),
  z.strictObject({ to: z.nullable(DestinationSchema) }),
  added(9, z.strictObject({ make: RecipeSchema })),
]);

const Step = z.strictObject({
  /** `menu:KEY`, `number:NUMBER`, `old:FOLLOW-UP` or `recording:NAME` */
  ref: z.string(),
  op: z.enum([
    "create",
    "update",
    "bind",
    "delete",
    "move",
    "forget",
    "drop",
    "restore",
    "match",
    "reword",
    "unknown",
  ]),
  id: z.optional(z.string()),
  from: z.optional(z.string()),
  spare: z.optional(z.string()),
  base: z.optional(Content),
  webhooks: z.optional(z.readonly(z.array(z.string()))),
  after: z.optional(Content),
  links: z.record(z.string(), z.string()),
  /** Whether apply does not do it. */
  held: z.boolean(),
});

/** What a file says about a menu on the service. */
const Desired = z.strictObject({
  key: z.string(),
  /** Absent if the menu is invalid. Then nothing is planned for its key. */
  content: z.optional(MenuSchema),
  movedFrom: z.optional(z.string()),
  /** Absent if neither the menu nor the environment says it. */
  onChange: z.optional(z.enum(["replace", "refuse"])),
  /** Whether it names an agent who gets no calls, and the project does not allow that. */
  isBlocked: z.optional(z.boolean()),
});

/** What was reviewed. Apply plans it again, and does only these steps. */
export const SavedPlanSchema = z.strictObject({
  ...laterFields,
  created_at: z.string(),
  files: z.strictObject({
    config: digest,
    menus: z.readonly(z.array(z.strictObject({ file: z.string(), digest }))),
  }),
  environment: z.string(),
  /** The address of the service, in the form that the state records. */
  address: z.string(),
  state: z.strictObject({
    id: z.nullable(z.string()),
    serial: z.int(),
    /** Differs between two histories that have the same serial. */
    head: z.string(),
  }),
  steps: z.readonly(z.array(Step)),
  desired: z.readonly(z.array(Desired)),
  /** How many menus were unchanged. */
  unchanged: z.int(),
  /** Extensions of agents that were blocked when the plan was made. The rules of the project allow them. */
  blocked: z.exactOptional(z.readonly(z.array(z.string()))),
  /** What the command line or the environment allows. */
  allowed: z.readonly(z.array(z.enum(permissionNames))),
});

/** What apply reads of the document of a plan. */
export const PlanFileSchema = z.looseObject({
  /** Whether it can be shown but not applied. */
  refused: z.boolean(),
  /** Null if files were invalid. */
  plan: z.nullable(SavedPlanSchema),
  digest,
});

export type Desired = Readonly<z.infer<typeof Desired>>;
export type SavedPlanOutput = z.infer<typeof SavedPlanSchema>;
