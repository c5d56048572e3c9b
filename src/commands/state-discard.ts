import { beingFilled } from "../deploy/state/marks.ts";
import type { Filling, Session } from "../deploy/state/store.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { confirm } from "../views/ask.ts";
import {
  discardQuestion,
  sayInterruptedDiscarding,
  sayNothingDiscarded,
  showDiscarded,
} from "../views/state-transfer.ts";
import { type Context, type ExitCode, UsageError, command } from "../cli/command.ts";
import { Interruption } from "../util/interruption.ts";
import { lockFlags, lockState, whereSound } from "../deploy/state/access.ts";
import type { Kept } from "../deploy/state/open-store.ts";
import { targetFlags } from "../cli/flags.ts";
import { type Target, keptAt, targetIn } from "../deploy/state/target.ts";

const flags = {
  ...targetFlags,
  "auto-approve": { type: "boolean", about: "Do not ask" },
  ...lockFlags,
} as const;

export const discard = command({
  takes: "[--to STORE]",
  maxArguments: 0,
  about:
    "Deletes what an interrupted push or migrate has copied so far. The state is then what it was before.",
  flags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl state discard", "an unfinished copy in the store that ivrctl.yaml names"],
    ["ivrctl state discard --to '${STATE_URL}'", "in the store that a migration copied to"],
  ],
  run: discardCopy,
});

async function discardCopy(context: Context<typeof flags>): Promise<ExitCode> {
  const target = targetIn(context.flags);
  if (!context.flags["auto-approve"] && !context.terminal.interactive) {
    throw new UsageError("There is no terminal to ask at: give --auto-approve.");
  }
  const diagnostics = new Diagnostics();
  const kept = await keptAt(context, target, diagnostics);
  const ended = kept.store === undefined ? 1 : await discardAt(context, kept, target, diagnostics);
  const { environment } = kept;
  const place = kept.store?.place ?? null;
  const discarded = typeof ended === "number" ? undefined : ended.discarded;
  await showDiscarded({ environment, place, discarded }, diagnostics.sorted(), context);
  return typeof ended === "number" ? ended : 0;
}

async function discardAt(
  context: Context<typeof flags>,
  { environment, store }: Kept,
  target: Target | undefined,
  diagnostics: Diagnostics,
): Promise<{ readonly discarded: Filling | null } | ExitCode> {
  const about = { command: "state discard", accepts: ["moved", "filling"], target } as const;
  const access = await lockState(context, { environment, store }, about, diagnostics);
  if (access.kind === "refused") return access.exit;
  const { session } = access;
  try {
    const { filling } = session;
    const ended = await whereSound(store, diagnostics, async () => {
      if (filling === null) return { discarded: null };
      if (filling.head !== null) throw beingFilled(environment, store.place, filling);
      const exit = await ask(context, { environment, place: store.place, filling, session });
      if (exit !== undefined) return exit;
      await session.discard();
      return { discarded: filling };
    });
    return ended ?? 1;
  } finally {
    await session.close();
  }
}

/** Undefined for a yes. */
async function ask(
  { terminal, flags: given }: Context<typeof flags>,
  about: {
    readonly environment: string;
    readonly place: string;
    readonly filling: Filling;
    readonly session: Session;
  },
): Promise<ExitCode | undefined> {
  if (given["auto-approve"]) return undefined;
  // A signal at the question must not leave the lock behind.
  const interruption = new Interruption(() => sayInterruptedDiscarding(terminal));
  try {
    const { serial } = about.session.state;
    const question = discardQuestion({ ...about, serial });
    if (await confirm(question, terminal, interruption.halt)) return undefined;
    if (interruption.halt.aborted) return 130;
    sayNothingDiscarded(terminal);
    return 1;
  } finally {
    interruption.end();
  }
}
