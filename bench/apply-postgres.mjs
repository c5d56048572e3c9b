// @ts-check
import { fileURLToPath } from "node:url";
import { startPostgres } from "../scripts/postgres.mjs";
import { command, count, run } from "./measure.mjs";
import { startService } from "./service.mjs";

const bare = fileURLToPath(new URL("bare-insert.mjs", import.meta.url));

/**
 * Creates at a service that takes no time, with the state in a database.
 * @param {string} folder
 */
export async function inDatabase(folder) {
  const postgres = await startPostgres({ settings: { fsync: "on", full_page_writes: "on" } });
  const state = `{ backend: postgres, url: "${postgres.url()}" }`;
  const service = await startService(0, folder, 16, state);
  try {
    run({ name: "plan", args: [command, "plan", "--out", "plan.json", "--quiet"], cwd: folder });
    run({ name: "apply", args: [command, "apply", "plan.json", "--quiet"], cwd: folder });
    const { count: creates, ms } = await service.seen();
    const { stdout } = run({ name: "INSERT", args: [bare, postgres.url(), "500"] });
    const inserts = (Number(stdout) / 500) * 2;
    return [count(creates), ms.toFixed(0), (ms / creates).toFixed(2), inserts.toFixed(2)];
  } finally {
    service.end();
    postgres.close();
  }
}
