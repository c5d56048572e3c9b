import * as z from "zod/mini";

// A number beyond what JSON keeps exactly has lost digits already: better none than a wrong one.
const textOrNumber = z.union([z.string(), z.int()]);
const nullish = <T extends z.core.SomeType>(schema: T) => z.optional(z.nullable(schema));

/**
 * An agent as the service lists it, or as a snapshot keeps it. Tolerant: ids
 * come as strings or numbers, fields as null or not at all, and new ones are
 * no surprise.
 */
export const ListedAgent = z.looseObject({
  id: nullish(textOrNumber),
  name: nullish(textOrNumber),
  eid: nullish(textOrNumber),
  intercom: nullish(textOrNumber),
  team_name: nullish(textOrNumber),
  team: nullish(textOrNumber),
  custom_status: nullish(z.union([z.string(), z.number(), z.boolean()])),
  blocked: nullish(z.union([z.boolean(), z.number(), z.string()])),
  departments: nullish(
    z.array(z.nullable(z.union([z.string(), z.looseObject({ name: nullish(textOrNumber) })]))),
  ),
});

export type ListedAgent = z.infer<typeof ListedAgent>;
