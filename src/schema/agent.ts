import * as z from "zod/mini";

// A larger number has already lost digits when JSON is parsed, so it is refused.
const error = "must be text, or a whole number of at most 15 digits";
const textOrNumber = z.nullish(z.union([z.string(), z.int({ error })], { error }));
const flag = z.nullish(
  z.union([z.boolean(), z.number(), z.string()], {
    error: "must be true, false, text or a number",
  }),
);
const department = z.union([z.string(), z.object({ name: textOrNumber })], {
  error: "must be text, or an object with a `name`",
});
const departments = z.array(z.nullable(department), "must be a list of names");

/**
 * An agent as the service or a snapshot lists it. Ids may be strings or numbers. Every field
 * may be null or missing, and unknown fields are ignored.
 */
export const ListedAgent = z.object(
  {
    id: textOrNumber,
    name: textOrNumber,
    eid: textOrNumber,
    intercom: textOrNumber,
    team_name: textOrNumber,
    team: textOrNumber,
    custom_status: flag,
    blocked: flag,
    departments: z.nullish(z.readonly(departments)),
  },
  "must be an object",
);

export type ListedAgent = z.infer<typeof ListedAgent>;

/** An agent of a file that `ivrctl agents pull` wrote, with the last different name of the extension. */
const PulledAgent = z.extend(ListedAgent, { was: z.optional(z.string()) });

export type PulledAgent = z.infer<typeof PulledAgent>;

/** Something of the account that has an id and a name. */
const Named = z.object({ id: z.string(), name: z.string() });
export type Named = Readonly<z.infer<typeof Named>>;

/** The value of `format_version` in a file that `ivrctl agents pull` writes. */
export const agentListVersion = "2.0";

/** A file that `ivrctl agents pull` wrote. */
export const PulledList = z.looseObject({
  format_version: z.literal(agentListVersion),
  pulled_at: z.optional(z.iso.datetime()),
  environment: z.optional(z.string()),
  /** The identity of the service. */
  service: z.optional(z.string()),
  /** The list of users has no teams and no intercoms. */
  source: z.optional(z.literal("users")),
  agents: z.array(PulledAgent),
  /** What else the service lists. */
  recordings: z.optional(z.array(Named)),
  departments: z.optional(z.array(Named)),
});

/** When and where an agent list was read from a service, and what else it listed, as far as its file says. */
export type AgentListOrigin = Partial<
  Pick<
    z.infer<typeof PulledList>,
    "pulled_at" | "environment" | "service" | "source" | "recordings" | "departments"
  >
>;
