import { randomUUID } from "node:crypto";
import {
  closeSync,
  fdatasyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { stateVersion } from "../../../schema/state.ts";
import { failedWith, syncFolder } from "../../../util/disk.ts";
import { jsonOf, orProblem, readIfThere } from "./disk.ts";
import { pause } from "../pause.ts";
import { type ProcessIdentity, isDead, ownIdentity } from "./process-identity.ts";
import { type Claim, type Lock, type Note, StateProblem } from "../store.ts";

/** What a lock is called that nothing can be read from. */
const unreadableLock = "unreadable";

const pollEvery = 100;

/** How often a lock that was there and is gone is asked for again at once. */
const atOnce = 10;

export interface LockFiles {
  readonly folder: string;
  /** The environment's name, which all of its files begin with. */
  readonly name: string;
  /** The lock file as people are told it. */
  readonly shown: string;
}

export type Taken =
  | { readonly kind: "taken"; readonly grip: Grip; readonly notes: readonly Note[] }
  | { readonly kind: "held"; readonly lock: Lock };

/**
 * The lock as a file, which comes into being with its content and at once.
 *
 * A lock is ended by moving its file aside, and who moves it looks at what it
 * has moved: between a look at a lock and its end, it may have changed hands.
 * A file that was moved aside and still lies there says that its process may be
 * alive and write: see `Grip.released`.
 */
export class FileLock {
  readonly #files: LockFiles;
  readonly #path: string;
  readonly #now: () => Date;

  constructor(files: LockFiles, now: () => Date) {
    this.#files = files;
    this.#path = join(files.folder, `${files.name}.lock`);
    this.#now = now;
  }

  /** Whether there is one, of a dead process too. */
  get taken(): boolean {
    return this.#held() !== undefined;
  }

  /** One whose process is dead holds nobody up. */
  holder(): Lock | null {
    const held = this.#held();
    if (held === undefined || (held.process !== null && isDead(held.process))) return null;
    return held.lock;
  }

  async take(claim: Claim): Promise<Taken> {
    const deadline = performance.now() + claim.wait;
    const notes: Note[] = [];
    for (let hurried = 0; ;) {
      claim.signal?.throwIfAborted();
      const held = this.#held();
      if (held === undefined) {
        const text = this.#make(claim);
        if (text !== undefined) {
          return { kind: "taken", grip: new Grip(this.#files, this.#path, text), notes };
        }
      }
      const dead = held !== undefined && held.process !== null && isDead(held.process);
      if (dead && this.#remove(held.text)) notes.push(takenOver(held.lock, this.#files.shown));
      // A file system that answers from memory may go on telling of a lock that
      // is gone, or hiding one that is there: then time has to pass.
      if ((held === undefined || dead) && hurried < atOnce) {
        hurried += 1;
        continue;
      }
      const left = deadline - performance.now();
      if (left <= 0) return { kind: "held", lock: held?.lock ?? this.#unreadable() };
      await pause(Math.min(left, pollEvery), claim.signal);
    }
  }

  /** Its file stays aside, for the next holder to see. */
  unlock(id: string): Lock | null {
    const held = this.#held();
    if (held === undefined) return null;
    if (held.lock.id !== id) return held.lock;
    const aside = orProblem(this.#files.shown, "written", () =>
      moveAside(this.#files, this.#path, held.text),
    );
    return aside === undefined ? null : held.lock;
  }

  /** Nothing is left of it: its process writes nothing any more. */
  #remove(text: string): boolean {
    return orProblem(this.#files.shown, "written", () => {
      const aside = moveAside(this.#files, this.#path, text);
      if (aside !== undefined) rmSync(aside, { force: true });
      return aside !== undefined;
    });
  }

  #held(): Held | undefined {
    const bytes = readIfThere(this.#path, this.#files.shown);
    if (bytes === undefined) return undefined;
    const text = bytes.toString("utf8");
    const found = LockFile.safeParse(jsonOf(text));
    if (!found.success) return { lock: this.#unreadable(), process: null, text };
    const { version, id, by, command, since, ...process } = found.data;
    const lock = { id, by, command, since, host: process.host, pid: process.pid };
    // Of another version it is not known what would make it dead.
    return { lock, process: version <= stateVersion ? process : null, text };
  }

  #unreadable(): Lock {
    const made = statSync(this.#path, { throwIfNoEntry: false })?.mtime ?? this.#now();
    return {
      id: unreadableLock,
      by: "unknown",
      command: "unknown",
      since: made.toISOString(),
      host: "unknown",
      pid: null,
    };
  }

  /** Its text, or undefined where another was faster. */
  #make({ id, by, command }: Claim): string | undefined {
    const since = this.#now().toISOString();
    // The id may be a pipeline's own and given twice; the token makes two locks two.
    const token = randomUUID();
    const lock = { version: stateVersion, id, by, command, since, ...ownIdentity(), token };
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
      // ENOENT: whoever holds the lock cleaned the folder up.
      if (failedWith(error, "EEXIST", "ENOENT")) return false;
      if (failedWith(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS")) return this.#create(text);
      throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** Where the file system has no links: for a moment the lock is there and empty. */
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
export class Grip {
  readonly #files: LockFiles;
  readonly #path: string;
  readonly #text: string;

  constructor(files: LockFiles, path: string, text: string) {
    this.#files = files;
    this.#path = path;
    this.#text = text;
  }

  /** Throws where somebody else ended the lock. */
  check(): void {
    const found = readIfThere(this.#path, this.#files.shown)?.toString("utf8");
    if (found === this.#text) return;
    const now = LockFile.safeParse(jsonOf(found ?? ""));
    const who = now.success ? ` It is now held by ${now.data.by} on ${now.data.host}.` : "";
    throw new StateProblem(
      "IVR601",
      `The lock was released by somebody else while this run held it (${this.#files.shown}), so nothing more is recorded.${who}`,
      "Find out who released it, and run the command again when no other run is under way.",
      { file: this.#files.shown },
    );
  }

  /**
   * The files of locks that were ended although their process may live. It may
   * be about to write, having looked at its lock a moment ago.
   */
  released(): readonly string[] {
    return this.#leftovers("released").filter((path) => contentOf(path) !== this.#text);
  }

  /** Entries that were staged for a fill, of this name or of any other. */
  dropStaged(): void {
    for (const path of this.#leftovers("filling")) rmSync(path, { force: true });
  }

  /** What dead runs left behind; of a living one, it makes that again. */
  cleanUp(): void {
    for (const path of this.#leftovers("tmp")) rmSync(path, { force: true });
  }

  /** Never throws: a lock that stays is found dead when this process has ended. */
  release(): void {
    if (contentOf(this.#path) !== this.#text) return;
    try {
      const aside = moveAside(this.#files, this.#path, this.#text);
      if (aside !== undefined) rmSync(aside, { force: true });
    } catch {
      // The folder was made read-only, say.
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

/** A name that nobody else has, for what becomes a file of the state. */
export function temporaryFile({ folder, name }: Pick<LockFiles, "folder" | "name">): string {
  return join(folder, `.${name}.${randomUUID()}.tmp`);
}

interface Held {
  readonly lock: Lock;
  readonly process: ProcessIdentity | null;
  readonly text: string;
}

// Not strict: the lock of a newer version is a lock too.
const LockFile = z.object({
  version: z.number(),
  id: z.string(),
  by: z.string(),
  command: z.string(),
  since: z.string(),
  host: z.string(),
  pid: z.nullable(z.int().check(z.positive())),
  boot: z.nullable(z.string()),
  pid_namespace: z.nullable(z.string()),
  started: z.nullable(z.string()),
});

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where the lock's file is now, or undefined if the lock was another by then. */
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
    // A third holds the lock already. What lies aside tells it of the second.
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

function writeNew(path: string, text: string): void {
  const file = openSync(path, "wx");
  try {
    writeFileSync(file, text);
    fdatasyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function takenOver({ by, command, since, host, pid }: Lock, shown: string): StateProblem {
  return new StateProblem(
    "IVR605",
    `The lock of ${by} (${command}, process ${pid} on ${host}, since ${since}) was taken over: that process is dead.`,
    undefined,
    { file: shown },
  );
}
