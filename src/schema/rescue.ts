import * as z from "zod/mini";
import { laterFields } from "./since.ts";
import { OutcomeSchema } from "./state.ts";

/** The outcomes that a run could not record. Never contains the token. */
export const RescueSchema = z.strictObject({
  /** Identifies a rescue file. */
  rescue: z.literal(2),
  /** The format, if not every version can read the outcomes. */
  ...laterFields,
  environment: z.string(),
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
