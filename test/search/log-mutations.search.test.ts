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
const verified = "log/verified-log.ts";
const move = "transfer.ts";

const mutations: Record<string, readonly [seed: number, ...changes: Change[]]> = {
  "no fence: take the next free number": [
    16,
    [
      session,
      "if (!isAdded) throw await this.#lose();",
      "while (!isAdded) { await this.#log.catchUp(this.#view); await this.#log.add(this.#view, this.#place.id, block); }",
    ],
  ],
  "a lock is taken without reading again": [
    1725,
    [
      store,
      "const { view, notes } = await this.#log.load();\n      if (view.held",
      "const { view, notes } = { view: before, notes: [] };\n      if (view.held",
    ],
  ],
  "a request is sent without a confirmation": [
    4039,
    [session, "for (let asks = 0;", "this.#confirmed = this.#moment();\n    for (let asks = 0;"],
  ],
  "a confirmation counts from its answer": [
    4039,
    [
      session,
      "if (!isAdded) throw await this.#lose();\n    this.#confirmed = asked;",
      "if (!isAdded) throw await this.#lose();\n    this.#confirmed = this.#moment();",
    ],
  ],
  "a lost answer counts as a refusal": [
    1933,
    [
      verified,
      "throw isFinal && attempts === 1 ? new BlockRefused(error) : error;",
      "throw new BlockRefused(error as StateProblem);",
    ],
  ],
  "the bytes at a taken number are not compared": [
    35,
    [verified, "return found.equals(bytes);", "return false;"],
  ],
  "no snapshot at the end": [2, [session, "await this.#log.keepEnd(this.#view);", ""]],
  "a snapshot before its block": [
    1,
    [
      verified,
      "let attempts = 0;",
      'let attempts = 0;\n    if (block.kind === "released") await log.keep(n, view.snapshot());',
    ],
  ],
  "a snapshot counts without its block": [
    50,
    [verified, "if (kept !== undefined) {", "if (kept !== undefined && attemptsNever) {"],
    [
      verified,
      "export class VerifiedLog {",
      "const attemptsNever = false;\nexport class VerifiedLog {",
    ],
  ],
  "a machine remembers nothing": [
    1121,
    [verified, "this.#witness.raise(this.#known, view);", "void 0;"],
  ],
  "a machine remembers the number only": [
    2257,
    [
      verified,
      "if (end === undefined || blockSum(end) !== seen.sum) {",
      "if (end === undefined) {",
    ],
  ],
  "what a machine remembers is read after the log": [
    8,
    [verified, "const seen = this.#witness.get(this.#known);", ""],
    [
      verified,
      "if (seen !== undefined) {",
      "await this.host.clock.sleep(0);\n    const seen = this.#witness.get(this.#known);\n    if (seen !== undefined) {",
    ],
  ],
  "a machine does not remember the place": [
    1,
    [verified, "this.#witness.get(this.#known)", 'this.#witness.get("")'],
    [verified, "this.#witness.raise(this.#known, view)", 'this.#witness.raise("", view)'],
  ],
  "no pause after a forced unlock": [
    6086,
    [store, "if (view.isForced) {", "if (view.isForced && false) {"],
  ],
  "a refused lock leaves a snapshot": [
    9571,
    [
      store,
      "await this.#log.release(before, session);",
      "if (await this.#log.release(before, session)) await this.#log.keepEnd(before);",
    ],
  ],
  "a state arrives before it has moved": [
    14,
    [
      move,
      "if (movedTo === null) await source.moveTo(to.place);",
      "await target.receive(missing);\n  if (movedTo === null) await source.moveTo(to.place);",
    ],
  ],
  "a session releases a lock that it has lost": [
    7,
    [session, "if (!this.#isLost && (await", "if ((await"],
    [
      verified,
      'if (!later.every((bytes) => bytes.includes(`"session":"${session}"`))) return false;',
      "",
    ],
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
  const files = ["log/state-store.ts", "transfer.ts", "records.ts", "retry.ts", "store.ts"];
  const loaded: unknown[] = await Promise.all(files.map((file) => import(join(state, file))));
  return Object.assign({}, ...loaded) as Modules;
}
