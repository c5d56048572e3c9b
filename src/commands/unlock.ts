import { runsHere } from "../deploy/state/process-identity.ts";
import { type Lock, describeLock } from "../deploy/state/lock.ts";
import { type Hint, suggest } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";
import { visible } from "../views/terminal.ts";
import { command } from "../cli/command.ts";
import { textOnState } from "../operations/state-change.ts";

export default command({
  arguments: { "<ID>": "Id of the lock, as `ivrctl state list` shows it" },
  about:
    "Release a lock that an ended run left behind.\n\nMake sure that the run has ended. Outcomes that it left unknown stay unknown until you run `ivrctl state resolve`.",
  examples: [["ivrctl unlock 3f9a0c1e", "use the id that the refused command printed"]],
  async run(context) {
    const [id = ""] = context.args;
    return textOnState(context, async ({ environment, store, from }, diagnostics) => {
      // A migration has the same lock in both places.
      const here = await store.unlock(id);
      const there = here === null || here.id === id ? await from?.unlock(id) : null;
      const lock = here ?? there;
      if (!lock) {
        throw new UsageError(`The state of ${environment} has no lock with the id ${id}.`);
      }
      const place = { file: store.place };
      if (lock.id === id) {
        if (runsHere(lock, context.host.machine))
          diagnostics.addAt("IVR601", place, ...stillRunning(lock, environment), "warning");
        return { summary: `Released the lock of ${visible(describeLock(lock))}.\n` };
      }
      diagnostics.addAt(
        "IVR601",
        place,
        `The lock of ${environment} has a different id, not ${id}. It belongs to ${describeLock(lock)}.`,
        {
          words: "Make sure that the run has ended, then run:",
          argv: suggest("unlock", [lock.id], environment),
        },
      );
      return "failed";
    });
  },
});

/** The message and the help if the run that held the lock has not ended. */
function stillRunning({ command, pid }: Lock, environment: string): [message: string, help: Hint] {
  return [
    `The process ${pid} (${command}) that held this lock is still running on this machine. It cannot record anything more.`,
    {
      words: "Stop that process before you change the state. To look for unknown outcomes, run:",
      argv: suggest("state list", [], environment),
    },
  ];
}
