import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import { startPostgres } from "../../scripts/postgres.mjs";
import { startRadosgw } from "../../scripts/radosgw.mjs";
import { InBucket } from "./in-bucket.ts";
import { InDatabase } from "./in-database.ts";
import type { Searched } from "./search.ts";

/*
 * The fault search: random menus, random faults of the service, kill -9 at random
 * moments and at every write, signals, full disks, two applies at once, a clock
 * that moved; over a database and an object store too, with the connection cut at any
 * message and the server killed. One invariant (see Stage): nothing whose fate is open is
 * sent again, and every record of the service is known to the state.
 *
 * A seed decides everything but how fast processes run, so a finding may take a few runs to
 * come again. `npm run test:search` sets these variables.
 */

/** How long each search lasts. */
export const seconds = Number(process.env["IVRCTL_FAULT_SECONDS"] ?? 60);
export const seed = Number(process.env["IVRCTL_FAULT_SEED"] ?? Math.floor(Math.random() * 1e9));
const round = process.env["IVRCTL_FAULT_ROUND"];
/** The only round to play. */
export const only = round === undefined ? undefined : Number(round);
export const patience = (2 * seconds + 900) * 1000;
/** A longer search than usual also tries what takes long. */
export const thorough = seconds > 60;

/** A database that loses what nobody insisted on when it is killed. */
export const startDatabase = async () => {
  const server = await startPostgres({
    settings: { synchronous_commit: "off", wal_writer_delay: "10s" },
  });
  return { home: async () => new InDatabase(server), close: () => server.close() };
};

export const startBucket = async () => {
  const server = await startRadosgw();
  InBucket.prepare(server);
  return { home: () => InBucket.at(server), close: () => server.close() };
};

/** Prints what a search survived, and returns its findings, each with the command that repeats it. */
export function findings(store: string, title: string, { tally, found }: Searched): string {
  console.log(`${title}, seed ${seed}: ${tally.toString()}`);
  const texts = found.map(({ what, round, steps, folder }) => {
    const again = /^\d+$/.test(round) ? ` --round ${round}` : "";
    return [
      `FOUND in round ${round}: ${what}`,
      `What led there:\n${steps.map((step) => `  ${step}`).join("\n")}`,
      `The project is kept in ${keep(folder)}. To repeat it:`,
      `npm run test:search -- --store ${store} --seed ${seed}${again}`,
    ].join("\n");
  });
  return texts.join("\n\n");
}

/** The temporary folders of a test are removed when it ends. */
function keep(folder: string): string {
  const kept = join(import.meta.dirname, "../../test-results/findings", basename(folder));
  cpSync(folder, kept, { recursive: true });
  return kept;
}
