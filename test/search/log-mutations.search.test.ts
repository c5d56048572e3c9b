import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Modules, round } from "../state/log-simulation.ts";
import { root } from "../support/cli.ts";

/*
 * Shows that the simulation of the log finds mistakes: each mutation breaks one rule of the design
 * in a copy of the source, and some round must notice it. The number is the first seed that notices
 * it; if the code changes, a later one may.
 */

type Change = readonly [file: string, text: string, replacement: string];

const session = "log/session.ts";
const store = "log/state-store.ts";
const loaded = "log/loaded-log.ts";
const move = "transfer.ts";

const mutations: Record<string, readonly [seed: number, ...changes: Change[]]> = {
  "no fence: take the next free number": [
    16,
    [
      session,
      "if (!isAdded) throw await this.#lose();",
      "while (!isAdded) { const [next] = await this.#store.read(this.#log.number, 1); if (next) this.#log.follow(next); await this.#log.add(this.#options.id, block); }",
    ],
  ],
  "a lock is taken without reading again": [
    1975,
    [
      store,
      "const { loaded: log, notes } = await load(this.#place);",
      "const { loaded: log, notes } = { loaded: before, notes: [] };",
    ],
  ],
  "a request is sent without a confirmation": [
    8620,
    [session, "for (let asks = 0;", "this.#confirmed = this.#moment();\n    for (let asks = 0;"],
  ],
  "a confirmation counts from its answer": [
    9464,
    [
      session,
      "if (!isAdded) throw await this.#lose();\n    this.#confirmed = asked;",
      "if (!isAdded) throw await this.#lose();\n    this.#confirmed = this.#moment();",
    ],
  ],
  "a lost answer counts as a refusal": [
    2569,
    [
      loaded,
      "throw isFinal && attempts === 1 ? new BlockRefused(error) : error;",
      "throw new BlockRefused(error as StateProblem);",
    ],
  ],
  "the bytes at a taken number are not compared": [
    42,
    [loaded, "return existing.equals(bytes);", "return false;"],
  ],
  "no snapshot at the end": [2, [session, "await end?.keepEndIfUseful();", ""]],
  "a snapshot before its block": [
    1,
    [
      loaded,
      "let attempts = 0;",
      'let attempts = 0;\n    if (block.kind === "released") { this.number += 1; await this.keepEnd(); this.number -= 1; }',
    ],
  ],
  "a snapshot counts without its block": [
    50,
    [loaded, "for (const stored of [kept, oldest]) {", "for (const stored of [oldest]) {"],
    [loaded, "n <= loaded.number; n += 1", "n <= loaded.number && blockAt(n); n += 1"],
  ],
  "a machine remembers nothing": [
    1121,
    [loaded, "witness.raise(nameOf(this.place), this);", "void 0;"],
    [loaded, "witness.raise(nameOf(place), loaded);", "void 0;"],
  ],
  "a machine remembers the number only": [
    2414,
    [loaded, "if (end === undefined || blockSum(end) !== seen.sum) {", "if (end === undefined) {"],
  ],
  "what a machine remembers is read after the log": [
    8,
    [loaded, "const seen = witness.get(nameOf(place));", ""],
    [
      loaded,
      "const numbers = [loaded.number, seen?.number, oldest?.number]",
      "const numbers = [0]",
    ],
    [
      loaded,
      "if (seen !== undefined) {",
      "await place.host.clock.sleep(0);\n  const seen = witness.get(nameOf(place));\n  if (seen !== undefined) {",
    ],
  ],
  "a machine does not remember the place": [
    1,
    [loaded, "return id === undefined ? log.place : `${log.place} ${id}`;", 'return "";'],
  ],
  "no pause after a forced unlock": [
    6762,
    [store, "if (log.isForced) {", "if (log.isForced && false) {"],
  ],
  "a refused lock leaves a snapshot": [
    14609,
    [store, "await before.release(session);", "await (await before.release(session))?.keepEnd();"],
  ],
  "a state arrives before it has moved": [
    16,
    [
      move,
      "if (movedTo === null) await source.moveTo(to.place);",
      "await target.receive(missing);\n  if (movedTo === null) await source.moveTo(to.place);",
    ],
  ],
  "a session releases a lock that it has lost": [
    14,
    [session, "this.#isLost ? undefined : await", "await"],
    [loaded, "if (loaded.held?.session !== session) return undefined;", ""],
  ],
  "a session has two requests in flight": [1, [session, "this.#last = turn;", ""]],
};

const copies = join(root, "test-results/mutations");
afterAll(() => rmSync(copies, { recursive: true, force: true }));

test.each(Object.entries(mutations))("finds: %s", async (name, [seed, ...changes]) => {
  const search = async (copy: string) => firstFinding(await mutated(copy, changes), seed);
  // Rounds are deterministic, but once a busy machine found nothing, as if it had loaded the unchanged source.
  const found = (await search(name)) ?? (await search(`${name}, again`));
  console.log(`${name}: ${found ?? "NOT FOUND"}`);
  expect(found).toBeDefined();
});

/** Returns what the first round reports that notices something. */
async function firstFinding(modules: Modules, from: number): Promise<string | undefined> {
  for (let seed = from; seed < from + 5000; seed += 1) {
    try {
      await round(seed, modules);
    } catch (error) {
      return `seed ${seed}: ${String(error)}`;
    }
  }
  return undefined;
}

/** Loads a copy of the source with these changes. */
async function mutated(name: string, changes: readonly Change[]): Promise<Modules> {
  const copy = join(copies, name.replaceAll(/\W+/g, "-"));
  cpSync(join(root, "src"), join(copy, "src"), { recursive: true });
  const state = join(copy, "src/deploy/state");
  for (const [file, text, replacement] of changes) {
    const path = join(state, file);
    const source = readFileSync(path, "utf8");
    if (!source.includes(text)) throw new Error(`${file} does not contain: ${text}`);
    writeFileSync(
      path,
      source.replaceAll(text, () => replacement),
    );
  }
  const files = ["log/state-store.ts", "transfer.ts", "records.ts", "retry.ts", "lock.ts"];
  const loaded: unknown[] = await Promise.all(files.map((file) => import(join(state, file))));
  return Object.assign({}, ...loaded) as Modules;
}
