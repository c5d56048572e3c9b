import { suggest } from "../../deploy/suggest.ts";
import { didYouMean, nearest } from "../../compile/nearest.ts";
import type { StateView } from "../../deploy/state/state.ts";
import { addressProblem } from "../../schema/address.ts";
import { confirm } from "../../views/ask.ts";
import {
  forgetQuestion,
  sayNothingForgotten,
  sayInterruptedAsking,
  saySameAddress,
} from "../../views/state-changed.ts";
import { type ExitCode, UsageError } from "../command.ts";
import { identityOf } from "../connect.ts";
import { Interruption } from "../interruption.ts";
import type { StateContext } from "../state.ts";
import { changeState, words } from "./changing.ts";
import { judgeNewKey, refuseTaken, suggestions } from "./keys.ts";

/** Drops the records of keys; on the service they stay. */
export async function forget(context: StateContext): Promise<ExitCode> {
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
  { terminal }: StateContext,
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

/** Carries a record over to another key. */
export async function mv(context: StateContext): Promise<ExitCode> {
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

/** The same account, at another address. */
export async function rebind(context: StateContext): Promise<ExitCode> {
  const { to } = context.flags;
  const evidence = words(context.flags.evidence, "evidence");
  if (to === undefined || evidence === undefined) {
    throw new UsageError("state rebind needs both: ivrctl state rebind --to URL --evidence TEXT");
  }
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
