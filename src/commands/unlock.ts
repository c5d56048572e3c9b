import { type Lock, describeLock } from "../deploy/state/store.ts";
import { suggest } from "../util/suggest.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { showUnlocked } from "../views/unlock.ts";
import { type ExitCode, command } from "../cli/command.ts";
import { whereSound } from "../deploy/state/access.ts";
import { targetFlags } from "../cli/flags.ts";
import { type Target, keptAt, targetIn } from "../deploy/state/target.ts";
import type { Kept } from "../deploy/state/open-store.ts";

export default command({
  takes: "ID",
  arguments: { ID: "The id of the lock, as `ivrctl state list` shows it" },
  minArguments: 1,
  maxArguments: 1,
  about:
    "Releases the lock of a run that has died. It releases only the lock: outcomes that the run left unknown stay unknown until `ivrctl state resolve`.",
  flags: targetFlags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl unlock 3f9a0c1e", "the id that the refused command printed"],
    ["ivrctl unlock 3f9a0c1e --to '${STATE_URL}'", "at the store that a dead migration copied to"],
  ],
  async run(context): Promise<ExitCode> {
    const [id = ""] = context.args;
    const target = targetIn(context.flags);
    const diagnostics = new Diagnostics();
    const kept = await keptAt(context, target, diagnostics);
    const released = kept.store && (await release(kept, id, target, diagnostics));
    const { environment } = kept;
    const shown = { environment, id, released: released ?? null, target: target?.flags };
    await showUnlocked(shown, diagnostics.sorted(), context);
    return diagnostics.hasErrors ? 1 : 0;
  },
});

/** Asks for the lock itself: whether its holder is dead differs from machine to machine. */
async function release(
  { environment, store }: Kept,
  id: string,
  target: Target | undefined,
  diagnostics: Diagnostics,
): Promise<Lock | null | undefined> {
  return whereSound(store, diagnostics, async () => {
    const found = await store.unlock(id);
    if (found === null || found.id === id) return found;
    diagnostics.addAt(
      "IVR601",
      { file: store.lockFile ?? store.place },
      `The lock of ${environment} is not ${id}: it is held by ${describeLock(found)}.`,
      `If that run is dead: ${suggest("unlock", [found.id], environment, target?.flags)}`,
    );
    return null;
  });
}
