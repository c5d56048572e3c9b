import { StateProblem } from "../deploy/state/store.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Accepted, showAccepted } from "../views/state-transfer.ts";
import { type Context, type ExitCode, command } from "../cli/command.ts";
import { lockFlags, lockState, readState, whereSound } from "../deploy/state/access.ts";
import { type Kept, keptState } from "../deploy/state/open-store.ts";

export const accept = command({
  maxArguments: 0,
  about:
    "Confirms that the journal is the newest one, although its state file is lost, and writes a new state file beside it.",
  flags: lockFlags,
  formats: ["text", "json"],
  examples: [["ivrctl state accept", "after a look at the backups"]],
  run: acceptJournal,
});

async function acceptJournal(context: Context<typeof lockFlags>): Promise<ExitCode> {
  const diagnostics = new Diagnostics();
  const kept = await keptState(context, diagnostics);
  const done = kept.store === undefined ? 1 : await acceptIn(context, kept, diagnostics);
  const accepted = typeof done === "number" ? undefined : done;
  const shown = { environment: kept.environment, accepted };
  await showAccepted(shown, diagnostics.sorted(), context);
  return typeof done === "number" ? done : 0;
}

async function acceptIn(
  context: Context<typeof lockFlags>,
  kept: Kept,
  diagnostics: Diagnostics,
): Promise<Accepted | ExitCode> {
  const { store } = kept;
  const before = await whereSound(store, diagnostics, () => store.read());
  if (before === undefined) return 1;
  const about = { command: "state accept", accepts: ["unwitnessed"] } as const;
  // The doubt is what this command is about, so it is not reported again.
  const found = new Diagnostics();
  const access = await lockState(context, kept, about, found);
  diagnostics.addAll(found, ({ code }) => code !== "IVR629");
  if (access.kind === "refused") return access.exit;
  await access.session.close();
  const after = new Diagnostics();
  const state = await readState(store, after);
  if (state === undefined || after.sorted().some(({ code }) => code === "IVR629")) {
    diagnostics.addAt(
      "IVR604",
      { file: store.place },
      `${store.place} could not be written, so nothing is accepted.`,
      "Check that the disk has room and that the folder can be written, then run the command again.",
    );
    return 1;
  }
  const { serial, head } = state;
  const isNew = before.notes.some((note) => note instanceof StateProblem && note.code === "IVR629");
  return { place: store.place, serial, head, isNew };
}
