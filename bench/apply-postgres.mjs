// @ts-check
import { fileURLToPath } from "node:url";
import { startPostgres } from "../scripts/postgres.mjs";
import { command, count, run, show, spread } from "./measure.mjs";
import { startService } from "./service.mjs";

const bare = fileURLToPath(new URL("bare-insert.mjs", import.meta.url));

/**
 * Creates at a service that takes no time, with the state in a database.
 * @param {string} folder
 * @param {number} rounds
 */
export async function inDatabase(folder, rounds) {
  const postgres = await startPostgres({ settings: { fsync: "on", full_page_writes: "on" } });
  const state = `{ backend: postgres, url: "${postgres.url()}" }`;
  const service = await startService(0, folder, 16, state);
  const forget = () => void postgres.sql("DROP SCHEMA IF EXISTS ivrctl CASCADE");
  const times = [];
  const inserts = [];
  let creates = 0;
  try {
    run({ name: "plan", args: [command, "plan", "--out", "plan.json", "--quiet"], cwd: folder });
    for (let round = 0; round <= rounds; round += 1) {
      const args = [command, "apply", "plan.json", "--quiet"];
      run({ name: "apply", args, cwd: folder, prepare: forget });
      const seen = await service.seen();
      const { stdout } = run({ name: "INSERT", args: [bare, postgres.url(), "200"] });
      creates = seen.count;
      if (round === 0) continue;
      times.push(seen.ms);
      inserts.push((Number(stdout) / 200) * 2);
    }
  } finally {
    service.end();
    postgres.close();
  }
  const each = times.map((ms) => ms / creates);
  return [count(creates), show(spread(times)), show(spread(each), 2), show(spread(inserts), 2)];
}
