import { readState, reporting, underLock } from "../deploy/state/access.ts";
import { StateProblem } from "../deploy/state/store.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { acceptedResult } from "../views/state-transfer.ts";
import { command } from "../cli/command.ts";
import { lockFlags } from "../cli/flags.ts";
import { lockRequest, runOnState } from "../cli/state-command.ts";

export const accept = command({
  about:
    "Continue with the journal after its state file was lost.\n\nYou confirm that this journal is the newest one. ivrctl writes a new state file next to it.",
  flags: lockFlags,
  formats: ["text"],
  examples: [["ivrctl state accept", "after you have checked the backups"]],
  run: (context) =>
    runOnState(context, {
      async act(opened, diagnostics) {
        const { environment, store } = opened;
        const before = await reporting(store, diagnostics, () => store.read());
        if (before === undefined) return "failed";
        const request = lockRequest(context, environment, "state accept", {
          accepts: ["possibly-incomplete"],
        });
        // Taking the lock accepts the journal. IVR629 is what the user accepts, so do not report it.
        const found = new Diagnostics();
        const locked = await underLock(context.root, opened, request, found, async () => true);
        diagnostics.addAll(found, ({ code }) => code !== "IVR629");
        if (typeof locked === "string") return locked;
        const after = new Diagnostics();
        const state = await readState(store, after);
        const { place } = store;
        if (state === undefined || after.sorted().some(({ code }) => code === "IVR629")) {
          diagnostics.addAt(
            "IVR604",
            { file: place },
            `${place} could not be written, so nothing was accepted.`,
            "Check that the disk has free space and that this user can write to the folder. Then run the command again.",
          );
          return "failed";
        }
        const isNew = before.notes.some(
          (note) => note instanceof StateProblem && note.code === "IVR629",
        );
        return { place, serial: state.serial, isNew };
      },
      show: ({ environment }, accepted) => acceptedResult(environment, accepted),
    }),
});
