import * as z from "zod/mini";
import { OutcomeSchema } from "./state.ts";

/** The outcomes that a run could not record. Never contains the token. */
export const RescueSchema = z.strictObject({
  /** The version of this format. The field also identifies a rescue file. */
  rescue: z.literal(2),
  environment: z.string(),
  /** The id of the state. */
  state: z.string(),
  run: z.string(),
  at: z.string(),
  outcomes: z.array(
    z.strictObject({
      /** The sum of the history that ends with the intent. */
      sum: z.string(),
      outcome: OutcomeSchema,
    }),
  ),
});

export type Rescue = z.infer<typeof RescueSchema>;
