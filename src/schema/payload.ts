import * as z from "zod/mini";
import { type Payload, rows } from "./fields.ts";

const textOrNumber = z.union([z.string(), z.number()]);

/** What each kind of field is in a payload from outside. Numbers may be text. */
const kinds = {
  text: z.string(),
  recording: z.string(),
  destination: z.string(),
  sms: z.string(),
  count: textOrNumber,
  number: z.number(),
  keys: z.readonly(z.array(textOrNumber)),
};

const shape = Object.fromEntries(
  rows.map(([path, { is, wire, optional }]) => {
    const schema = path.includes("*") ? z.readonly(z.array(kinds[is])) : kinds[is];
    return [wire, optional ? z.exactOptional(schema) : schema];
  }),
);

/** A payload from outside. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has the fields of a payload
export const PayloadSchema = (z.strictObject(shape) as unknown as z.ZodMiniType<Payload>).check(
  z.refine(({ option, destination }) => option.length === destination.length, {
    error: "must have as many destinations as options",
  }),
);
