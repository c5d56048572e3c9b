// @ts-check
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generate } from "./generate.mjs";
import { command, ratio, run, show, spread, table } from "./measure.mjs";
import { inDatabase } from "./apply-postgres.mjs";
import { inBucket } from "./apply-s3.mjs";
import { startService } from "./service.mjs";

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Creates against a service that takes its time, and against one that takes none.
 * @param {boolean} smoke
 */
export async function benchApply(smoke) {
  const rounds = smoke ? 1 : 7;
  const menus = smoke ? 20 : 1000;
  const rows = [];
  const { folder, remove } = generate({ menus, agents: 1000 });
  try {
    for (const concurrency of smoke ? [16] : [1, 4, 16]) {
      const few = concurrency === 1 && !smoke;
      rows.push(await slow(folder, few ? 1 : rounds, concurrency));
    }
    const journal = await quick(folder, rounds);
    const database = await inDatabase(folder, rounds);
    const store = await inBucket(folder, rounds);
    return `${menus} creates, measured at the service: from the first one's arrival to the last one's answer; median (quartiles) of ${rounds} rounds in turn (1 with concurrency 1). The service answers after 20 ms. The bare workers are undici's, as many as \`concurrency\`, with the same payloads and nothing on disk.

${table(["concurrency", "bare workers, ms", "`apply`, ms", "times", "at most"], rows)}

The journal alone: a service that answers at once, concurrency 16, next to as many lines of that length appended to a file on the same disk, each synced before the next. Two lines are written for each create.

${table(["creates", "`apply`, ms", "ms per create", "2 bare fdatasync, ms"], [journal])}

The same with the state in PostgreSQL on this machine, which syncs, next to bare \`INSERT\`s of rows of that length into a table with such a key, each a transaction and after the other. A create is recorded twice, with the row of its menu.

${table(["creates", "`apply`, ms", "ms per create", "2 bare `INSERT`s, ms"], [database])}

And in an object store, Ceph's radosgw on this machine, which keeps everything in memory, next to bare \`PUT\`s of objects of that length, one after the other. Whatever waits goes into one object.

${table(["creates", "`apply`, ms", "ms per create", "2 bare `PUT`s, ms"], [store])}
`;
  } finally {
    remove();
  }
}

/**
 * @param {string} folder
 * @param {number} rounds
 * @param {number} concurrency
 */
async function slow(folder, rounds, concurrency) {
  const service = await serve(20, folder, concurrency);
  const contestants = [
    {
      name: "bare workers",
      args: [here("bare-workers.mjs"), service.url, String(concurrency), join(folder, "plan.json")],
    },
    {
      name: "apply",
      args: [command, "apply", "plan.json", "--quiet"],
      cwd: folder,
      prepare: service.forget,
    },
  ];
  try {
    const times = contestants.map(() => /** @type {number[]} */ ([]));
    for (let round = 0; round <= rounds; round += 1) {
      for (const [index, contestant] of contestants.entries()) {
        run(contestant);
        const { ms } = await service.seen();
        if (round > 0) times[index]?.push(ms);
      }
    }
    const [bare = [], apply = []] = times;
    return [
      String(concurrency),
      show(spread(bare)),
      show(spread(apply)),
      show(ratio(apply, bare), 2),
      concurrency === 16 ? "1.15" : "",
    ];
  } finally {
    service.end();
  }
}

/**
 * @param {string} folder
 * @param {number} rounds
 */
async function quick(folder, rounds) {
  const service = await serve(0, folder, 16);
  try {
    const times = [];
    const syncs = [];
    let count = 0;
    for (let round = 0; round <= rounds; round += 1) {
      run({
        name: "apply",
        args: [command, "apply", "plan.json", "--quiet"],
        cwd: folder,
        prepare: service.forget,
      });
      const seen = await service.seen();
      const bare = run({
        name: "fdatasync",
        args: [here("bare-fsync.mjs"), join(folder, "lines"), "200"],
      });
      rmSync(join(folder, "lines"));
      count = seen.count;
      if (round === 0) continue;
      times.push(seen.ms);
      syncs.push((Number(bare.stdout) / 200) * 2);
    }
    const each = times.map((ms) => ms / count);
    return [String(count), show(spread(times)), show(spread(each), 2), show(spread(syncs), 2)];
  } finally {
    service.end();
  }
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
