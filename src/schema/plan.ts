import * as z from "zod/mini";
import { Confirmed, FollowUp, Pending, made } from "./state.ts";

/** The version of the plan file's format. */
export const planVersion = 1;

const Made = z.strictObject(made);
const about = { key: z.string(), name: z.string() };
const digest = z.string();

const Change = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("create"), ...about, after: Made }),
  z.strictObject({
    action: z.literal("replace"),
    ...about,
    before: Confirmed,
    after: Made,
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
    file: z.enum(["same", "changed", "gone"]),
  }),
]);

/** A saved plan: what will be sent, and what must not have changed until then. */
export const PlanFileSchema = z.strictObject({
  format: z.literal("ivrctl-plan"),
  version: z.literal(planVersion),
  created_at: z.string(),
  files: z.strictObject({
    config: digest,
    menus: z.array(z.strictObject({ file: z.string(), digest })),
  }),
  plan: z.strictObject({
    environment: z.string(),
    address: z.string(),
    state: z.strictObject({ lineage: z.nullable(z.string()), serial: z.int() }),
    changes: z.array(Change),
    unchanged: z.int(),
    followUps: z.array(FollowUp),
  }),
  /** Of everything above. */
  digest,
});

export type PlanFile = z.infer<typeof PlanFileSchema>;
