// @ts-check
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inDatabase } from "./apply-postgres.mjs";
import { inBucket } from "./apply-s3.mjs";
import { generate } from "./generate.mjs";
import { command, count, ratio, run, show, spread, table } from "./measure.mjs";
import { startService } from "./service.mjs";

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** How often each pair is run: few at a time take long, and vary little. */
const rounds = new Map([
  [1, 1],
  [4, 1],
  [16, 3],
]);

/**
 * Creates against a service that takes its time, and against one that takes none.
 * @param {boolean} smoke
 */
export async function benchApply(smoke) {
  const project = generate({ menus: smoke ? 20 : 1_000, agents: 1_000 });
  const large = generate({ menus: smoke ? 40 : 5_000, agents: 1_000 });
  try {
    const slowly = [];
    for (const [concurrency, times] of smoke ? new Map([[16, 1]]) : rounds) {
      slowly.push(await slow(project.folder, times, concurrency));
    }
    const journal = await atOnce(large.folder);
    const database = await inDatabase(large.folder);
    const store = await inBucket(large.folder);
    return `${count(smoke ? 20 : 1_000)} creates, measured at the service: from the first one's arrival to the last one's answer; median (quartiles) of 3 rounds in turn with concurrency 16, and one round with 1 and with 4. The service answers after 20 ms. The bare workers are undici's, as many as \`concurrency\`, with the same payloads and nothing on disk.

${table(["concurrency", "bare workers, ms", "`apply`, ms", "times", "at most"], slowly)}

What recording costs: a service that answers at once, concurrency 16, one round. The bare workers take what the requests themselves take on this machine. Two lines are written for each create, next to two lines of that length appended to a file on the same disk, each synced before the next.

${table(["state", "creates", "bare workers, ms per create", "`apply`, ms", "ms per create", "two bare writes, ms"], [journal, ["PostgreSQL on this machine", database[0] ?? "", "", ...database.slice(1)], ["an object store on this machine", store[0] ?? "", "", ...store.slice(1)]])}

In PostgreSQL, which syncs, the bare writes are \`INSERT\`s of rows of that length into a table with such a key, each a transaction and after the other. The object store is Ceph's radosgw, which keeps everything in memory; the bare writes are \`PUT\`s of objects of that length, one after the other.
`;
  } finally {
    project.remove();
    large.remove();
  }
}

/**
 * @param {string} folder
 * @param {number} rounds
 * @param {number} concurrency
 */
async function slow(folder, rounds, concurrency) {
  const service = await serve(20, folder, concurrency);
  try {
    const { bare, apply } = await inTurn(service, folder, concurrency, rounds);
    return [
      String(concurrency),
      show(spread(bare.times)),
      show(spread(apply.times)),
      show(ratio(apply, bare), 2),
      concurrency === 16 ? "1.15" : "",
    ];
  } finally {
    service.end();
  }
}

/**
 * @param {string} folder
 */
async function atOnce(folder) {
  const service = await serve(0, folder, 16);
  try {
    const { bare, apply, creates } = await inTurn(service, folder, 16, 1);
    const lines = join(folder, "lines");
    const { stdout } = run({ name: "fdatasync", args: [here("bare-fsync.mjs"), lines, "500"] });
    rmSync(lines);
    const each = (/** @type {{ times: number[] }} */ { times }) =>
      spread(times.map((ms) => ms / creates));
    return [
      "files",
      count(creates),
      show(each(bare), 2),
      show(spread(apply.times)),
      show(each(apply), 2),
      ((Number(stdout) / 500) * 2).toFixed(2),
    ];
  } finally {
    service.end();
  }
}

/**
 * Bare workers and apply, as often as there are rounds; where there are several, one more is not counted.
 * @param {Awaited<ReturnType<typeof serve>>} service
 * @param {string} folder
 * @param {number} concurrency
 * @param {number} rounds
 */
async function inTurn(service, folder, concurrency, rounds) {
  const plan = join(folder, "plan.json");
  const contestants = {
    bare: {
      name: "bare workers",
      args: [here("bare-workers.mjs"), service.url, String(concurrency), plan],
    },
    apply: {
      name: "apply",
      args: [command, "apply", "plan.json", "--quiet"],
      cwd: folder,
      prepare: service.forget,
    },
  };
  /** @type {Record<"bare" | "apply", { times: number[] }>} */
  const measured = { bare: { times: [] }, apply: { times: [] } };
  let creates = 0;
  for (let round = rounds > 1 ? 0 : 1; round <= rounds; round += 1) {
    for (const whose of /** @type {const} */ (["bare", "apply"])) {
      run(contestants[whose]);
      const seen = await service.seen();
      creates = seen.count;
      if (round > 0) measured[whose].times.push(seen.ms);
    }
  }
  return { ...measured, creates };
}

/**
 * A service, and the project's plan for it.
 * @param {number} delay
 * @param {string} folder
 * @param {number} concurrency
 */
async function serve(delay, folder, concurrency) {
  const service = await startService(delay, folder, concurrency);
  const forget = () => rmSync(join(folder, ".ivrctl"), { recursive: true, force: true });
  forget();
  run({ name: "plan", args: [command, "plan", "--out", "plan.json", "--quiet"], cwd: folder });
  return { ...service, forget };
}
