import * as z from "zod/mini";
import { fields, isOptional, menuFields } from "../fields.ts";
import { groupBy } from "../../util/group-by.ts";
import { DestinationSchema, OptionSchema, RecordingSchema } from "../menu-record.ts";
import { documented, jsonListOf, shared } from "./shared-fields.ts";

shared("destination", "Where a call goes.", DestinationSchema);
shared("recording", "What callers hear. `plain`: it is sent without a kind.", RecordingSchema);

const Count = shared(
  "count",
  "A number, or text if a number would change what the file says, as with `05`.",
  z.union([z.int(), z.string()]),
);

const kinds = {
  text: z.string(),
  count: Count,
  number: Count,
  recording: RecordingSchema,
  destination: DestinationSchema,
  keys: jsonListOf("The keys, in the order announced.", OptionSchema),
};

/** The schema of a field, by the last part of its path. */
function fieldSchema(path: (typeof menuFields)[number]): [name: string, schema: z.ZodMiniType] {
  const schema = kinds[fields[path].is];
  return [path.split(".").at(-1) ?? "", isOptional(path) ? z.optional(schema) : schema];
}

const parts = groupBy(menuFields, (path) => path.split(".")[0] ?? "");

const ownFields = [...parts].map(([name, paths]): [name: string, schema: z.ZodMiniType] => {
  const [first] = paths;
  if (first === name) return fieldSchema(first);
  const part = z.strictObject(Object.fromEntries(paths.map(fieldSchema)));
  return [name, paths.every(isOptional) ? z.optional(part) : part];
});

/** A menu as commands print it: nested as in a file. States and saved plans have flat ones. */
export const MenuJson = shared(
  "menu",
  "A menu with ids and names. A link whose id is not known yet has only the key of its menu.",
  z.strictObject({
    ...Object.fromEntries(ownFields),
    numbers: z.optional(jsonListOf("The phone numbers that point to it.", z.string())),
  }),
);

const value = z.nullable(z.union([z.string(), z.int(), DestinationSchema, RecordingSchema]));

export const DifferenceJson = shared(
  "difference",
  "A value that differs.",
  z.strictObject({
    path: documented(
      "Its place in `after`, or in `before` if the value was removed. jq: `getpath(…)`.",
      z.readonly(z.array(z.union([z.string(), z.int()]))),
    ),
    key: z.optional(documented("The key of the option that it is about.", z.string())),
    before: value,
    after: value,
  }),
);

export type MenuOutput = z.infer<typeof MenuJson>;
export type DifferenceOutput = z.infer<typeof DifferenceJson>;
