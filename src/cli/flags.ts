import type { PlanRequest } from "../deploy/plan/plan-project.ts";
import { Patterns } from "../deploy/plan/targets.ts";
import { UsageError } from "../util/usage-error.ts";

/** The agent list of a command that does not ask the service. */
export const snapshotFlags = {
  agents: {
    type: "string",
    value: "FILE",
    about: "Read the agent list from this file (default: agents.lock.json)",
  },
} as const;

/** The agent list of a command that asks the service. */
export const liveAgentsFlags = {
  agents: {
    type: "string",
    value: "FILE",
    about: "Read the agent list from this file (default: ask the service)",
  },
} as const;

/** The options that plan and apply share. */
export const planFlags = {
  ...liveAgentsFlags,
  target: {
    type: "string",
    multiple: true,
    value: "KEY",
    completes: "key",
    about: "Only this key; * and ? match any characters. Can be repeated",
  },
  "max-creates": {
    type: "string",
    value: "N",
    about: "Refuse a plan with more creates than this; a replace counts as one",
  },
} as const;

export const approveFlags = {
  "auto-approve": { type: "boolean", about: "Do not ask" },
} as const;

/** The options of every command that takes the lock. */
export const lockFlags = {
  "lock-id": {
    type: "string",
    value: "ID",
    about: "Use this id for the lock, so that a later step can run `ivrctl unlock ID`",
  },
  "lock-timeout": {
    type: "string",
    value: "SECONDS",
    about: "How long to wait for the lock of another run, in seconds (default: 0)",
  },
} as const;

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
    about:
      "Another store: file, the address of a database as '${NAME}', s3://BUCKET/PREFIX, or git",
  },
  schema: {
    type: "string",
    value: "NAME",
    implies: "to",
    about: "Schema of the tables, for a database (default: ivrctl)",
  },
} as const;

export function planRequestOf(flags: {
  readonly target: readonly string[];
  readonly "max-creates": string | undefined;
}): PlanRequest {
  const limit = flags["max-creates"];
  if (limit !== undefined && !/^\d+$/.test(limit)) {
    throw new UsageError(`--max-creates is a whole number from 0, not ${limit}.`);
  }
  return {
    targets: new Patterns(flags.target),
    maxCreates: limit === undefined ? undefined : Number(limit),
  };
}

/** The value of an option as a whole number. */
export function wholeNumber(flag: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new UsageError(`${flag} is a whole number from 0 to ${most}, not ${text}.`);
}

/** What a person wrote. An option with an empty value is an error. */
export function writtenText<T extends string | undefined>(given: T, flag: "by" | "evidence"): T {
  if (given === undefined || /\S/.test(given)) return given;
  throw new UsageError(`--${flag} is empty.`);
}
