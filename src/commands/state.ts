import { didYouMean, nearest } from "../compile/nearest.ts";
import { type Context, type ExitCode, type Subcommand, UsageError, command } from "./command.ts";
import { lockFlags } from "./state-access.ts";

export const stateFlags = {
  created: { type: "boolean", about: "resolve: it is on the provider's console" },
  absent: { type: "boolean", about: "resolve: it is not there" },
  from: {
    type: "string",
    value: "FILE",
    about: "adopt: the payload, as JSON (else what the menu's file compiles to now)",
  },
  agents: {
    type: "string",
    value: "FILE",
    about: "adopt: the agent list (else agents.lock.json)",
  },
  to: {
    type: "string",
    value: "URL",
    about:
      "rebind: the service's new address; migrate, discard: file, the database's as '${NAME}', or s3://BUCKET/PREFIX",
  },
  schema: {
    type: "string",
    value: "NAME",
    about: "migrate, discard: the schema of the tables, for a database (ivrctl)",
  },
  out: { type: "string", value: "FILE", about: "pull: into a file (else it is printed)" },
  by: {
    type: "string",
    value: "WHO",
    about: "resolve, done, adopt: who says so, for the history (else you)",
  },
  evidence: {
    type: "string",
    value: "TEXT",
    about: "resolve, done, adopt, rebind: how it is known, for the history",
  },
  "auto-approve": { type: "boolean", about: "forget, discard: do not ask" },
  ...lockFlags,
} as const;

export type StateContext = Context<typeof stateFlags>;

interface StateSubcommand extends Subcommand {
  readonly takes: string;
  readonly least: number;
  readonly most: number;
  readonly flags: readonly (keyof typeof stateFlags)[];
  load(): Promise<(context: StateContext) => Promise<ExitCode>>;
}

const many = { least: 1, most: Number.POSITIVE_INFINITY } as const;
const several = { ...many, takes: "KEY…", completes: "recorded key" } as const;
const lock = ["lock-id", "lock-timeout"] as const;
const said = ["by", "evidence", ...lock] as const;

const subcommands: Readonly<Record<string, StateSubcommand>> = {
  list: {
    takes: "",
    least: 0,
    most: 0,
    flags: [],
    load: async () => (await import("./state/look.ts")).list,
  },
  show: { ...several, flags: [], load: async () => (await import("./state/look.ts")).show },
  history: {
    ...several,
    least: 0,
    flags: [],
    load: async () => (await import("./state/look.ts")).history,
  },
  resolve: {
    ...several,
    flags: ["created", "absent", ...said],
    load: async () => (await import("./state/settle.ts")).resolve,
  },
  done: {
    ...many,
    takes: "ID…",
    flags: said,
    load: async () => (await import("./state/settle.ts")).done,
  },
  adopt: {
    takes: "KEY",
    least: 1,
    most: 1,
    completes: "key",
    flags: ["from", "agents", ...said],
    load: async () => (await import("./state/adopt.ts")).adopt,
  },
  forget: {
    ...several,
    flags: ["auto-approve", ...lock],
    load: async () => (await import("./state/rearrange.ts")).forget,
  },
  mv: {
    takes: "OLD NEW",
    least: 2,
    most: 2,
    completes: "key",
    flags: lock,
    load: async () => (await import("./state/rearrange.ts")).mv,
  },
  rebind: {
    takes: "--to URL --evidence TEXT",
    least: 0,
    most: 0,
    flags: ["to", "evidence", ...lock],
    load: async () => (await import("./state/rearrange.ts")).rebind,
  },
  accept: {
    takes: "",
    least: 0,
    most: 0,
    flags: lock,
    load: async () => (await import("./state/accept.ts")).accept,
  },
  pull: {
    takes: "",
    least: 0,
    most: 0,
    flags: ["out"],
    load: async () => (await import("./state/transfer.ts")).pull,
  },
  push: {
    takes: "FILE",
    least: 1,
    most: 1,
    flags: lock,
    load: async () => (await import("./state/transfer.ts")).push,
  },
  migrate: {
    takes: "--to file|'${NAME}'|s3://BUCKET/PREFIX",
    least: 0,
    most: 0,
    flags: ["to", "schema", ...lock],
    load: async () => (await import("./state/migrate.ts")).migrate,
  },
  discard: {
    takes: "[--to file|'${NAME}'|s3://BUCKET/PREFIX]",
    least: 0,
    most: 0,
    flags: ["to", "schema", "auto-approve", ...lock],
    load: async () => (await import("./state/discard.ts")).discard,
  },
};

export default command({
  takes: "SUBCOMMAND",
  about:
    "Shows the record of what was created on the service, and repairs it. Nothing here talks to the service: what a command records is what you say.",
  flags: stateFlags,
  subcommands,
  formats: ["text", "json"],
  examples: [
    ["ivrctl state list", "every key, and the follow-ups that are open"],
    ["ivrctl state show front-desk", "everything about a key, and how to settle it"],
    ["ivrctl state history [KEY…]", "who did what when"],
    [
      "ivrctl state resolve KEY… --created|--absent",
      "settle what is unknown, after a look at the provider's console",
    ],
    ["ivrctl state done F12 --evidence 'ticket 4711'", "strike a follow-up"],
    ["ivrctl state adopt KEY [--from PAYLOAD.json]", "record a menu that exists already"],
    ["ivrctl state forget KEY…", "drop a key's record; the service keeps its own"],
    ["ivrctl state mv OLD NEW", "carry a record over to another key"],
    ["ivrctl state rebind --to URL --evidence TEXT", "the same account has a new address"],
    ["ivrctl state accept", "go on with a journal whose state file is lost"],
    ["ivrctl state pull --out FILE", "the state with its whole history as a file"],
    ["ivrctl state push FILE", "a history that goes on from this one, or a rescue file"],
    ["ivrctl state migrate --to '${STATE_URL}'", "into a database; --to file brings it back"],
    [
      "ivrctl state migrate --to s3://BUCKET/PREFIX",
      "into an object store; credentials come from the environment",
    ],
    [
      "ivrctl state discard [--to STORE]",
      "drop what an interrupted push or migrate has copied so far",
    ],
  ],
  async run(context): Promise<ExitCode> {
    const [name, ...args] = context.args;
    const names = Object.keys(subcommands);
    const known = `state can ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
    if (name === undefined) throw new UsageError(`${known}: say which.`);
    const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    if (subcommand === undefined) {
      throw new UsageError(
        `There is no state ${name}. ${didYouMean(nearest(name, names)) ?? `${known}.`}`,
      );
    }
    refuseOthers(name, subcommand, context.flags);
    judgeCount(name, subcommand, args);
    const run = await subcommand.load();
    return run({ ...context, args });
  },
});

function refuseOthers(name: string, { flags: own }: StateSubcommand, given: StateContext["flags"]) {
  const allowed: readonly string[] = own;
  for (const [flag, value] of Object.entries(given)) {
    if (value === false || value === undefined || allowed.includes(flag)) continue;
    throw new UsageError(`--${flag} is not for state ${name}.`);
  }
}

function judgeCount(
  name: string,
  { takes, least, most }: StateSubcommand,
  args: readonly string[],
): void {
  if (args.length < least)
    throw new UsageError(`state ${name} needs ${takes}: ivrctl state ${name} ${takes}`);
  // A variable that is not set, most likely.
  if (args.includes("")) throw new UsageError("One of the arguments is empty.");
  if (args.length > most) throw new UsageError(`One argument too many: ${args[most]}.`);
}
