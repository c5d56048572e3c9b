import { lockFlags } from "../deploy/state/access.ts";

/** The options of subcommands that record what a person says. */
export const recordFlags = {
  by: { type: "string", value: "WHO", about: "Who says so, for the history (default: you)" },
  evidence: { type: "string", value: "TEXT", about: "How it is known, for the history" },
  ...lockFlags,
} as const;

/** The options that name another store than ivrctl.yaml does. */
export const targetFlags = {
  to: {
    type: "string",
    value: "STORE",
    about: "Another store: file, the address of a database as '${NAME}', or s3://BUCKET/PREFIX",
  },
  schema: {
    type: "string",
    value: "NAME",
    implies: "to",
    about: "Schema of the tables, for a database (default: ivrctl)",
  },
} as const;
