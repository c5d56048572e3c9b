import { lockRequest, refusalCodes } from "../operations/lock.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Refusal, reporting } from "../deploy/state/access.ts";
import { type Decide, recordChange } from "../deploy/state/change.ts";
import { type OpenState, openState } from "../deploy/state/open-store.ts";
import type { ProjectPlace } from "../workspace/open-project.ts";
import { Interruption } from "../util/interruption.ts";
import { UsageError } from "../util/usage-error.ts";
import { confirm } from "../views/ask.ts";
import { changedText } from "../views/state-changed.ts";
import type { Context } from "./command.ts";
import type { approveFlags, lockFlags } from "./flags.ts";
import type { Result } from "../views/result.ts";

/**
 * Opens a state and does the work of a command. `act` returns what to print. `otherwise` is printed
 * if it could not do its work.
 */
export async function runOnState<R extends Result>(
  context: ProjectPlace,
  act: (opened: OpenState, diagnostics: Diagnostics) => Promise<R | Refusal>,
  otherwise: (environment: string | null, place: string | null) => R,
): Promise<R> {
  const diagnostics = new Diagnostics();
  const opened = await openState(context, diagnostics);
  const { environment, store } = opened;
  const acted = store && (await reporting(store, diagnostics, () => act(opened, diagnostics)));
  const result =
    typeof acted === "object"
      ? acted
      : {
          ...otherwise(environment, store?.place ?? null),
          exit: refusalCodes[acted ?? "failed"],
        };
  return { ...result, diagnostics: diagnostics.sorted() };
}

/** The same for a command that prints only text. */
export function textOnState(
  context: ProjectPlace,
  act: (opened: OpenState, diagnostics: Diagnostics) => Promise<Result | Refusal>,
): Promise<Result> {
  return runOnState<Result>(context, act, () => ({}));
}

/** Records a decision of the user. */
export async function changeState(
  context: Context<typeof lockFlags> & { readonly flags: { readonly by?: string | undefined } },
  command: string,
  decide: Decide,
): Promise<Result> {
  const { by, "lock-timeout": lockTimeout } = context.flags;
  return textOnState(context, async (opened, diagnostics) => {
    const request = lockRequest(context, opened.environment, command, { by, lockTimeout });
    const recorded = await recordChange(context.root, opened, request, decide, diagnostics);
    return typeof recorded === "string" ? recorded : { summary: changedText(recorded) };
  });
}

/** Refuses a command that would have to ask a question, if there is no terminal. */
export function requireTerminal(
  { flags, terminal }: Context<typeof approveFlags>,
  help = "Add --auto-approve.",
): void {
  if (flags["auto-approve"] || terminal.interactive) return;
  throw new UsageError(`This command asks for confirmation, but there is no terminal. ${help}`);
}

/** Asks a question while the lock is held. Returns undefined if the answer is yes. */
export async function askLocked(
  context: Context<typeof approveFlags>,
  text: string,
  otherwise: string,
): Promise<Refusal | undefined> {
  if (context.flags["auto-approve"]) return undefined;
  const act = async (halt: AbortSignal) => (await confirm(text, context, halt)) || undefined;
  const answer = await askAll(context, () => otherwise, act);
  return answer === true ? undefined : answer;
}

/**
 * Asks questions while the lock is held. `act` returns undefined if the user declines. `otherwise`
 * returns what that means: "Nothing was deleted."
 */
export async function askAll<T>(
  { host, terminal }: Pick<Context, "host" | "terminal">,
  otherwise: () => string,
  act: (halt: AbortSignal) => Promise<T | undefined>,
): Promise<T | Refusal> {
  // A signal during a question must not leave the lock behind.
  const interruption = new Interruption(host, () => terminal.say(`\nInterrupted. ${otherwise()}`));
  try {
    const answer = await act(interruption.halt);
    if (interruption.halt.aborted) return "interrupted";
    if (answer !== undefined) return answer;
    terminal.say(`${otherwise()}\n`);
    return "declined";
  } finally {
    interruption.end();
  }
}
