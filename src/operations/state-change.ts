import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Refusal, reporting } from "../deploy/state/access.ts";
import { type Decide, recordChange } from "../deploy/state/change.ts";
import { type ChosenState, openState } from "../deploy/state/open-store.ts";
import type { ProjectPlace } from "../workspace/open-project.ts";
import { Interruption } from "../util/interruption.ts";
import { confirm } from "../views/ask.ts";
import { changedText } from "../views/state-changed.ts";
import type { Result } from "../views/result.ts";
import type { Caller } from "./caller.ts";
import { lockRequest, refusalCodes } from "./lock-request.ts";

/**
 * Opens the state of the chosen environment, and works on it. `act` returns the result, and `otherwise` that
 * of work that could not be done.
 */
export async function runOnState<R extends Result>(
  context: ProjectPlace,
  act: (opened: ChosenState, diagnostics: Diagnostics) => Promise<R | Refusal>,
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

/** The same for a result that is only text. */
export function textOnState(
  context: ProjectPlace,
  act: (opened: ChosenState, diagnostics: Diagnostics) => Promise<Result | Refusal>,
): Promise<Result> {
  return runOnState<Result>(context, act, () => ({}));
}

/** Who decided, and how many seconds to wait for the lock of another run. */
export interface AskedChange {
  readonly by?: string | undefined;
  readonly lockTimeout?: number | undefined;
}

/** Records a decision of a person. `command` is what the lock shows to others. */
export async function changeState(
  caller: Caller,
  { by, lockTimeout }: AskedChange,
  command: string,
  decide: Decide,
): Promise<Result> {
  return textOnState(caller, async (opened, diagnostics) => {
    const request = lockRequest(caller, opened.environment, command, { by, lockTimeout });
    const recorded = await recordChange(caller.root, opened, request, decide, diagnostics);
    return typeof recorded === "string" ? recorded : { summary: changedText(recorded) };
  });
}

/** Asks whether to go on, unless that is approved. Returns undefined if it is. `otherwise` says what no means. */
export async function askApproval(
  caller: Asking,
  isApproved: boolean,
  text: string,
  otherwise: string,
): Promise<Refusal | undefined> {
  if (isApproved) return undefined;
  const act = async (halt: AbortSignal) => (await confirm(text, caller, halt)) || undefined;
  const answer = await askAll(caller, () => otherwise, act);
  return answer === true ? undefined : answer;
}

type Asking = Pick<Caller, "host" | "terminal">;

/**
 * Asks questions while the lock is held. `act` returns undefined if the user declines. `otherwise`
 * returns what that means: "Nothing was deleted."
 */
export async function askAll<T>(
  { host, terminal }: Asking,
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
