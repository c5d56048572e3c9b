// @ts-check
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Git, saidBy } from "./git.mjs";
import { goesOn } from "./journal.mjs";
import { listAt, parsed, textAt } from "./json.mjs";
import { Problem } from "./problem.mjs";

/**
 * The state on a branch of its own. A push without force is the compare-and-swap:
 * the server takes a commit only on top of the one it was made from.
 *
 * - Whoever applies first puts a lock on the branch. While it is there, nobody
 *   else begins.
 * - The state is written back in the commit that takes the lock away.
 * - A run that vanishes leaves its lock, so that a person looks before anything
 *   is created a second time.
 *
 * Trees and commits are made by git's plumbing in a repository of our own: the
 * checkout is left alone, no hook and no filter runs, and every byte stays.
 */

/**
 * @typedef {object} Lock
 * @property {string} id
 * @property {string} text what stands in the file
 */

/**
 * @typedef {object} Tip
 * @property {string | undefined} commit undefined where there is no such branch
 * @property {Buffer | undefined} journal
 * @property {Buffer | undefined} checkpoint
 * @property {Lock | undefined} lock
 */

/**
 * @typedef {object} Place
 * @property {string} url
 * @property {string | undefined} header
 * @property {string} branch
 * @property {string} environment
 * @property {string} project the project's folder
 * @property {string} directory the same, as seen from the top of the repository: `.`, or `a/b`
 */

const lockFormat = "ivrctl-pipeline-lock";

export class StateBranch {
  /** @type {Place} */ #place;
  /** @type {Git | undefined} */ #git;

  /** @param {Place} place */
  constructor(place) {
    this.#place = place;
  }

  /** @returns {string} */
  get name() {
    return this.#place.branch;
  }

