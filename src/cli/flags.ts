import type { PlanRequest } from "../deploy/plan/plan-project.ts";
import { Patterns } from "../util/patterns.ts";
import { permissionNames } from "../schema/operations.ts";
import { UsageError } from "../util/usage-error.ts";
import type { AskedChange } from "../operations/state-change.ts";
import type { Context } from "./command.ts";

/** The options for the agent list of a command that does not ask the service. */
export const snapshotFlags = {
  agents: {
    value: "FILE",
    about: "Read the agent list from this file (default: agents.lock.json)",
  },
} as const;

/** The options for the agent list of a command that asks the service. */
const liveAgentsFlags = {
  agents: { value: "FILE", about: "Read the agent list from this file (default: ask the service)" },
} as const;

/** The option of commands that show changes of menus. */
export const summaryFlags = {
  summary: { conflicts: "verbose", about: "Show one line for each change" },
} as const;

/** The options that plan and apply share. */
export const planFlags = {
  ...summaryFlags,
  ...liveAgentsFlags,
  target: {
    multiple: true,
    value: "KEY",
    about:
      "Include only this menu key; * matches any characters, including /, and ? matches one (can be repeated). old:F3 is the old menu of a follow-up",
  },
  "max-creates": {
    value: "N",
    about: "Refuse a plan that creates more menus than this; a replacement counts as one",
  },
  allow: {
    value: "LIST",
    list: permissionNames,
    about: `Allow what plans do not do on their own: ${permissionNames.join(", ")} (can be repeated)`,
  },
} as const;

/** The option of commands that need not use the menus of the files. */
export const sourceFlags = {
  from: {
    value: "SOURCE",
    about: "Use the menus that the service has now (live), or those of a git revision",
  },
} as const;

export const approveFlags = {
  "auto-approve": { about: "Do not ask for confirmation" },
} as const;

/** The options of every command that takes the lock. */
export const lockFlags = {
  "lock-timeout": {
    value: "SECONDS",
    max: 86_400,
    about: "Wait this long for another run's lock (default: 0)",
  },
} as const;

/** The options of subcommands that record what a person reports. */
export const recordFlags = {
  by: { value: "WHO", about: "Record this person in the history (default: you)" },
  evidence: { value: "TEXT", about: "Record in the history how you know this" },
  ...lockFlags,
} as const;

/** What the options say about who decided, and about the lock. */
export function decision(
  flags: Context<typeof lockFlags>["flags"] & { readonly by?: string | undefined },
): AskedChange {
  return { by: flags.by, lockTimeout: flags["lock-timeout"] };
}

/** Refuses a command that would have to ask a question, if there is no terminal. */
export function requireTerminal(
  { flags, terminal }: Context<typeof approveFlags>,
  help = "Add --auto-approve.",
): void {
  if (flags["auto-approve"] || terminal.interactive) return;
  throw new UsageError(`This command asks for confirmation, but there is no terminal. ${help}`);
}

type PlanValues = Context<typeof planFlags>["flags"];

/** What the options say about the content of a plan. */
export function planRequest(values: PlanValues): PlanRequest {
  return {
    targets: new Patterns(values.target),
    maxCreates: values["max-creates"],
    allowed: new Set(values.allow),
  };
}

/** The same options as words of a command. */
export function repeatedFlags(values: PlanValues): string[] {
  return (["target", "agents", "max-creates", "allow"] as const).flatMap((name) =>
    [values[name] ?? []].flat().flatMap((value) => [`--${name}`, String(value)]),
  );
}
