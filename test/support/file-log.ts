import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { FileLog } from "../../src/deploy/state/files/file-log.ts";
import { chainHash } from "../../src/deploy/state/entries.ts";
import { type Block, encodeBlock, blockSum } from "../../src/deploy/state/log/block.ts";
import type { StateStore } from "../../src/deploy/state/log/state-store.ts";
import { FileWitness } from "../../src/deploy/state/log/witness.ts";
import { clock } from "./host.ts";
import { openStore } from "./memory-log.ts";

/** Returns the folder of the state in files that ivrctl.yaml names. */
export function stateFolder(path: string, environment = "test"): string {
  const folder = join(path, ".ivrctl/state", environment);
  const ids = existsSync(folder)
    ? readdirSync(folder).filter((name) => !/^\.|\d{8}\./.test(name))
    : [];
  const config = ids.length === 0 ? "" : readFileSync(join(path, "ivrctl.yaml"), "utf8");
  return join(folder, ids.find((id) => config.includes(id)) ?? "");
}

/** Returns the paths of the blocks of a state in files, in order. */
export function blockFiles(path: string, environment = "test"): readonly string[] {
  const folder = stateFolder(path, environment);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => /^\d{8}\.jsonl$/.test(name));
  return names.sort().map((name) => join(folder, name));
}

/** Returns the lines of the events in a log's blocks, as `state pull` writes them. */
export function eventLines(blocks: readonly (string | Buffer)[]): string {
  return blocks
    .flatMap((block) => String(block).split("\n").slice(1, -2))
    .map((line) => `${line}\n`)
    .join("");
}

/** Returns the lines of the events of a state in files. */
export function eventsIn(path: string, environment = "test"): string {
  return eventLines(blockFiles(path, environment).map((file) => readFileSync(file)));
}

/** Whether a log with these blocks is locked, also by a process that has ended. */
export function endsLocked(blocks: readonly (string | Buffer)[]): boolean {
  const kinds = blocks.map((block) => /"kind":"(\w+)"/.exec(String(block))?.[1]);
  return kinds.findLast((kind) => kind === "locked" || kind === "released") === "locked";
}

/** Whether a state in files is locked. */
export function isLocked(path: string, environment = "test"): boolean {
  return endsLocked(blockFiles(path, environment).map((file) => readFileSync(file)));
}

/** Adds a block to a state in files, as another process could. */
export function addBlock(path: string, block: Block, environment = "test"): void {
  const files = blockFiles(path, environment);
  const last = files.at(-1);
  const before = last === undefined ? "" : (blockSum(readFileSync(last)) ?? "");
  const number = files.length + 1;
  const about = { environment, number, session: "meera", at: "2026-01-02T03:04:05.000Z" };
  const name = `${String(number).padStart(8, "0")}.jsonl`;
  writeFileSync(
    join(stateFolder(path, environment), name),
    encodeBlock(before, about, block).bytes,
  );
}

/** Adds a block of a format that does not exist yet to a state in files. */
export function addNewerBlock(path: string, environment = "test"): void {
  const before = blockSum(readFileSync(blockFiles(path, environment).at(-1) ?? ""));
  addBlock(path, { kind: "released", by: null }, environment);
  const file = blockFiles(path, environment).at(-1) ?? "";
  const [header = ""] = readFileSync(file, "utf8").split("\n");
  const body = `${header.replace(/"version":\d+/, '"version":99,"needs":"9.8.7"')}\n`;
  writeFileSync(file, `${body}{"sum":"${chainHash(before ?? "", body)}"}\n`);
}

/** Overwrites the last block of a state in files. */
export function damageState(path: string, environment = "test"): void {
  writeFileSync(blockFiles(path, environment).at(-1) ?? "", "{}\n{}\n");
}

/** Returns the newest snapshot of a state in files. */
export function snapshotFile(path: string, environment = "test"): string {
  const folder = stateFolder(path, environment);
  const names = readdirSync(folder).filter((name) => name.endsWith(".snapshot.json"));
  return join(folder, names.sort().at(-1) ?? "");
}

/** Opens the state in files that ivrctl.yaml names, or one without an id. */
export function fileStore(root: string, environment = "test"): StateStore {
  const folder = join(root, ".ivrctl/state", environment);
  const named = stateFolder(root, environment);
  const id = named === folder ? undefined : basename(named);
  const witness = new FileWitness(root, environment, clock);
  return openStore(new FileLog(folder, clock, id), { environment, id, witness });
}
