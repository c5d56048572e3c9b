import * as z from "zod/mini";

/** What a run knew of its creates and could not record. It never holds the token. */
export const RescueSchema = z.strictObject({
  /** The version of this format, by which such a file is known. */
  rescue: z.literal(1),
  environment: z.string(),
  lineage: z.string(),
  /** Which run, and whose; its intents in the history are of this time. */
  run: z.string(),
  by: z.string(),
  since: z.string(),
  until: z.string(),
  outcomes: z.array(
    z.discriminatedUnion("kind", [
      z.strictObject({
        kind: z.literal("created"),
        key: z.string(),
        digest: z.string(),
        status: z.number(),
        message: z.string(),
      }),
      z.strictObject({
        kind: z.enum(["failed", "not-processed", "unknown"]),
        key: z.string(),
        digest: z.string(),
        status: z.nullable(z.number()),
        message: z.string(),
      }),
    ]),
  ),
});

export type Rescue = z.infer<typeof RescueSchema>;
