// @ts-check
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Git, saidBy } from "./git.mjs";
import { beginsWith, digestOf, goesOn, isSame } from "./journal.mjs";
import { lockOf, lockText, lockedBy } from "./lock.mjs";
import { Problem } from "./problem.mjs";
import { oneLine, shellWord } from "./text.mjs";

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

/** @typedef {import("./lock.mjs").Lock} Lock */

/**
 * @typedef {object} Tip
 * @property {string | undefined} commit undefined where there is no such branch
 * @property {Buffer | undefined} journal
 * @property {Buffer | undefined} checkpoint
 * @property {Lock | undefined} lock
 */

/**
 * @typedef {object} Change
 * @property {string} words of the commit
 * @property {readonly (readonly [path: string, content: Buffer | undefined])[]} files without content: to be gone
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
   * What it has, for whoever asked for something else: the environment, and in brackets the folder.
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
   * Keeps everybody else out, and says what the state is from now on.
   *
   * @param {string} id
   * @param {object} about who, for what: shown to whoever finds the lock
   * @returns {Promise<Tip>}
   */
  async lock(id, about) {
    const { environment } = this.#place;
    const text = lockText(id, environment, about);
    const { tip } = await this.#change("The lock cannot be put on", (tip) => {
      // Of a push that seemed to fail.
      if (tip.lock?.id === id) return undefined;
      this.#refuseLocked(tip, id);
      return { words: `Lock ${environment}`, files: [[this.#paths().lock, Buffer.from(text)]] };
    });
    return tip;
  }

  /**
   * Writes the state in the project's folder to the branch, and takes the lock of
   * this id away with the same commit.
   *
   * @param {{ lock: string | undefined, words: string, first?: boolean }} how `first`: the branch may have none
   * @returns {Promise<"stored" | "stored anew" | "there already">} anew: the one it was made from is gone
   */
  async store({ lock, words, first = false }) {
    const { journal, checkpoint, base } = this.local();
    const paths = this.#paths();
    const { tip, pushed } = await this.#change("The state cannot be pushed to", (tip) => {
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
    return gone ? "stored anew" : "stored";
  }

  /**
   * Takes the lock of this id away, and leaves the state as it is.
   *
   * @param {string} id
   */
  async unlock(id) {
    await this.#change("The lock cannot be taken from", (tip) => {
      if (tip.lock === undefined) return undefined;
      this.#refuseLocked(tip, id);
      const words = `Unlock ${this.#place.environment}`;
      return { words, files: [[this.#paths().lock, undefined]] };
    });
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

  /**
   * Looks, decides and pushes; where somebody else pushed meanwhile, all over again.
   *
   * @param {string} failing what is said where it comes to nothing
   * @param {(tip: Tip) => Change | undefined} decide undefined where nothing is left to do
   * @returns {Promise<{ tip: Tip, pushed: boolean }>}
   */
  async #change(failing, decide) {
    let said = "";
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const tip = await this.look();
      const change = decide(tip);
      if (change === undefined) return { tip, pushed: false };
      const refusal = await this.#push(await this.#commit(tip, change));
      if (refusal === undefined) return { tip, pushed: true };
      said = refusal;
      if (attempt < attempts) await pause(attempt);
    }
    throw new Problem(`${failing} the branch ${this.name}: ${said}`, {
      hint: "The pipeline must be allowed to push to that branch.",
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
          hint: "Nothing was written. To begin it with the one here, add --first.",
        })
      : new Problem(
          `The state on the branch ${this.name} has moved on: the one here does not continue it.`,
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
    throw new Problem(`${path} on the branch ${this.#place.branch} is not a plain file.`);
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
