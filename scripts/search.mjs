// @ts-check
// Runs the fault search in all stores, or in one.
//
//   npm run test:search -- --minutes 30              search each store for 30 minutes
//   npm run test:search -- --store s3 --seed 123     one store, with the seed of another run
//   npm run test:search -- --store s3 --seed 123 --round 7
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fail, readOptions } from "./command-line.mjs";

const root = join(import.meta.dirname, "..");
const stores = readdirSync(join(root, "test/search")).flatMap(
  (name) => /^(.+)\.search\.test\.ts$/.exec(name)?.[1] ?? [],
);
const { minutes, seed, round, store } = readOptions({
  minutes: { type: "string", default: "1" },
  seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
  round: { type: "string" },
  store: { type: "string" },
});
if (!(Number(minutes) > 0)) fail(`--minutes must be a number above 0, not ${minutes}.`);
if (!/^\d+$/.test(seed)) fail(`--seed must be a whole number, not ${seed}.`);
if (round !== undefined && !/^\d+$/.test(round))
  fail(`--round must be a whole number, not ${round}.`);
if (store !== undefined && !stores.includes(store)) {
  fail(`--store must be one of ${stores.join(", ")}, not ${store}.`);
}

const files = store === undefined ? [] : [`test/search/${store}.search.test.ts`];
const command = ["vitest", "run", "--project", "search", ...files];
process.stdout.write(`Searching each store for ${minutes} minutes with the seed ${seed}.\n`);
const { status } = spawnSync("npx", command, {
  cwd: root,
  stdio: "inherit",
  env: {
    ...process.env,
    IVRCTL_FAULT_SECONDS: String(Number(minutes) * 60),
    IVRCTL_FAULT_SEED: seed,
    ...(round === undefined ? {} : { IVRCTL_FAULT_ROUND: round }),
  },
});
process.exitCode = status ?? 1;
