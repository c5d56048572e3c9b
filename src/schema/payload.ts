import * as z from "zod/mini";
import { type Payload, isOfOption, rows } from "./fields.ts";

const text = z.string("must be text");
const textOrNumber = z.union([z.string(), z.number()], "must be text or a number");

/** What each kind of field is in a payload from outside. Numbers may be text. */
const kinds = {
  text,
  recording: text,
  destination: text,
  sms: text,
  count: textOrNumber,
  number: z.number("must be a number"),
  keys: z.readonly(z.array(textOrNumber, "must be a list of texts or numbers")),
};

const shape = Object.fromEntries(
  rows.map(([path, { is, wire, optional }]) => {
    const schema = isOfOption(path)
      ? z.readonly(z.array(kinds[is], "must be a list of texts"))
      : kinds[is];
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
