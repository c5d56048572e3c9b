import { reporting, underLock } from "../deploy/state/access.ts";
import { beingFilled } from "../deploy/state/marks.ts";
import { discardQuestion, discardedResult } from "../views/state-transfer.ts";
import type { Result } from "../cli/result.ts";
import { type Context, command } from "../cli/command.ts";
import { approveFlags, lockFlags, targetFlags } from "../cli/flags.ts";
import { ask, lockRequest, requireTerminal, runOnState } from "../cli/state-command.ts";
import { targetIn } from "../cli/target.ts";

const flags = { ...targetFlags, ...approveFlags, ...lockFlags } as const;

export const discard = command({
  about:
    "Delete the incomplete copy that an interrupted push or migrate left behind.\n\nThe state is then as it was before.",
  flags,
  formats: ["text"],
  examples: [
    ["ivrctl state discard", "an incomplete copy in the store of ivrctl.yaml"],
    [
      "ivrctl state discard --to '${STATE_URL}'",
      "an incomplete copy in the store that migrate copied to",
    ],
  ],
  run: discardCopy,
});

async function discardCopy(context: Context<typeof flags>): Promise<Result> {
  const target = targetIn(context.flags);
  requireTerminal(context);
  return runOnState(context, {
    target,
    async act(opened, diagnostics) {
      const { environment, store } = opened;
      const request = lockRequest(context, environment, "state discard", {
        accepts: ["moved", "filling"],
        target: target?.flags,
      });
      return underLock(context.root, opened, request, diagnostics, async ({ session }) => {
        const { filling, state } = session;
        const ended = await reporting(store, diagnostics, async () => {
          if (filling === null) return { discarded: null };
          if (filling.head !== null) throw beingFilled(environment, store.place, filling);
          const about = { environment, place: store.place, filling, serial: state.serial };
          const refusal = await ask(context, {
            text: discardQuestion(about),
            otherwise: "Nothing was discarded.",
          });
          if (refusal !== undefined) return refusal;
          await session.discard();
          return { discarded: filling };
        });
        return ended ?? "failed";
      });
    },
    show: (where, ended) => discardedResult({ ...where, discarded: ended?.discarded }),
  });
}
