import { type LockRequest, reporting, underLock } from "../deploy/state/access.ts";
import { moveState } from "../deploy/state/log/move.ts";
import { migratedResult, stopping } from "../views/state-transfer.ts";
import type { Result } from "../cli/result.ts";
import { type Context, command } from "../cli/command.ts";
import { lockFlags, targetFlags } from "../cli/flags.ts";
import { lockRequest, runOnState } from "../cli/state-command.ts";
import { openTarget, targetOf } from "../cli/target.ts";
import { Interruption } from "../util/interruption.ts";
import { UsageError } from "../util/usage-error.ts";
import { shellWord } from "../util/shell-word.ts";

const flags = {
  ...targetFlags,
  to: {
    ...targetFlags.to,
    required: true,
    about: "Move to this store: file, a database address as '${NAME}', or s3://BUCKET/PREFIX",
  },
  ...lockFlags,
} as const;

export const migrate = command({
  about:
    "Move the state to another store, with its whole history.\n\nmigrate marks the old store as moved, so that no run uses it any more.",
  flags,
  formats: ["text"],
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

async function migrateState(context: Context<typeof flags>): Promise<Result> {
  const { root, host } = context;
  const named = targetOf(context.flags.to, context.flags.schema);
  const interruption = new Interruption(context.host, () => context.terminal.say(stopping));
  const { halt: signal, stop } = interruption;
  return runOnState(context, {
    async act(from, diagnostics) {
      const { environment } = from;
      const { store, settings } = await openTarget(context, environment, named);
      if (store.place === from.store.place) {
        throw new UsageError(
          `The state of ${environment} is already at ${store.place}, because ivrctl.yaml names that store. To move a state, name its old store there first.`,
        );
      }
      // Both locks have the same id, so that a person who finds one can release the other.
      const command = ["state migrate", ...named.flags.map(shellWord)].join(" ");
      const leaving = lockRequest(context, environment, command, {
        signal,
        stop,
        accepts: ["moved"],
      });
      const coming: LockRequest = { ...leaving, target: named.flags };
      return underLock(root, from, leaving, diagnostics, (source) =>
        underLock(root, { environment, store, host }, coming, diagnostics, async (target) => {
          await reporting(store, diagnostics, () => moveState(environment, source, target));
          if (diagnostics.hasErrors) return "failed";
          const { serial } = target.session.state;
          return { from: from.store.place, to: store.place, serial, settings };
        }),
      );
    },
    show: ({ environment }, moved) => migratedResult(environment, moved),
  }).finally(() => interruption.end());
}