  /**
   * The branch as it is now.
   *
   * @returns {Promise<Tip>}
   */
  async look() {
    const git = await this.#repository();
    const { url, branch } = this.#place;
    const ref = `refs/heads/${branch}`;
    const listed = await this.#patiently(() => git.text(["ls-remote", "--", url, ref]));
    const commit = /^[0-9a-f]+(?=\t)/.exec(listed)?.[0];
    if (commit === undefined) return emptyTip;
    await this.#patiently(() =>
      git.text(["fetch", "--quiet", "--no-tags", "--depth=1", "--", url, ref]),
    );
    const tip = await git.text(["rev-parse", "FETCH_HEAD"]);
    const paths = this.#paths();
    const lock = await this.#file(git, tip, paths.lock);
    return {
      commit: tip,
      journal: await this.#file(git, tip, paths.journal),
      checkpoint: await this.#file(git, tip, paths.checkpoint),
      lock: lock === undefined ? undefined : lockOf(lock.toString("utf8")),
    };
  }

  /**
   * Keeps everybody else out, and says what the state is from now on.
   *
   * @param {string} id
   * @param {object} about who, for what: shown to whoever finds the lock
   * @returns {Promise<Tip>}
   */
  async lock(id, about) {
    const { environment, branch } = this.#place;
    const content = { format: lockFormat, version: 1, id, environment, ...about };
    const text = `${JSON.stringify(content, null, 2)}\n`;
    let said = "";
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const tip = await this.look();
      if (tip.lock?.id === id) return tip;
      if (tip.lock !== undefined) throw lockedBy(tip.lock, environment, branch);
      const commit = await this.#commit(tip, `Lock ${environment}`, [
        [this.#paths().lock, Buffer.from(text)],
      ]);
      const pushed = await this.#push(commit);
      if (pushed === undefined) return { ...tip, commit, lock: { id, text } };
      said = pushed;
      if (attempt < attempts) await pause(attempt);
    }
    throw new Problem(`The lock cannot be put on the branch ${branch}: ${said}`, {
      hint: "Nothing was sent. The pipeline must be allowed to push to that branch.",
    });
  }

  /**
   * Writes the state in the project's folder to the branch, and takes the lock of
   * this id away with the same commit.
   *
   * @param {{ lock: string | undefined, words: string }} how
   * @returns {Promise<"stored" | "there already">}
   */
  async store({ lock, words }) {
    const { environment, branch } = this.#place;
    const { journal, checkpoint, base } = this.local();
    const paths = this.#paths();
    let said = "";
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const tip = await this.look();
      const same = isSame(tip.journal, journal) && isSame(tip.checkpoint, checkpoint);
      if (same && (tip.lock === undefined || tip.lock.id !== lock)) return "there already";
      if (tip.lock !== undefined && tip.lock.id !== lock) {
        throw lockedBy(tip.lock, environment, branch);
      }
      if (digestOf(tip.journal) !== base || !goesOn(journal, tip.journal)) {
        throw new Problem(
          `The state on the branch ${branch} has moved on: the one here does not continue it.`,
          { hint: "Nothing was written." },
        );
      }
      const commit = await this.#commit(tip, words, [
        [paths.journal, journal],
        [paths.checkpoint, checkpoint],
        [paths.lock, undefined],
      ]);
      const pushed = await this.#push(commit);
      if (pushed === undefined) return "stored";
      said = pushed;
      if (attempt < attempts) await pause(attempt);
    }
    throw new Problem(`The state cannot be pushed to the branch ${branch}: ${said}`);
  }

  /**
   * Takes the lock of this id away, and leaves the state as it is.
   *
   * @param {string} id
   */
  async unlock(id) {
    const { environment, branch } = this.#place;
    let said = "";
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const tip = await this.look();
      if (tip.lock === undefined) return;
      if (tip.lock.id !== id) throw lockedBy(tip.lock, environment, branch);
      const change = /** @type {const} */ ([this.#paths().lock, undefined]);
      const pushed = await this.#push(await this.#commit(tip, `Unlock ${environment}`, [change]));
      if (pushed === undefined) return;
      said = pushed;
      if (attempt < attempts) await pause(attempt);
    }
    throw new Problem(`The lock cannot be taken from the branch ${branch}: ${said}`);
  }

  /**
   * Puts the state of a moment into the project's folder. One that is there already
   * and says more is not written over.
   *
   * @param {Tip} tip
   */
  restore({ journal, checkpoint }) {
    const { branch } = this.#place;
    const files = this.#files();
    const here = this.local();
    if (here.journal !== undefined && !beginsWith(journal, here.journal)) {
      throw new Problem(`${files.journal} holds what the branch ${branch} does not.`, {
        hint: "Bring it there (ci/state.mjs push), or move it away. The state belongs in one place.",
      });
    }
    mkdirSync(files.folder, { recursive: true });
    for (const [path, content] of /** @type {const} */ ([
      [files.journal, journal],
      [files.checkpoint, checkpoint],
    ])) {
      if (content === undefined) rmSync(path, { force: true });
      else writeFileSync(path, content);
    }
    mkdirSync(dirname(files.base), { recursive: true });
    writeFileSync(files.base, `${digestOf(journal)}\n`);
  }

  /** The state in the project's folder, and which one of the branch it was made from. */
  local() {
    const { journal, checkpoint, base } = this.#files();
    return {
      journal: contentOf(journal),
      checkpoint: contentOf(checkpoint),
      base: contentOf(base)?.toString("utf8").trim(),
    };
  }

  /** Where things are on the branch. A repository may hold several projects. */
  #paths() {
    const { directory, environment } = this.#place;
    const prefix = directory === "." ? "" : `${directory}/`;
    return {
      lock: `${prefix}locks/${environment}.json`,
      journal: `${prefix}state/${environment}.journal.jsonl`,
      checkpoint: `${prefix}state/${environment}.json`,
    };
  }

  #files() {
    const { project, environment } = this.#place;
    const folder = join(project, ".ivrctl/state");
    return {
      folder,
      journal: join(folder, `${environment}.journal.jsonl`),
      checkpoint: join(folder, `${environment}.json`),
      base: join(project, `.ivrctl/pulled/${environment}`),
    };
  }

  async #repository() {
    if (this.#git !== undefined) return this.#git;
    const { url, header } = this.#place;
    const folder = mkdtempSync(join(tmpdir(), "ivrctl-state-"));
    temporary.push(folder);
    const git = new Git(folder, header === undefined ? undefined : { url, header });
    await git.text(["init", "--quiet", "--bare"]);
    this.#git = git;
    return git;
  }

  /**
   * @param {Git} git
   * @param {string} commit
   * @param {string} path
   * @returns {Promise<Buffer | undefined>}
   */
  async #file(git, commit, path) {
    const entry = await git.text(["ls-tree", commit, "--", path]);
    const oid = /^100644 blob ([0-9a-f]+)\t/.exec(entry)?.[1];
    if (oid !== undefined) return git.bytes(["cat-file", "blob", oid]);
    if (entry === "") return undefined;
    throw new Problem(`${path} on the branch ${this.#place.branch} is not a plain file.`);
  }

  /**
   * @param {Tip} parent
   * @param {string} words
   * @param {readonly (readonly [path: string, content: Buffer | undefined])[]} changes
   * @returns {Promise<string>}
   */
  async #commit(parent, words, changes) {
    const git = await this.#repository();
    const folder = await git.text(["rev-parse", "--absolute-git-dir"]);
    const env = { GIT_INDEX_FILE: join(folder, "index") };
    await git.text(
      parent.commit === undefined ? ["read-tree", "--empty"] : ["read-tree", parent.commit],
      { env },
    );
    const entries = [];
    for (const [path, content] of [...changes, attributes]) {
      const oid =
        content === undefined
          ? "0".repeat(40)
          : await git.text(["hash-object", "-w", "--no-filters", "--stdin"], { input: content });
      entries.push(`${content === undefined ? "0" : "100644"} ${oid}\t${path}\n`);
    }
    await git.text(["update-index", "--index-info"], { env, input: entries.join("") });
    const tree = await git.text(["write-tree"], { env });
    const on = parent.commit === undefined ? [] : ["-p", parent.commit];
    // No pipeline is to run for it.
    const [subject = "", ...more] = words.split("\n");
    const message = [`${subject} [skip ci]`, ...more].join("\n");
    return git.text(["commit-tree", tree, ...on, "-m", message]);
  }

  /**
   * @param {string} commit
   * @returns {Promise<string | undefined>} undefined where the branch is now at this commit
   */
  async #push(commit) {
    const git = await this.#repository();
    const { url, branch } = this.#place;
    const target = `${commit}:refs/heads/${branch}`;
    const { exit, stdout, stderr } = await git.attempt(["push", "--porcelain", "--", url, target]);
    if (exit === 0) return undefined;
    const refusal = /^!.*$/m.exec(stdout.toString("utf8"))?.[0];
    return saidBy([...(refusal === undefined ? [] : [refusal]), stderr].join("\n"));
  }

  /**
   * A look that failed is taken again, a bounded number of times.
   *
   * @param {() => Promise<string>} look
   */
  async #patiently(look) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await look();
      } catch (error) {
        if (attempt === looks) throw error;
        await pause(attempt);
      }
    }
  }
}

