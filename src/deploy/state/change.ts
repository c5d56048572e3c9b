import type { StateEvent } from "../../schema/state.ts";
import type { StateView } from "./state.ts";
import { type Diagnostic, Diagnostics } from "../../diagnostics/diagnostic.ts";
import { secrets } from "../../util/secrets.ts";
import { showChanged } from "../../views/state-changed.ts";
import type { Context, ExitCode } from "../../cli/command.ts";
import { UsageError } from "../../util/usage-error.ts";
import { type LockWishes, lockState, record } from "./access.ts";
import { type Kept, keptState } from "./open-store.ts";

interface ChangeContext extends Omit<Context, "flags"> {
  readonly flags: LockWishes & { readonly by?: string | undefined };
}

/** What a command wants recorded: all of it or, where something is wrong, nothing. */
interface Decision {
  readonly events: readonly StateEvent[];
  /** The keys or ids that it is about. */
  readonly changed: readonly string[];
}

/** Under the lock: what to record, or with which code to end. */
export type Decide = (moment: {
  readonly state: StateView;
  readonly environment: string;
  /** Faults of keys and ids are shown at this file. */
  readonly place: string;
  readonly diagnostics: Diagnostics;
}) => Promise<Decision | ExitCode> | Decision | ExitCode;

/** Locks the state, decides, records and shows; `earlier` is what was found out before that. */
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

/** The configuration may have been read twice. */
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

/** What a person wrote stays in the history for ever. */
function withoutSecrets(event: StateEvent): StateEvent {
  return "evidence" in event && event.evidence !== null
    ? { ...event, evidence: secrets.mask(event.evidence) }
    : event;
}

/** As it is now; the session's own goes on. */
function viewOf({ origin, serial, head, keys, followUps }: StateView): StateView {
  return { origin, serial, head, keys, followUps };
}

/** What a person wrote, or nothing; not nothing in quotes. */
export function words<T extends string | undefined>(given: T, flag: "by" | "evidence"): T {
  if (given === undefined || /\S/.test(given)) return given;
  throw new UsageError(`--${flag} is empty.`);
}
