import { randomBytes, randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { failedWith, syncFolder, readWithoutWaiting } from "../../../util/disk.ts";
import type { Clock } from "../../../util/host.ts";
import { describeSystemError } from "../../../util/system-error.ts";
import { type CommitLog, type KeptSnapshot, damaged, refuseGap } from "../log/commit-log.ts";
import { StoreUnavailable } from "../retry.ts";
import { StateProblem } from "../lock.ts";

const sync = promisify(fsync);

const ballastName = ".ballast";

/** Milliseconds after which a temporary file belongs to a run that has ended. */
const oldAge = 3_600_000;

/** A log in a folder: `00000017.jsonl` is block 17, `00000017.snapshot.json` the state after it. */
export class FileLog implements CommitLog {
  readonly place: string;
  /** The folder of the project, which has `.ivrctl`. */
  readonly #root: string;
  readonly #folder: string;
  readonly #id: string | undefined;
  readonly #clock: Clock;
  /**
   * Whether there is a file that is deleted when the disk is full, so that the outcomes of requests in
   * flight can still be written. No request starts without it.
   */
  #hasBallast = false;
  #handle: number | undefined;
  /** A sync of the folder failed. It is unknown which blocks would survive a power cut. */
  #broken: StoreUnavailable | undefined;

  /** `folder` is that of the environment. The id of a state is the name of a folder in it. */
  constructor(folder: string, clock: Clock, id?: string) {
    const above = dirname(folder);
    this.#root = dirname(dirname(above));
    this.place = [dirname(above), above, folder].map((path) => basename(path)).join("/");
    this.#folder = id === undefined ? folder : join(folder, id);
    this.#clock = clock;
    this.#id = id;
  }

  name(n: number): string {
    return `${this.#shown}/${blockName(n)}`;
  }

  async restoreHint(): Promise<string> {
    return `Restore ${this.#shown} from git or a backup. Without one, move the folder away, delete .ivrctl/seen, and run \`ivrctl state push FILE\` with the newest file from \`ivrctl state pull\`.`;
  }

  /** Looks in the folders above the project. */
  elsewhere(): string | undefined {
    const { place } = this;
    const has = (above: string) => existsSync(join(above, place, this.#id ?? "", blockName(1)));
    for (let above = dirname(this.#root), up = ".."; ; up = join("..", up)) {
      if (has(above)) return `${up}/${this.#shown}`;
      if (above === dirname(above)) return undefined;
      above = dirname(above);
    }
  }

  get #shown(): string {
    return this.#id === undefined ? this.place : `${this.place}/${this.#id}`;
  }

  async ids(): Promise<readonly string[]> {
    const above = dirname(this.#folder);
    return this.#names(above).filter((id) => existsSync(join(above, id, blockName(1))));
  }

  async numbers(): Promise<readonly number[]> {
    return this.#numbers(/^(\d{8})\.jsonl$/);
  }

  async read(after: number, limit?: number): Promise<readonly Buffer[]> {
    const numbers = (await this.numbers()).filter((n) => n > after).slice(0, limit);
    await refuseGap(this, after, numbers);
    return numbers.map((n) => this.#read(blockName(n)));
  }

  async append(n: number, bytes: Buffer): Promise<"added" | "taken"> {
    const isGone = () => n > 1 && !existsSync(this.#path(blockName(n - 1)));
    const gone = () => damaged(this, n - 1, "is missing. Another process changed the folder");
    if (isGone()) throw await gone();
    return this.#written(this.name(n), async () => {
      const temporary = await this.#temporary(bytes).catch(async (error: unknown) => {
        throw isGone() ? await gone() : error;
      });
      try {
        linkSync(temporary, this.#path(blockName(n)));
      } catch (error) {
        if (!failedWith(error, "EEXIST")) throw isGone() ? await gone() : error;
        // It may be this very block, from an attempt that ended before the folder was synced.
        await this.#syncFolder();
        return "taken";
      } finally {
        rmSync(temporary, { force: true });
      }
      await this.#syncFolder();
      return "added";
    });
  }

  async snapshot(): Promise<KeptSnapshot | undefined> {
    return this.#snapshot(-1);
  }

  async oldest(): Promise<KeptSnapshot | undefined> {
    return this.#snapshot(0);
  }

  #snapshot(at: number): KeptSnapshot | undefined {
    const number = this.#snapshots().at(at);
    if (number === undefined) return undefined;
    try {
      return { number, bytes: this.#read(snapshotName(number)) };
    } catch (error) {
      // A run that keeps a newer snapshot may have just deleted this one.
      if (this.#snapshots().at(at) !== number) return this.#snapshot(at);
      throw error;
    }
  }

  /**
   * Also deletes the ballast of a killed run, and older snapshots, except the last one, from which
   * a reader verifies the blocks below the newest.
   */
  async keep(n: number, snapshot: Buffer): Promise<void> {
    await this.#written(this.place, async () => {
      renameSync(await this.#temporary(snapshot), this.#path(snapshotName(n)));
      await this.#syncFolder();
      this.#dropBallast();
      for (const older of this.#snapshots().slice(0, -2)) {
        rmSync(this.#path(snapshotName(older)), { force: true });
      }
    });
  }

  /** Deletes what runs left behind that were killed. */
  async probe(): Promise<void> {
    const now = this.#clock.now().getTime();
    for (const name of this.#names(this.#folder)) {
      const path = this.#path(name);
      const stats = name.endsWith(".tmp") && statSync(path, { throwIfNoEntry: false });
      if (stats && now - stats.mtimeMs > oldAge) rmSync(path, { force: true });
    }
  }

  reserve(): void {
    if (this.#hasBallast) return;
    try {
      this.#open();
      // Some file systems store zeros without using space.
      writeFileSync(this.#path(ballastName), randomBytes(ballastSize));
      this.#hasBallast = true;
    } catch (error) {
      rmSync(this.#path(ballastName), { force: true });
      // Any other problem shows when a block is written.
      if (isFull(error)) throw this.#problem(error, this.place);
    }
  }

  async close(): Promise<void> {
    try {
      if (this.#hasBallast) this.#dropBallast();
    } catch {
      // The disk may be read-only now. The next run writes this file again.
    }
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }

  #dropBallast(): void {
    rmSync(this.#path(ballastName), { force: true });
    this.#hasBallast = false;
  }

  #snapshots(): readonly number[] {
    return this.#numbers(/^(\d{8})\.snapshot\.json$/);
  }

  #numbers(pattern: RegExp): readonly number[] {
    return this.#names(this.#folder)
      .flatMap((name) => pattern.exec(name)?.slice(1) ?? [])
      .map(Number)
      .sort((one, other) => one - other);
  }

  /** The names in a folder. None if there is no folder. */
  #names(folder: string): readonly string[] {
    try {
      return readdirSync(folder);
    } catch (error) {
      if (failedWith(error, "ENOENT")) return [];
      throw fileProblem(error, this.place, "read");
    }
  }

  #read(name: string): Buffer {
    try {
      return readWithoutWaiting(this.#path(name));
    } catch (error) {
      throw fileProblem(error, `${this.#shown}/${name}`, "read");
    }
  }

  /** Calls `act`, and once more without the ballast if the disk is full. */
  async #written<T>(name: string, act: () => Promise<T>): Promise<T> {
    try {
      if (this.#broken !== undefined) throw this.#broken;
      this.#open();
      return await act().catch((error: unknown) => {
        if (!isFull(error) || !this.#hasBallast) throw error;
        this.#dropBallast();
        return act();
      });
    } catch (error) {
      throw this.#problem(error, name);
    }
  }

  /** Writes a complete file under a name of its own. A sync that failed is never repeated on it. */
  async #temporary(bytes: Buffer): Promise<string> {
    const path = this.#path(`.${randomUUID()}.tmp`);
    const file = openSync(path, "wx");
    try {
      writeFileSync(file, bytes);
      await sync(file);
      return path;
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
  }

  /** The system reports a failed sync only once, so after a failure nothing is certain any more. */
  async #syncFolder(): Promise<void> {
    try {
      if (this.#handle !== undefined) await sync(this.#handle);
    } catch (error) {
      const problem = fileProblem(error, this.place, "written");
      if (!(problem instanceof StateProblem)) throw problem;
      throw (this.#broken = new StoreUnavailable(problem.code, problem.message));
    }
  }

  #open(): void {
    if (this.#handle !== undefined) return;
    mkdirSync(this.#folder, { recursive: true });
    // A folder is durable only when the folder that it is in was synced. An earlier run may have ended before that.
    if (!existsSync(this.#path(blockName(1)))) {
      for (let folder = this.#folder; folder !== this.#root; folder = dirname(folder))
        syncFolder(dirname(folder));
    }
    this.#handle = openSync(this.#folder, "r");
  }

  /** Someone may free space on a disk that is full. */
  #problem(error: unknown, name: string): unknown {
    const problem = fileProblem(error, name, "written");
    if (!isFull(error) || !(problem instanceof StateProblem)) return problem;
    const help = "Free space on that disk, then run the command again.";
    return new StoreUnavailable(problem.code, problem.message, help, problem.at);
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

function blockName(n: number): string {
  return `${String(n).padStart(8, "0")}.jsonl`;
}

function snapshotName(n: number): string {
  return `${String(n).padStart(8, "0")}.snapshot.json`;
}

/** Each outcome can be a file of its own, of at least 4 KiB on most disks. Those of 64 requests in flight fit. */
const ballastSize = 256 * 1024;

/** Returns an error of the file system as a `StateProblem`, and any other error unchanged. */
export function fileProblem(
  error: unknown,
  name: string,
  verb: "read" | "written",
  hint = failedWith(error, "EISDIR", "ENOTDIR", "EEXIST", "ELOOP", "ENOENT")
    ? "Move away what is in its place, and restore .ivrctl/state from git or a backup."
    : "Fix the permissions or the disk, then run the command again.",
): unknown {
  if (error instanceof StateProblem || !(error instanceof Error) || !("code" in error)) {
    return error;
  }
  const what = `${name} cannot be ${verb}: ${describeSystemError(error)}.`;
  return new StateProblem("IVR604", what, hint, { file: name });
}

function isFull(error: unknown): boolean {
  return failedWith(error, "ENOSPC", "EDQUOT");
}
