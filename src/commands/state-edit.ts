import { suggest } from "../util/suggest.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import type { StateView } from "../deploy/state/state.ts";
import { addressProblem } from "../schema/address.ts";
import { confirm } from "../views/ask.ts";
import {
  forgetQuestion,
  sayNothingForgotten,
  sayInterruptedAsking,
  saySameAddress,
} from "../views/state-changed.ts";
import { type Context, type ExitCode, command } from "../cli/command.ts";
import { UsageError } from "../util/usage-error.ts";
import { identityOf } from "../deploy/service/connect.ts";
import { Interruption } from "../util/interruption.ts";
import { lockFlags } from "../deploy/state/access.ts";
import { changeState, words } from "../deploy/state/change.ts";
import { judgeNewKey, refuseTaken, suggestions } from "../deploy/state/keys.ts";

const forgetFlags = {
  "auto-approve": { type: "boolean", about: "Do not ask" },
  ...lockFlags,
} as const;

export const forget = command({
  takes: "KEY…",
  arguments: { "KEY…": "The keys whose records to delete" },
  minArguments: 1,
  completes: "recorded key",
  about: "Deletes the records of keys. The service keeps the menus, and callers still reach them.",
  flags: forgetFlags,
  formats: ["text", "json"],
  examples: [["ivrctl state forget front-desk", "asks before it deletes the record"]],
  run: forgetKeys,
});

export const mv = command({
  takes: "OLD NEW",
  arguments: { OLD: "The key of the record", NEW: "The key it gets" },
  minArguments: 2,
  maxArguments: 2,
  completes: "key",
  about: "Moves the record of a menu to another key.",
  flags: lockFlags,
  formats: ["text", "json"],
  examples: [["ivrctl state mv front-desk reception", "after the file was renamed"]],
  run: moveRecord,
});

const rebindFlags = {
  to: { type: "string", value: "URL", required: true, about: "The new address of the service" },
  evidence: {
    type: "string",
    value: "TEXT",
    required: true,
    about: "How it is known that the account is the same, for the history",
  },
  ...lockFlags,
} as const;

export const rebind = command({
  takes: "--to URL --evidence TEXT",
  maxArguments: 0,
  about: "Records that the same account of the service has a new address.",
  flags: rebindFlags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl state rebind --to https://api2.example.com --evidence 'ticket 4711'", "a new host"],
  ],
  run: rebindState,
});

async function forgetKeys(context: Context<typeof forgetFlags>): Promise<ExitCode> {
  const { terminal, flags } = context;
  const approved = flags["auto-approve"];
  if (!approved && !terminal.interactive) {
    throw new UsageError("There is no terminal to ask at: give --auto-approve.");
  }
  const changed = [...new Set(context.args)];
  return changeState(context, "forget", async (moment) => {
    const { state, environment, place, diagnostics } = moment;
    const near = suggestions(state.keys.keys());
    for (const key of changed) {
      const record = state.keys.get(key);
      if (record?.pending === null) continue;
      diagnostics.addFile(
        "IVR631",
        place,
        record === undefined
          ? `${key} has no record in the state of ${environment}.`
          : `The outcome of ${key} is unknown: settle it first.`,
        record === undefined
          ? near(key)
          : `${suggest("state resolve", [key], environment, "--created")}, or --absent`,
      );
    }
    if (diagnostics.hasErrors) return 1;
    if (!approved) {
      const exit = await ask(context, state, changed, environment);
      if (exit !== undefined) return exit;
    }
    return { events: changed.map((key) => ({ kind: "dropped", key })), changed };
  });
}

/** Undefined for a yes. */
async function ask(
  { terminal }: Pick<Context, "terminal">,
  state: StateView,
  keys: readonly string[],
  environment: string,
): Promise<ExitCode | undefined> {
  // A signal at the question must not leave the lock behind.
  const interruption = new Interruption(() => sayInterruptedAsking(terminal));
  try {
    const question = forgetQuestion(keys, state, environment);
    if (await confirm(question, terminal, interruption.halt)) return undefined;
    if (interruption.halt.aborted) return 130;
    sayNothingForgotten(terminal);
    return 1;
  } finally {
    interruption.end();
  }
}

async function moveRecord(context: Context<typeof lockFlags>): Promise<ExitCode> {
  const [from = "", key = ""] = context.args;
  judgeNewKey(key);
  return changeState(context, "mv", ({ state, environment, place, diagnostics }) => {
    if (!state.keys.has(from)) {
      diagnostics.addFile(
        "IVR631",
        place,
        `${from} has no record in the state of ${environment}, so there is nothing to move.`,
        didYouMean(nearest(from, state.keys.keys())),
      );
    }
    refuseTaken(key, state, place, diagnostics, from);
    return { events: [{ kind: "moved", key, from }], changed: [key] };
  });
}

async function rebindState(context: Context<typeof rebindFlags>): Promise<ExitCode> {
  const { to } = context.flags;
  const evidence = words(context.flags.evidence, "evidence");
  const problem = to === "sandbox" ? undefined : addressProblem(to);
  if (problem !== undefined) throw new UsageError(problem.replace("`base_url`", "--to"));
  const address = identityOf(to);
  return changeState(context, "rebind", ({ state, environment, place, diagnostics }) => {
    if (state.origin === null) {
      diagnostics.addFile(
        "IVR631",
        place,
        `There is no state of ${environment} yet: nothing was applied, so nothing is bound to an address.`,
      );
      return 1;
    }
    if (state.origin.address === address) {
      if (!context.globals.quiet) saySameAddress(address, environment, context.terminal);
      return { events: [], changed: [] };
    }
    return { events: [{ kind: "rebound", address, evidence }], changed: [address] };
  });
}
