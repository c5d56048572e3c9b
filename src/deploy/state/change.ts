import type { StateEvent } from "../../schema/state.ts";
import type { StateView } from "./state.ts";
import { type Diagnostic, Diagnostics } from "../../diagnostics/diagnostic.ts";
import { secrets } from "../../util/secrets.ts";
import { showChanged } from "../../views/state-changed.ts";
import { type Context, type ExitCode, UsageError } from "../../cli/command.ts";
import { type LockWishes, lockState, record } from "./access.ts";
import { type Kept, keptState } from "./open-store.ts";

interface ChangeContext extends Omit<Context, "flags"> {
  readonly flags: LockWishes & { readonly by?: string | undefined };
}

/** What a command wants to record: all of it, or nothing if there are errors. */
interface Decision {
  readonly events: readonly StateEvent[];
  /** The keys or ids that change. */
  readonly changed: readonly string[];
}

/** Decides under the lock what to record, or with which code to exit. */
export type Decide = (moment: {
  readonly state: StateView;
  readonly environment: string;
  /** Where errors about keys and ids are reported. */
  readonly place: string;
  readonly diagnostics: Diagnostics;
}) => Promise<Decision | ExitCode> | Decision | ExitCode;

/** Locks the state, decides, records and shows the result. `earlier` are the diagnostics from before. */
export async function changeState(
  context: ChangeContext,
  name: string,
  decide: Decide,
  earlier: readonly Diagnostic[] = [],
): Promise<ExitCode> {
  const diagnostics = new Diagnostics();
  const by = words(context.flags.by, "by");
  const kept = await keptState(context, diagnostics);
  const ended: Ended =
    kept.store === undefined || earlier.some(({ severity }) => severity === "error")
      ? { exit: 1 }
      : await underLock(context, kept, { name, by, decide }, diagnostics);
  const shown = { environment: kept.environment, ...ended };
  await showChanged(shown, together(earlier, diagnostics.sorted()), context);
  return ended.exit;
}

/** Removes duplicates: the configuration may have been read twice. */
function together(first: readonly Diagnostic[], second: readonly Diagnostic[]): Diagnostic[] {
  const idOf = ({ code, file, line, column, message }: Diagnostic) =>
    JSON.stringify([code, file, line, column, message]);
  const known = new Set(first.map(idOf));
  return [...first, ...second.filter((one) => !known.has(idOf(one)))];
}

interface Ended {
  readonly exit: ExitCode;
  readonly before?: StateView;
  readonly after?: StateView;
  readonly decision?: Decision;
}

async function underLock(
  context: ChangeContext,
  { environment, store }: Kept,
  {
    name,
    by,
    decide,
  }: { readonly name: string; readonly by: string | undefined; readonly decide: Decide },
  diagnostics: Diagnostics,
): Promise<Ended> {
  const about = { command: `state ${name}`, by: by && secrets.mask(by) };
  const access = await lockState(context, { environment, store }, about, diagnostics);
  if (access.kind === "refused") return { exit: access.exit };
  const { session } = access;
  try {
    const { state } = session;
    const before = { ...viewOf(state), followUps: new Map(state.followUps) };
    const decision = await decide({ state, environment, place: store.place, diagnostics });
    if (typeof decision === "number") return { exit: decision, after: before };
    if (diagnostics.hasErrors) return { exit: 1, after: before };
    const events = decision.events.map(withoutSecrets);
    if (events.length > 0 && !(await record(session, events, store, diagnostics))) {
      return { exit: 1, after: viewOf(session.state) };
    }
    return { exit: 0, before, after: viewOf(session.state), decision };
  } finally {
    await session.close();
  }
}

/** What a person writes stays in the history forever, so secrets are masked. */
function withoutSecrets(event: StateEvent): StateEvent {
  return "evidence" in event && event.evidence !== null
    ? { ...event, evidence: secrets.mask(event.evidence) }
    : event;
}

/** The state at this moment. The session's own state continues to change. */
function viewOf({ origin, serial, head, keys, followUps }: StateView): StateView {
  return { origin, serial, head, keys, followUps };
}

/** Refuses an empty text. */
export function words<T extends string | undefined>(given: T, flag: "by" | "evidence"): T {
  if (given === undefined || /\S/.test(given)) return given;
  throw new UsageError(`--${flag} is empty.`);
}
