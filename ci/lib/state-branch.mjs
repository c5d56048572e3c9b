// @ts-check
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Git, reasonIn } from "./git.mjs";
import { beginsWith, digestOf, goesOn, isSame } from "./journal.mjs";
import { lockOf, lockText, lockedBy } from "./lock.mjs";
import { Problem } from "./problem.mjs";
import { oneLine, shellWord } from "./text.mjs";

/**
 * The state on its own git branch. A push without force works as compare-and-swap: the server
 * accepts a commit only on top of its parent.
 *
 * - An apply first pushes a lock to the branch. Other runs do not start while it exists.
 * - The commit that saves the state also removes the lock.
 * - A run that dies leaves its lock behind, so that a person checks before anything is created
 *   a second time.
 *
 * Trees and commits are made with git plumbing commands in a temporary repository. So the checkout
 * does not change, no hook or filter runs, and every byte is kept.
 */

/** @typedef {import("./lock.mjs").Lock} Lock */

/**
 * @typedef {object} Tip
 * @property {string | undefined} commit undefined if the branch does not exist
 * @property {Buffer | undefined} journal
 * @property {Buffer | undefined} checkpoint
 * @property {Lock | undefined} lock
 */

/**
 * @typedef {object} Change
 * @property {string} words the message of the commit
 * @property {readonly (readonly [path: string, content: Buffer | undefined])[]} files a file without content is deleted
 */