/** Gone with the process. @type {string[]} */
const temporary = [];
process.on("exit", () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

const attempts = 6;
const looks = 3;

/** @type {Tip} */
const emptyTip = { commit: undefined, journal: undefined, checkpoint: undefined, lock: undefined };

/** For people who check the branch out: git must not touch the journal's line ends. */
const attributes = /** @type {const} */ ([
  ".gitattributes",
  Buffer.from("*.jsonl -text\n*.json -text\n"),
]);

/**
 * A lock that cannot be read is a lock all the same.
 *
 * @param {string} text
 * @returns {Lock}
 */
function lockOf(text) {
  return { id: textAt(parsed(text), "id") ?? "unreadable", text };
}

/**
 * @param {Lock} lock
 * @returns {string} who, since when, and what for
 */
export function describeLock({ id, text }) {
  const value = parsed(text);
  const keys = listAt(value, "menus").map(
    (menu) =>
      `  ${textAt(menu, "action") ?? "?"} ${textAt(menu, "key") ?? "?"} “${textAt(menu, "name") ?? "?"}”`,
  );
  return [
    `Lock ${id}`,
    `by ${textAt(value, "run") ?? "an unknown run"}`,
    `since ${textAt(value, "since") ?? "an unknown time"}`,
    `for the commit ${textAt(value, "commit") ?? "?"}`,
    ...(keys.length === 0 ? [] : ["to do:", ...keys]),
  ].join("\n");
}

/**
 * @param {Lock} lock
 * @param {string} environment
 * @param {string} branch
 */
function lockedBy(lock, environment, branch) {
  return new Problem(
    `The state of ${environment} is locked on the branch ${branch}.\n${describeLock(lock)}`,
    {
      exit: 4,
      hint: "Nothing was sent. If that run is still at work, wait for it. If it is gone, see “A lock left behind” in docs/ci.md.",
    },
  );
}

/**
 * @param {Buffer | undefined} one
 * @param {Buffer | undefined} other
 */
function isSame(one, other) {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

/**
 * @param {Buffer | undefined} whole
 * @param {Buffer} start
 */
function beginsWith(whole, start) {
  return whole !== undefined && whole.subarray(0, start.length).equals(start);
}

/** @param {Buffer | undefined} journal */
function digestOf(journal) {
  return journal === undefined ? "none" : createHash("sha256").update(journal).digest("hex");
}

/** @param {string} path */
function contentOf(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Longer each time, and not the same for all who wait. @param {number} attempt */
function pause(attempt) {
  return sleep(150 * 2 ** attempt * (0.75 + Math.random() / 2));
}
