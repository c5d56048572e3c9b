import { lockFlags } from "../state-access.ts";

/** The options of subcommands that record what a person says. */
export const recordFlags = {
  by: { type: "string", value: "WHO", about: "Who says so, for the history (default: you)" },
  evidence: { type: "string", value: "TEXT", about: "How it is known, for the history" },
  ...lockFlags,
} as const;
