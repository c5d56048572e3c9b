import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { FileStore } from "../../../../src/deploy/state/file/store.ts";
import type { StateView } from "../../../../src/deploy/state/state.ts";
import type { Note } from "../../../../src/deploy/state/store.ts";
import { folder as temporaryFolder } from "../../../support/cli.ts";
import { sessionOf } from "../conformance.ts";
import { begun, created, intent, unknown } from "../events.ts";
import { testHost } from "../../../support/host.ts";

export const shown = ".ivrctl/state/production";

/** A state folder that does not exist yet. */
export function fresh(project = temporaryFolder({})) {
  const folder = join(project, ".ivrctl/state");
  return {
    project,
    folder,
    store: new FileStore(folder, "production", testHost()),
    journal: join(folder, "production.journal.jsonl"),
    checkpoint: join(folder, "production.json"),
    lock: join(folder, "production.lock"),
    /** All files in the folder, with their contents. */
    files: () =>
      readdirSync(folder)
        .sort()
        .map((name) => [name, readFileSync(join(folder, name), "latin1")]),
  };
}

/** A state with five events: `a` is current, `b` is unknown. */
export async function filled(lineage = "L1") {
  const place = fresh();
  const session = await sessionOf(place.store);
  await session.append(begun("production", lineage), intent("a"), created("a"));
  await session.append(intent("b"), unknown("b"));
  await session.close();
  return { ...place, state: seen(session.state) };
}

/** The texts of notes. */
export const words = (notes: readonly Note[]) =>
  notes.map((note) => (typeof note === "string" ? note : note.message));

/** Everything that a reader sees of a state. */
export const seen = ({ origin, serial, head, keys, followUps, binds }: StateView) => ({
  origin,
  serial,
  head,
  keys: [...keys],
  followUps: [...followUps],
  binds: [...binds],
});
