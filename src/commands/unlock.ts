import { reporting } from "../deploy/state/access.ts";
import { describeLock } from "../deploy/state/store.ts";
import { suggest } from "../util/suggest.ts";
import { showUnlocked } from "../views/unlock.ts";
import { type ExitCode, command } from "../cli/command.ts";
import { targetFlags } from "../cli/flags.ts";
import { runOnState } from "../cli/state-command.ts";
import { targetIn } from "../cli/target.ts";

export default command({
  takes: "ID",
  arguments: { ID: "Id of the lock, as `ivrctl state list` shows it" },
  minArguments: 1,
  maxArguments: 1,
  about:
    "Release a lock that an ended run left behind.\n\nMake sure that the run has ended. Outcomes that it left unknown stay unknown until you run `ivrctl state resolve`.",
  flags: targetFlags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl unlock 3f9a0c1e", "use the id that the refused command printed"],
    [
      "ivrctl unlock 3f9a0c1e --to '${STATE_URL}'",
      "in the store that an interrupted migration copied to",
    ],
  ],
  async run(context): Promise<ExitCode> {
    const [id = ""] = context.args;
    const target = targetIn(context.flags);
    return runOnState(context, {
      target,
      async act({ environment, store }, diagnostics) {
        // `store.holder` would hide a lock whose process has ended on this machine.
        const found = await reporting(store, diagnostics, () => store.unlock(id));
        if (!found || found.id === id) return { released: found ?? null };
        diagnostics.addAt(
          "IVR601",
          { file: store.lockFile ?? store.place },
          `The lock of ${environment} has another id, not ${id}. It belongs to ${describeLock(found)}.`,
          `Make sure that the run has ended, then run: ${suggest("unlock", [found.id], environment, target?.flags)}`,
        );
        return "failed";
      },
      show: ({ environment }, unlocked, diagnostics) => {
        const { released = null } = unlocked ?? {};
        return showUnlocked(
          { environment, id, released, target: target?.flags },
          diagnostics,
          context,
        );
      },
    });
  },
});
