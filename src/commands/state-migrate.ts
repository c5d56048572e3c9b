import { movedAway } from "../deploy/state/marks.ts";
import { type Session, StateProblem, type StateStore } from "../deploy/state/store.ts";
import { fill } from "../deploy/state/transfer.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Migrated, sayStopping, showMigrated } from "../views/state-transfer.ts";
import { type Context, type ExitCode, UsageError, command } from "../cli/command.ts";
import { Interruption } from "../util/interruption.ts";
import { lockFlags, lockId, lockState, whereSound } from "../deploy/state/access.ts";
import { type Kept, keptState } from "../deploy/state/open-store.ts";
import { targetFlags } from "../cli/flags.ts";
import { type Target, openTarget, targetOf } from "../deploy/state/target.ts";

const flags = {
  ...targetFlags,
  to: { ...targetFlags.to, required: true },
  ...lockFlags,
} as const;

export const migrate = command({
  takes: "--to STORE",
  maxArguments: 0,
  about:
    "Moves the state to another store, with its whole history. The old store is marked as left, so that nobody goes on using it.",
  flags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl state migrate --to '${STATE_URL}'", "to a database"],
    [
      "ivrctl state migrate --to s3://BUCKET/PREFIX",
      "to an object store; credentials come from the environment",
    ],
    ["ivrctl state migrate --to file", "back to files"],
  ],
  run: migrateState,
});

async function migrateState(context: Context<typeof flags>): Promise<ExitCode> {
  const target = targetOf(context.flags.to, context.flags.schema);
  const diagnostics = new Diagnostics();
  const kept = await keptState(context, diagnostics);
  const interruption = new Interruption(() => sayStopping(context.terminal));
  const moved =
    kept.store === undefined
      ? 1
      : await move(context, kept, target, interruption, diagnostics).finally(() =>
          interruption.end(),
        );
  const shown = { environment: kept.environment, ...(typeof moved === "number" ? {} : { moved }) };
  await showMigrated(shown, diagnostics.sorted(), context);
  return typeof moved === "number" ? moved : 0;
}

async function move(
  context: Context<typeof flags>,
  from: Kept,
  named: Target,
  { halt: signal, stop }: Interruption,
  diagnostics: Diagnostics,
): Promise<Migrated | ExitCode> {
  const { environment } = from;
  const { store, settings } = await openTarget(context, environment, named);
  if (store.place === from.store.place) {
    // Unless it is incomplete there, which is reported instead.
    if ((await whereSound(store, diagnostics, () => store.read())) === undefined) return 1;
    throw new UsageError(`The state of ${environment} is at ${store.place} already.`);
  }
  const command = `state migrate ${named.flags}`;
  // Both locks have the same id, so that a person who finds one of them knows the other.
  const flags = { ...context.flags, "lock-id": lockId(context.flags["lock-id"]) };
  const locking = { ...context, flags };
  const leaving = { command, signal, stop, accepts: ["moved"] } as const;
  const source = await lockState(locking, from, leaving, diagnostics);
  if (source.kind === "refused") return source.exit;
  try {
    const coming = { ...leaving, accepts: ["moved", "filling"], target: named } as const;
    const target = await lockState(locking, { environment, store }, coming, diagnostics);
    if (target.kind === "refused") return target.exit;
    try {
      const filling = {
        command: `ivrctl ${command} --env ${environment}`,
        source: from.store.place,
        by: target.run.by,
        since: target.run.since,
      };
      const both = {
        from: from.store,
        to: store,
        source: source.session,
        target: target.session,
        halt: signal,
      };
      await whereSound(store, diagnostics, () => carryOver(environment, filling, both));
      if (diagnostics.hasErrors) return signal.aborted ? 130 : 1;
    } finally {
      await target.session.close();
    }
    const { serial, head } = target.session.state;
    return { from: from.store.place, to: store.place, serial, head, settings };
  } finally {
    await source.session.close();
  }
}

/** The source is marked as moved before the target is open, so that there are never two live states. */
async function carryOver(
  environment: string,
  filling: Parameters<Session["fill"]>[0],
  {
    from,
    to,
    source,
    target,
    halt,
  }: {
    readonly from: StateStore;
    readonly to: StateStore;
    readonly source: Session;
    readonly target: Session;
    readonly halt: AbortSignal;
  },
): Promise<void> {
  const isInterrupted = source.movedTo === to.place && target.filling?.source === from.place;
  if (source.movedTo !== null && !isInterrupted) {
    throw movedAway(environment, from.place, source.movedTo);
  }
  const history = await from.history();
  if (history.length === 0) {
    throw new StateProblem(
      "IVR631",
      `There is no state of ${environment} at ${from.place}, so there is nothing to move.`,
      "Name the other store in ivrctl.yaml: the first apply begins the state there.",
    );
  }
  await fill({ environment, store: to, session: target, history, filling, halt }, async () => {
    if (source.movedTo === null) await source.relocate(to.place);
  });
}
