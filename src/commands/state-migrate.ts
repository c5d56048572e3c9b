import { reporting, underLock } from "../deploy/state/access.ts";
import { moveState } from "../deploy/state/transfer.ts";
import { migratedResult, stopping } from "../views/state-transfer.ts";
import type { Result } from "../cli/result.ts";
import { type Context, command } from "../cli/command.ts";
import { lockFlags } from "../cli/flags.ts";
import { lockRequest, runOnState } from "../cli/state-command.ts";
import { Interruption } from "../util/interruption.ts";
import { UsageError } from "../util/usage-error.ts";

export const migrate = command({
  about:
    "Move the state to a different store, with its whole history.\n\nivrctl.yaml names both places first: the new one under `state:`, the old one under `from:` in it. migrate marks the old place as moved, so that no run uses it again.",
  flags: lockFlags,
  formats: ["text"],
  examples: [["ivrctl state migrate --env production", "after you have changed ivrctl.yaml"]],
  run: migrateState,
});

async function migrateState(context: Context<typeof lockFlags>): Promise<Result> {
  const { root } = context;
  const interruption = new Interruption(context.host, () => context.terminal.say(stopping));
  const { halt: signal, stop } = interruption;
  return runOnState(context, {
    async act(opened, diagnostics) {
      const { environment, store, from } = opened;
      if (from === undefined) {
        throw new UsageError(
          `Write the new place of the state under \`state:\` of ${environment} in ivrctl.yaml, and the old one under \`from:\` in it, for example \`from: { backend: file }\`.`,
        );
      }
      if (store.place === from.place) {
        throw new UsageError(
          `Both \`state:\` and \`from:\` of ${environment} in ivrctl.yaml name ${store.place}.`,
        );
      }
      // Both locks have the same id, so that one command releases both.
      const request = lockRequest(context, environment, "state migrate", { signal, stop });
      const leaving = { ...request, accepts: ["moved"] as const };
      const coming = { ...request, accepts: ["moved", "missing"] as const };
      return underLock(root, { ...opened, store: from }, leaving, diagnostics, (source) =>
        underLock(root, opened, coming, diagnostics, async (target) => {
          await reporting(store, diagnostics, () => moveState(environment, source, target));
          if (diagnostics.hasErrors) return "failed";
          return { from: from.place, to: store.place, serial: target.session.state.serial };
        }),
      );
    },
    show: ({ environment }, moved) => migratedResult(environment, moved),
  }).finally(() => interruption.end());
}
