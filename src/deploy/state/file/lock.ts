import { randomUUID } from "node:crypto";
import {
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { stateVersion } from "../../../schema/state.ts";
import { failedWith, syncFolder } from "../../../util/disk.ts";
import { parseJson } from "../../../util/parse-json.ts";
import { ProcessLock, lockLost, lockOf, takeLock } from "../lock.ts";
import { isDead, ownIdentity } from "../process-identity.ts";
import {
  type Claim,
  type Lock,
  type Note,
  StateProblem,
  describeLock,
  unreadableLock,
} from "../store.ts";
import { orProblem, readIfExists, writeNew } from "./disk.ts";
import { temporaryFile } from "./load.ts";
import type { Host } from "../../../util/host.ts";

/** How often to try again without a pause if the lock has just been released. */
const maxImmediateRetries = 10;

interface LockFiles {
  readonly folder: string;
  /** The environment's name. The names of all its files begin with it. */
  readonly name: string;
  /** The lock file as messages show it. */
  readonly shown: string;
}

export type Taken =
  | { readonly kind: "taken"; readonly heldLock: HeldLock; readonly notes: readonly Note[] }
  | { readonly kind: "held"; readonly lock: Lock };

/**
 * The lock as a file, which is created together with its content.
 *
 * To end a lock, a process renames the lock file and then reads it again, because another
 * process may have taken the lock in between. A renamed file that still exists means that
 * the process of that lock may be alive and writing: see `HeldLock.released`.
 */
export class FileLock {
  readonly #files: LockFiles;
  readonly #path: string;
  readonly #host: Host;

  constructor(files: LockFiles, host: Host) {
    this.#files = files;
    this.#path = join(files.folder, `${files.name}.lock`);
    this.#host = host;
  }

  /** Whether there is a lock, even of a dead process. */
  get taken(): boolean {
    return this.#find() !== undefined;
  }

  /** Returns the lock. Null if there is none, or if its holder is known to be dead. */
  holder(): Lock | null {
    const held = this.#find();
    return held === undefined || held.isDead ? null : held.lock;
  }

  /** Returns the lock of a holder that is known to be dead. */
  left(): Lock | null {
    const held = this.#find();
    return held?.isDead === true ? held.lock : null;
  }

  async take(claim: Claim): Promise<Taken> {
    const notes: Note[] = [];
    let immediateRetries = 0;
    const tried = await takeLock(claim, this.#host.clock, async () => {
      const held = this.#find();
      if (held === undefined) {
        const text = this.#make(claim);
        if (text !== undefined) {
          return { kind: "taken", taken: new HeldLock(this.#files, this.#path, text) };
        }
      } else if (held.isDead && this.#remove(held.text)) {
        notes.push(takenOver(held.lock, this.#files.shown));
      }
      // A file system with a cache may show a lock that is gone, or hide one that exists.
      // After some immediate retries, wait.
      if ((held === undefined || held.isDead) && immediateRetries < maxImmediateRetries) {
        immediateRetries += 1;
        return { kind: "again" };
      }
      return { kind: "held", lock: held?.lock ?? this.#unreadable() };
    });
    return tried.kind === "held" ? tried : { kind: "taken", heldLock: tried.taken, notes };
  }

  /** Ends the lock. The renamed file stays, so that the next holder sees it. */
  unlock(id: string): Lock | null {
    const held = this.#find();
    if (held === undefined) return null;
    if (held.lock.id !== id) return held.lock;
    const aside = orProblem(this.#files.shown, "written", () =>
      moveAside(this.#files, this.#path, held.text),
    );
    return aside === undefined ? null : held.lock;
  }

  /** Ends the lock of a dead process and deletes its file. */
  #remove(text: string): boolean {
    return orProblem(this.#files.shown, "written", () => {
      const aside = moveAside(this.#files, this.#path, text);
      if (aside !== undefined) rmSync(aside, { force: true });
      return aside !== undefined;
    });
  }

  #find(): FoundLock | undefined {
    const bytes = readIfExists(this.#path, this.#files.shown);
    if (bytes === undefined) return undefined;
    const text = bytes.toString("utf8");
    const found = LockFile.safeParse(parseJson(text));
    if (!found.success) return { lock: this.#unreadable(), isDead: false, text };
    // Whether the holder of a lock in another format is dead is not known.
    const isKnown = found.data.version === stateVersion;
    return {
      lock: lockOf(found.data),
      isDead: isKnown && isDead(found.data, this.#host.machine),
      text,
    };
  }

  #unreadable(): Lock {
    const made = statSync(this.#path, { throwIfNoEntry: false })?.mtime ?? this.#host.clock.now();
    return {
      id: unreadableLock,
      by: "unknown",
      command: "unknown",
      since: made.toISOString(),
      host: "unknown",
      pid: null,
    };
  }

  /** Creates the lock file. Returns its text, or undefined if another process was faster. */
  #make({ id, by, command }: Claim): string | undefined {
    const since = this.#host.clock.now().toISOString();
    // A pipeline may use its id twice. The token makes each lock unique.
    const token = randomUUID();
    const lock = {
      version: stateVersion,
      id,
      by,
      command,
      since,
      ...ownIdentity(this.#host.machine),
      token,
    };
    const text = `${JSON.stringify(lock, undefined, 2)}\n`;
    return orProblem(this.#files.shown, "written", () => {
      makeFolder(this.#files.folder);
      return this.#link(text) ? text : undefined;
    });
  }

  #link(text: string): boolean {
    const temporary = temporaryFile(this.#files);
    try {
      writeNew(temporary, text);
      linkSync(temporary, this.#path);
      return true;
    } catch (error) {
      // ENOENT: the holder of the lock has removed the temporary file.
      if (failedWith(error, "EEXIST", "ENOENT")) return false;
      if (failedWith(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS")) return this.#create(text);
      throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** Creates the lock file on a file system without links. The file is empty for a moment. */
  #create(text: string): boolean {
    try {
      writeNew(this.#path, text);
      return true;
    } catch (error) {
      if (failedWith(error, "EEXIST")) return false;
      throw error;
    }
  }
}

/** A lock that this process took. */
export class HeldLock {
  readonly #files: LockFiles;
  readonly #path: string;
  readonly #text: string;

  constructor(files: LockFiles, path: string, text: string) {
    this.#files = files;
    this.#path = path;
    this.#text = text;
  }

  /** Throws if another process has ended the lock. */
  check(): void {
    const { shown } = this.#files;
    const found = readIfExists(this.#path, shown)?.toString("utf8");
    if (found === this.#text) return;
    const now = LockFile.safeParse(parseJson(found));
    throw lockLost("", shown, now.success ? now.data : null, { file: shown });
  }

  /**
   * The files of locks that were ended although their processes may be alive. A process of this
   * kind may have checked its lock a moment ago and be about to write.
   */
  released(): readonly string[] {
    return this.#leftovers("released").filter((path) => contentOf(path) !== this.#text);
  }

  /** Removes the files of all unfinished fills. */
  dropStaged(): void {
    for (const path of this.#leftovers("filling")) rmSync(path, { force: true });
  }

  /** Removes the temporary files of dead runs. A living run creates its file again. */
  cleanUp(): void {
    for (const path of this.#leftovers("tmp")) rmSync(path, { force: true });
  }

  /** Removes the lock file. Never throws: the next run sees that the process has ended. */
  release(): void {
    if (contentOf(this.#path) !== this.#text) return;
    try {
      const aside = moveAside(this.#files, this.#path, this.#text);
      if (aside !== undefined) rmSync(aside, { force: true });
    } catch {
      // For example, the folder is read-only.
    }
  }

  #leftovers(ending: "tmp" | "released" | "filling"): readonly string[] {
    const { folder, name } = this.#files;
    return readdirSync(folder)
      .filter((file) => file.startsWith(`.${name}.`) && file.endsWith(`.${ending}`))
      .filter((file) => uuid.test(file.slice(name.length + 2, -ending.length - 1)))
      .map((file) => join(folder, file));
  }
}

/** The content of the lock file. */
interface FoundLock {
  readonly lock: Lock;
  readonly isDead: boolean;
  readonly text: string;
}

/** The content of a lock file. Not strict, so that the lock of another version counts too. */
const LockFile = z.extend(ProcessLock, { version: z.number() });

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Renames the lock file. Returns its new path, or undefined if another process has taken the lock since. */
function moveAside({ folder, name }: LockFiles, path: string, text: string): string | undefined {
  const aside = join(folder, `.${name}.${randomUUID()}.released`);
  try {
    renameSync(path, aside);
  } catch (error) {
    if (failedWith(error, "ENOENT")) return undefined;
    throw error;
  }
  if (contentOf(aside) === text) return aside;
  try {
    linkSync(aside, path);
    rmSync(aside, { force: true });
  } catch {
    // A third process holds the lock. The renamed file warns it that another may be writing.
  }
  return undefined;
}

function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  const top = dirname(first);
  for (let made = folder; made !== top; made = dirname(made)) syncFolder(made);
  syncFolder(top);
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function takenOver(lock: Lock, shown: string): StateProblem {
  return new StateProblem(
    "IVR605",
    `Took over the lock of ${describeLock(lock)}: that process has ended.`,
    undefined,
    { file: shown },
  );
}