/**
 * @typedef {object} Place
 * @property {string} url
 * @property {string | undefined} header
 * @property {string} branch
 * @property {string} environment
 * @property {string} project the folder of the project
 * @property {string} directory the same, relative to the top of the repository: `.` or `a/b`
 */

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
   * Fetches the current content of the branch.
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
   * Lists the states on the branch: the environment, and the folder in parentheses.
   *
   * @param {Tip} tip
   * @returns {Promise<string[]>}
   */
  async states({ commit }) {
    if (commit === undefined) return [];
    const git = await this.#repository();
    const paths = await git.text(["ls-tree", "-r", "-z", "--name-only", commit]);
    return paths.split("\0").flatMap((path) => {
      const [, folder, name] = /^(?:(.*)\/)?state\/([^/]+)\.journal\.jsonl$/.exec(path) ?? [];
      if (name === undefined) return [];
      return folder === undefined ? [name] : [oneLine(`${name} (-C ${shellWord(folder)})`)];
    });
  }

  /**
   * Locks the state and returns it.
   *
   * @param {string} id
   * @param {object} about who holds the lock and why, for people
   * @returns {Promise<Tip>}
   */
  async lock(id, about) {
    const { environment } = this.#place;
    const text = lockText(id, environment, about);
    const { tip } = await this.#change("Cannot push the lock to", (tip) => {
      // An earlier push seemed to fail but succeeded.
      if (tip.lock?.id === id) return undefined;
      this.#refuseLocked(tip, id);
      return { words: `Lock ${environment}`, files: [[this.#paths().lock, Buffer.from(text)]] };
    });
    return tip;
  }

  /**
   * Saves the state of the project on the branch, and removes the lock with this id in the same
   * commit.
   *
   * @param {{ lock: string | undefined, words: string, first?: boolean }} how `first`: the branch may be without a state
   * @returns {Promise<"stored" | "recreated" | "there already">} recreated: the branch had lost the state
   */
  async store({ lock, words, first = false }) {
    const { journal, checkpoint, base } = this.local();
    const paths = this.#paths();
    const { tip, pushed } = await this.#change("Cannot push the state to", (tip) => {
      const same = isSame(tip.journal, journal) && isSame(tip.checkpoint, checkpoint);
      if (same && (tip.lock === undefined || tip.lock.id !== lock)) return undefined;
      this.#refuseLocked(tip, lock);
      const begins = first && tip.journal === undefined && journal !== undefined;
      if (!begins && (digestOf(tip.journal) !== base || !goesOn(journal, tip.journal))) {
        throw this.#misfit(tip);
      }
      const files = /** @type {const} */ ([
        [paths.journal, journal],
        [paths.checkpoint, checkpoint],
        [paths.lock, undefined],
      ]);
      return { words, files };
    });
    if (!pushed) return "there already";
    const gone = tip.journal === undefined && base !== undefined && base !== digestOf(undefined);
    return gone ? "recreated" : "stored";
  }

  /**
   * Removes the lock with this id, and leaves the state as it is.
   *
   * @param {string} id
   */
  async unlock(id) {
    await this.#change("Cannot remove the lock from", (tip) => {
      if (tip.lock === undefined) return undefined;
      this.#refuseLocked(tip, id);
      const words = `Unlock ${this.#place.environment}`;
      return { words, files: [[this.#paths().lock, undefined]] };
    });
  }

  /**
   * Copies the state of the branch to the project. Refuses to overwrite a state that has more
   * entries.
   *
   * @param {Tip} tip
   */
  restore({ journal, checkpoint }) {
    const { branch } = this.#place;
    const files = this.#files();
    const here = this.local();
    if (here.journal !== undefined && !beginsWith(journal, here.journal)) {
      throw new Problem(`${files.journal} has entries that the branch ${branch} does not have.`, {
        hint: "Push them with `ci/state.mjs push`, or move the file away.",
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

  /** Returns the state of the project, and the digest of the branch state that it was copied from. */
  local() {
    const { journal, checkpoint, base } = this.#files();
    return {
      journal: contentOf(journal),
      checkpoint: contentOf(checkpoint),
      base: contentOf(base)?.toString("utf8").trim(),
    };
  }

  /** Returns the paths on the branch. A repository can have several projects. */
  #paths() {
    const { directory, environment } = this.#place;
    const prefix = directory === "." ? "" : `${directory}/`;
    return {
      lock: `${prefix}locks/${environment}.json`,
      journal: `${prefix}state/${environment}.journal.jsonl`,
      checkpoint: `${prefix}state/${environment}.json`,
    };
  }

  /**
   * Fetches the branch, decides and pushes. Starts again if another run pushed meanwhile.
   *
   * @param {string} failing the start of the error message
   * @param {(tip: Tip) => Change | undefined} decide undefined if there is nothing to do
   * @returns {Promise<{ tip: Tip, pushed: boolean }>}
   */
  async #change(failing, decide) {
    let reason = "";
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const tip = await this.look();
      const change = decide(tip);
      if (change === undefined) return { tip, pushed: false };
      const refusal = await this.#push(await this.#commit(tip, change));
      if (refusal === undefined) return { tip, pushed: true };
      reason = refusal;
      if (attempt < attempts) await pause(attempt);
    }
    throw new Problem(`${failing} the branch ${this.name}: ${reason}`, {
      hint: "Allow the pipeline to push to this branch.",
    });
  }

  /**
   * @param {Tip} tip
   * @param {string | undefined} id
   */
  #refuseLocked({ lock }, id) {
    if (lock === undefined || lock.id === id) return;
    throw lockedBy(lock, this.#place.environment, this.name);
  }

  /** @param {Tip} tip */
  #misfit({ journal }) {
    return journal === undefined
      ? new Problem(`The branch ${this.name} has no state of ${this.#place.environment}.`, {
          hint: "Nothing was written. To start with the state in this folder, add --first.",
        })
      : new Problem(
          `The state on the branch ${this.name} has changed, and the state in this folder does not continue it.`,
          { hint: "Nothing was written." },
        );
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
    throw new Problem(`${path} on the branch ${this.#place.branch} is not a regular file.`);
  }

  /**
   * @param {Tip} parent
   * @param {Change} change
   * @returns {Promise<string>}
   */
  async #commit(parent, { words, files }) {
    const git = await this.#repository();
    const folder = await git.text(["rev-parse", "--absolute-git-dir"]);
    const env = { GIT_INDEX_FILE: join(folder, "index") };
    await git.text(
      parent.commit === undefined ? ["read-tree", "--empty"] : ["read-tree", parent.commit],
      { env },
    );
    const entries = [];
    for (const [path, content] of [...files, attributes]) {
      const oid =
        content === undefined
          ? "0".repeat(40)
          : await git.text(["hash-object", "-w", "--no-filters", "--stdin"], { input: content });
      entries.push(`${content === undefined ? "0" : "100644"} ${oid}\t${path}\n`);
    }
    await git.text(["update-index", "--index-info"], { env, input: entries.join("") });
    const tree = await git.text(["write-tree"], { env });
    const on = parent.commit === undefined ? [] : ["-p", parent.commit];
    // This commit must not start a pipeline.
    const [subject = "", ...more] = words.split("\n");
    const message = [`${subject} [skip ci]`, ...more].join("\n");
    return git.text(["commit-tree", tree, ...on, "-m", message]);
  }

  /**
   * @param {string} commit
   * @returns {Promise<string | undefined>} undefined if the push succeeded
   */
  async #push(commit) {
    const git = await this.#repository();
    const { url, branch } = this.#place;
    const target = `${commit}:refs/heads/${branch}`;
    const { exit, stdout, stderr } = await git.attempt(["push", "--porcelain", "--", url, target]);
    if (exit === 0) return undefined;
    const refusal = /^!.*$/m.exec(stdout.toString("utf8"))?.[0];
    return reasonIn([...(refusal === undefined ? [] : [refusal]), stderr].join("\n"));
  }

  /**
   * Retries a read of the remote a limited number of times.
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

/** Folders to delete when the process exits. @type {string[]} */
const temporary = [];
process.on("exit", () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

const attempts = 6;
const looks = 3;

/** @type {Tip} */
const emptyTip = { commit: undefined, journal: undefined, checkpoint: undefined, lock: undefined };

/** Keeps git from changing line endings if a person checks out the branch. */
const attributes = /** @type {const} */ ([
  ".gitattributes",
  Buffer.from("*.jsonl -text\n*.json -text\n"),
]);

/** @param {string} path */
function contentOf(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Waits longer after each attempt, with a random part. @param {number} attempt */
function pause(attempt) {
  return sleep(150 * 2 ** attempt * (0.75 + Math.random() / 2));
}
