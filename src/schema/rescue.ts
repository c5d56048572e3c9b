import * as z from "zod/mini";

/** The follow-up whose menu was to be deleted. */
const followUp = z.exactOptional(z.string());

/** The outcomes that a run could not record. Never contains the token. */
export const RescueSchema = z.strictObject({
  /** The version of this format. The field also identifies a rescue file. */
  rescue: z.literal(1),
  environment: z.string(),
  /** The id of the state. */
  state: z.string(),
  /** The run, its author, and the time of its intents in the history. */
  run: z.string(),
  by: z.string(),
  since: z.string(),
  until: z.string(),
  outcomes: z.array(
    z.discriminatedUnion("kind", [
      z.strictObject({
        kind: z.enum(["created", "updated", "deleted"]),
        key: z.string(),
        follow_up: followUp,
        digest: z.string(),
        status: z.number(),
        message: z.string(),
      }),
      z.strictObject({
        kind: z.enum(["failed", "not-processed", "unknown"]),
        key: z.string(),
        follow_up: followUp,
        digest: z.string(),
        status: z.nullable(z.number()),
        message: z.string(),
      }),
    ]),
  ),
});

export type Rescue = z.infer<typeof RescueSchema>;
