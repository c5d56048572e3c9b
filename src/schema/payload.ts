import * as z from "zod/mini";

const textOrNumber = z.union([z.string(), z.number()]);

/** A payload from outside. Numbers may be text, and the two undocumented fields are allowed. */
export const PayloadSchema = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    recording: z.string(),
    timeout: textOrNumber,
    option: z.readonly(z.array(textOrNumber)),
    destination: z.readonly(z.array(z.string())),
    incorrect_count: textOrNumber,
    invalid_recording: z.string(),
    invalid_destination: z.string(),
    timeout_retry_recording: z.string(),
    timeout_recording: z.string(),
    timeout_destination: z.string(),
    timeout_tries: textOrNumber,
    sms_template: z.exactOptional(z.readonly(z.array(z.string()))),
    timeout_retries: z.exactOptional(z.number()),
    recording_invalid: z.exactOptional(z.string()),
  })
  .check(
    z.refine(({ option, destination }) => option.length === destination.length, {
      error: "must have as many destinations as options",
    }),
  );
