import type { Lock } from "../deploy/state/store.ts";
import { suggest } from "../deploy/suggest.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { showUnlocked } from "../views/unlock.ts";
import { type ExitCode, UsageError, command } from "./command.ts";
import { describeLock } from "../deploy/state/describe-lock.ts";
import { whereSound } from "./state-access.ts";
import { type Target, keptAt, targetIn } from "./state/target.ts";
import type { Kept } from "./stores.ts";

export default command({
  takes: "ID",
  maxArguments: 1,
  about:
    "Releases the lock of a run that is dead. It frees the lock alone: what that run left unknown stays unknown until `ivrctl state resolve`.",
  flags: {
    to: {
      type: "string",
      value: "STORE",
      about:
        "a lock at another place than ivrctl.yaml names: file, the database's address as '${NAME}', or s3://BUCKET/PREFIX",
    },
    schema: { type: "string", value: "NAME", about: "the schema of the tables, for a database" },
  },
  formats: ["text", "json"],
  examples: [
    ["ivrctl unlock 3f9a0c1e", "the id that the refused command named"],
    ["ivrctl unlock 3f9a0c1e --to '${STATE_URL}'", "at the store that a dead migration copied to"],
  ],
  async run(context): Promise<ExitCode> {
    const [id] = context.args;
    if (id === undefined) {
      throw new UsageError(
        "unlock needs the lock's id, which `ivrctl state list` shows: unlock ID",
      );
    }
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
    const released = await store.unlock(id);
    if (released !== null) return released;
    const now = await store.holder();
    if (now !== null) {
      diagnostics.addAt(
        "IVR601",
        { file: store.lockFile ?? store.place },
        `The lock of ${environment} is not ${id}: it is held by ${describeLock(now)}.`,
        `If that run is dead: ${suggest("unlock", [now.id], environment, target?.flags)}`,
      );
    }
    return null;
  });
}
