import type { Lock } from "../deploy/state/store.ts";
import { suggest } from "../deploy/suggest.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { showUnlocked } from "../views/unlock.ts";
import { type ExitCode, command } from "./command.ts";
import { describeLock } from "../deploy/state/describe-lock.ts";
import { whereSound } from "./state-access.ts";
import { type Kept, keptState } from "./stores.ts";

export default command({
  takes: "ID",
  arguments: { ID: "The id of the lock, as `ivrctl state list` shows it" },
  minArguments: 1,
  maxArguments: 1,
  about:
    "Releases the lock of a run that has died. It releases only the lock: outcomes that the run left unknown stay unknown until `ivrctl state resolve`.",
  flags: {},
  formats: ["text", "json"],
  examples: [["ivrctl unlock 3f9a0c1e", "the id that the refused command printed"]],
  async run(context): Promise<ExitCode> {
    const [id = ""] = context.args;
    const diagnostics = new Diagnostics();
    const kept = await keptState(context, diagnostics);
    const released = kept.store && (await release(kept, id, diagnostics));
    const shown = { environment: kept.environment, released: released ?? null };
    await showUnlocked(shown, diagnostics.sorted(), context);
    return diagnostics.hasErrors ? 1 : 0;
  },
});

async function release(
  { environment, store }: Kept,
  id: string,
  diagnostics: Diagnostics,
): Promise<Lock | null | undefined> {
  return whereSound(store, diagnostics, async () => {
    const held = await store.holder();
    if (held === null || (held.id === id && (await store.unlock(id)))) return held;
    // It may have changed hands between the look and the deed.
    const now = await store.holder();
    if (now !== null) {
      diagnostics.addFile(
        "IVR601",
        store.place,
        `The lock of ${environment} is not ${id}: it is held by ${describeLock(now)}.`,
        `If that run is dead: ${suggest("unlock", [now.id], environment)}`,
      );
    }
    return null;
  });
}
