import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import { startPostgres } from "../../scripts/postgres.mjs";
import { startRadosgw } from "../../scripts/radosgw.mjs";
import { InBucket } from "./in-bucket.ts";
import { InDatabase } from "./in-database.ts";
import type { Searched } from "./search.ts";

/*
 * The fault search. It applies random menus with random faults of the service, kill -9 at
 * random times and at every write, signals, full disks, two applies at once, and a wrong
 * clock. It does the same with a database, an object store and a git branch, and also cuts the
 * connection and kills the server. In most rounds the service can list, update and delete menus and
 * bind phone numbers. Somebody also uses the console then, and lists lag behind or are cut off. The
 * invariant (see Stage): nothing with an unknown outcome is sent again, the state knows every menu of
 * the service, nothing is overwritten that the plan did not show, and nothing links to a menu that
 * ivrctl has deleted.
 *
 * A seed decides everything except the speed of processes, so it may take a few runs to see
 * a finding again. `npm run test:search` sets these variables.
 */

/** How long the search of each store lasts. */
export const seconds = Number(process.env["IVRCTL_FAULT_SECONDS"] ?? 4);
/** How long a search lasts that tests only a part of a store. */
export const fewerSeconds = seconds / 2;
/** A fixed seed unless `npm run test:search` chooses one, so that tests fail only for a change. */
export const seed = Number(process.env["IVRCTL_FAULT_SEED"] ?? 1);
const round = process.env["IVRCTL_FAULT_ROUND"];
/** The only round to play. */
export const only = round === undefined ? undefined : Number(round);
export const patience = (2 * seconds + 900) * 1000;
/** A long search also tries slow cases. */
export const thorough = seconds > 60;

/** A database that loses transactions that were not synced when it is killed. */
export const startDatabase = async () => {
  const server = await startPostgres({
    settings: { synchronous_commit: "off", wal_writer_delay: "10s" },
  });
  return { store: async () => new InDatabase(server), close: () => server.close() };
};

export const startBucket = async () => {
  const server = await startRadosgw();
  InBucket.prepare(server);
  return { store: () => InBucket.at(server), close: () => server.close() };
};

/** Prints the counts of a search, and returns its findings, each with the command that repeats it. */
export function findings(store: string, title: string, { tally, found }: Searched): string {
  console.log(`${title}, seed ${seed}: ${tally.toString()}`);
  if (found.length === 0 && only === undefined && !tally.isEnough)
    return `The search has reached too little: ${tally.rounds} rounds, ${tally.kills} kills.`;
  const texts = found.map(({ what, round, steps, folder }) => {
    const again = /^\d+$/.test(round) ? ` --round ${round}` : "";
    return [
      `FOUND in round ${round}: ${what}`,
      `What happened before:\n${steps.map((step) => `  ${step}`).join("\n")}`,
      `The project is kept in ${keep(folder)}. To repeat it:`,
      `npm run test:search -- --store ${store} --seed ${seed}${again}`,
    ].join("\n");
  });
  return texts.join("\n\n");
}

/** Copies a folder, because the temporary folders of a test are removed when it ends. */
function keep(folder: string): string {
  const kept = join(import.meta.dirname, "../../test-results/findings", basename(folder));
  cpSync(folder, kept, { recursive: true });
  return kept;
}
