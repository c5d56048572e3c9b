import { type Hmac, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  type Stats,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Packs } from "./project-cache.ts";

const maxPacks = 8;
const maxBytes = 256 * 1024 * 1024;
const sumBytes = 32;

/**
 * Packs as files of a project, each with a sum that only this user on this machine can
 * make: what came with a checkout, or was changed since, is not looked at. That
 * something cannot be read or written is no fault, and is not told.
 */
export class PackFiles implements Packs {
  readonly #project: string;
  readonly #key: Buffer;

  constructor(project: string, key: Buffer) {
    this.#project = project;
    this.#key = key;
  }

  read(name: string): Buffer | undefined {
    try {
      const path = join(this.#folder(), `${name}.pack`);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found?.isFile() !== true || found.size < sumBytes || found.size > maxBytes)
        return undefined;
      const bytes = readFileSync(path);
      const content = bytes.subarray(0, -sumBytes);
      const sum = this.#summing(name).update(content).digest();
      return timingSafeEqual(sum, bytes.subarray(-sumBytes)) ? content : undefined;
    } catch {
      return undefined;
    }
  }

  write(name: string, parts: readonly Buffer[]): void {
    const size = parts.reduce((sum, { length }) => sum + length, sumBytes);
    if (size > maxBytes) return;
    try {
      const folder = this.#folder();
      makeFolder(this.#project, folder);
      const temporary = join(folder, `${name}.${randomBytes(6).toString("hex")}.tmp`);
      try {
        const sum = this.#summing(name);
        for (const part of parts) sum.update(part);
        writeNew(temporary, [...parts, sum.digest()]);
        renameSync(temporary, join(folder, `${name}.pack`));
      } finally {
        rmSync(temporary, { force: true });
      }
      dropOld(folder);
    } catch {
      // The next run does all the work again, and tries again.
    }
  }

  #folder(): string {
    return join(this.#project, ".ivrctl/cache");
  }

  /** Of the name too: a pack is good for one basis alone. */
  #summing(name: string): Hmac {
    return createHmac("sha256", this.#key).update(`${name}\n`);
  }
}

/** A key of this user's own, made when it is first asked for; undefined where it cannot be kept. */
export function keyIn(folder: string): Buffer | undefined {
  const path = join(folder, "cache.key");
  try {
    const known = readKey(path);
    if (known !== undefined) return known;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const temporary = join(folder, `cache.key.${randomBytes(6).toString("hex")}.tmp`);
    try {
      writeFileSync(temporary, randomBytes(keyBytes), { flag: "wx", mode: 0o600 });
      // Of two who make one at a time, the first one's counts.
      linkSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
    return readKey(path);
  } catch {
    return undefined;
  }
}

const keyBytes = 32;

/** Nobody else may read or write it. */
function readKey(path: string): Buffer | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size !== keyBytes || !isPrivate(found)) return undefined;
  const key = readFileSync(path);
  return key.length === keyBytes ? key : undefined;
}

function isPrivate({ uid, mode }: Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
}

function writeNew(path: string, parts: readonly Buffer[]): void {
  const file = openSync(path, "wx");
  try {
    // Not one by one, which takes long, nor all at once, which takes twice the room.
    for (let from = 0; from < parts.length; from += 1000) {
      writeFileSync(file, Buffer.concat(parts.slice(from, from + 1000)));
    }
  } finally {
    closeSync(file);
  }
}

/** Folders of the project itself: a link could lead anywhere. */
function makeFolder(project: string, folder: string): void {
  for (const path of [join(project, ".ivrctl"), folder]) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) mkdirSync(path);
    else if (!found.isDirectory()) throw new Error(`${path} is no folder`);
  }
  const ignored = join(folder, ".gitignore");
  if (lstatSync(ignored, { throwIfNoEntry: false }) === undefined) {
    writeFileSync(ignored, "# Safe to delete.\n*\n", { flag: "wx" });
  }
}

/** The newest stay; so does what another run is writing just now. */
function dropOld(folder: string): void {
  const old = readdirSync(folder)
    .filter((name) => /^[0-9a-f]{64}\.pack$/.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({ path, time: lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.time - a.time)
    .slice(maxPacks);
  for (const { path } of old) rmSync(path, { force: true });
}
