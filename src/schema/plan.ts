import * as z from "zod/mini";
import { Confirmed, FollowUp, NamingSchema, Pending, made } from "./state.ts";

/** The version of the plan file's format. */
export const planVersion = 1;

/** What a file makes of a menu: what is sent, and what people call the ids in it. */
const Made = z.strictObject(made);

const about = { key: z.string(), name: z.string() };

const Change = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("create"), ...about, after: Made }),
  z.strictObject({
    action: z.literal("replace"),
    ...about,
    before: Confirmed,
    after: Made,
    /** The key that the record is carried over from. */
    movedFrom: z.nullable(z.string()),
  }),
  z.strictObject({
    action: z.literal("move"),
    ...about,
    before: Confirmed,
    after: Made,
    movedFrom: z.string(),
  }),
  z.strictObject({ action: z.literal("forget"), ...about, before: Confirmed }),
  z.strictObject({ action: z.literal("restore"), ...about, followUp: FollowUp, after: Made }),
  z.strictObject({
    action: z.literal("unknown"),
    ...about,
    before: z.nullable(Confirmed),
    pending: Pending,
    /** What became of the file since: gone, or with another content than was sent. */
    file: z.enum(["same", "changed", "gone"]),
  }),
]);

/** What an apply would do, and what a person would have to. */
const Plan = z.strictObject({
  environment: z.string(),
  /** Of the service, as the state remembers it. */
  address: z.string(),
  /** The moment of the state that it was made from. */
  state: z.strictObject({
    lineage: z.nullable(z.string()),
    serial: z.int(),
    /** Tells histories apart that have come to one serial by different ways. */
    head: z.string(),
  }),
  /** Every menu that is not unchanged, sorted by key. */
  changes: z.readonly(z.array(Change)),
  unchanged: z.int(),
  /** What is on record, and stays, under names that have changed: no change for anyone. */
  named: z.readonly(z.array(z.strictObject({ key: z.string(), naming: NamingSchema }))),
  /** The open ones, the oldest first. */
  followUps: z.readonly(z.array(FollowUp)),
  /** Extensions whose agents were blocked already, which the project's rules let pass. */
  blocked: z.exactOptional(z.readonly(z.array(z.string()))),
});

const digest = z.string();

/** A saved plan: what will be sent, and what must not have changed until then. */
export const PlanFileSchema = z.strictObject({
  format: z.literal("ivrctl-plan"),
  version: z.literal(planVersion),
  created_at: z.string(),
  files: z.strictObject({
    config: digest,
    menus: z.array(z.strictObject({ file: z.string(), digest })),
  }),
  plan: Plan,
  /** Of everything above. */
  digest,
});

export type Made = z.infer<typeof Made>;
export type Change = z.infer<typeof Change>;
export type Plan = z.infer<typeof Plan>;
export type PlanFile = z.infer<typeof PlanFileSchema>;
