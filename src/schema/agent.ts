import * as z from "zod/mini";

// A larger number has already lost digits when JSON is parsed, so it is refused.
const textOrNumber = z.union([z.string(), z.int()]);
const nullish = <T extends z.core.SomeType>(schema: T) => z.optional(z.nullable(schema));

/**
 * An agent as the service or a snapshot lists it. Ids may be strings or numbers. Every field
 * may be null or missing, and unknown fields are ignored.
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

/** The value of `format_version` in a file that `ivrctl agents pull` writes. */
export const agentListVersion = "2.0";

/** A file that `ivrctl agents pull` wrote. Its agents are checked one by one. */
export const PulledList = z.looseObject({
  format_version: z.literal(agentListVersion),
  pulled_at: z.optional(z.iso.datetime()),
  environment: z.optional(z.string()),
  service: z.optional(z.string()),
  source: z.optional(z.literal("users")),
  agents: z.array(z.unknown()),
});
