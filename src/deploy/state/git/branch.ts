import { join } from "node:path";
import { type GitResult, git, readBatch } from "../../../project/git.ts";
import type { Host } from "../../../util/host.ts";
import { isLoopback } from "../../../util/address.ts";
import { failedWith, pathExists } from "../../../util/disk.ts";
import { secretsInAddress } from "../../../schema/store-settings.ts";
import { secrets } from "../../../util/secrets.ts";
import { shellWord } from "../../../util/suggest.ts";
import { StateProblem } from "../lock.ts";
import { StoreUnavailable } from "../retry.ts";
import { firstLine, refusedPush, remoteProblem } from "./remote-problems.ts";

/** Where a branch is. */
export interface BranchPlace {
  /** The project's folder, in a clone of the repository. */
  readonly root: string;
  /** The name of a remote, or an address. */
  readonly remote: string;
  readonly branch: string;
  readonly host: Host;
}

/** A file on the branch: its path, below a folder if one was asked for, and the id of its content. */
export interface FileEntry {
  readonly name: string;
  readonly blob: string;
}

/** The result of a push. `moved`: the branch is not where it was, so nothing was pushed. */
type Pushed = "accepted" | "moved";

/**
 * A branch of a remote repository. A push that names the commit it expects is the
 * compare-and-swap: the server accepts it only if the branch is still at that commit.
 *
 * Each push moves a second ref with the branch, `newestRef`. It shows every machine how far the branch
 * reached, and keeps those commits on the server. If a server refuses this ref, pushes go on without it.
 *
 * The work tree, index and branches of the clone stay as they are. Commands use the settings that git has
 * in the clone, such as credentials and proxies, and run no hook.
 */
export class StateBranch {
  /** The remote and the branch, as messages show them. */
  readonly address: string;
  readonly #place: BranchPlace;
  /** Where the branch and `newestRef` were when the remote was last asked. Null: there is no such ref. */
  #tip: string | null = null;
  #newest: string | null = null;
  /** How many pushes in a row arrived only without `newestRef`. */
  #refused = 0;
  #opening: Promise<Opened> | undefined;

  constructor(place: BranchPlace) {
    this.#place = place;
    this.address = `${place.remote}#${place.branch}`;
  }

  /** Returns the path of the project's folder in the repository: empty, or ends with `/`. */
  async prefix(): Promise<string> {
    return (await this.#open()).prefix;
  }

  /** Whether the work tree has a file, by its path in the repository. */
  async isInWorkTree(path: string): Promise<boolean> {
    return pathExists(join(await this.#text(["rev-parse", "--show-toplevel"]), path));
  }

  /** The ref on the server that is at the newest commit of ivrctl on the branch. */
  get newestRef(): string {
    return `refs/ivrctl/newest/${this.#place.branch}`;
  }

  /** Whether `newestRef` was at the tip when the remote was last asked. */
  get isWitnessed(): boolean {
    return this.#newest === this.#tip;
  }

  /** Asks the remote for both refs, and fetches what is new. Returns the tip. Null if there is no such branch. */
  async look(): Promise<string | null> {
    const { branch, remote } = this.#place;
    const seen = await this.seen();
    await this.#list();
    const incoming = `refs/ivrctl/incoming/${branch}`;
    const incomingNewest = `refs/ivrctl/incoming-newest/${branch}`;
    const isNew = this.#tip !== null && this.#tip !== seen;
    const isApart = this.#newest !== null && !this.isWitnessed;
    if (!isNew && !isApart) return this.#tip;
    await this.#ask([
      "fetch",
      "--quiet",
      "--no-tags",
      "--no-prune",
      "--no-filter",
      "--no-write-fetch-head",
      "--no-auto-maintenance",
      "--recurse-submodules=no",
      "--refmap=",
      // Commits of other branches say nothing about this one.
      ...(seen === null ? [] : [`--negotiation-tip=${seen}`]),
      "--",
      remote,
      ...(isNew ? [`+${this.#ref}:${incoming}`] : []),
      ...(isApart ? [`+${this.newestRef}:${incomingNewest}`] : []),
    ]);
    if (isApart) this.#newest = await this.#text(["rev-parse", "--verify", incomingNewest]);
    if (!isNew) return this.#tip;
    this.#tip = await this.#text(["rev-parse", "--verify", incoming]);
    return this.#tip;
  }

  /** The newest commit of ivrctl, if the branch is at a different one. */
  get otherNewest(): string | null {
    return this.isWitnessed ? null : this.#newest;
  }

  /** The paths of a commit's files that the branch lacks, or that differ there. */
  async lostSince(commit: string): Promise<readonly string[]> {
    if (commit === this.#tip) return [];
    const tip = this.#tip ?? (await this.#text(["mktree"]));
    const how = ["-r", "-z", "--no-renames", "--name-only", "--diff-filter=a"];
    const listed = await this.#text(["diff-tree", ...how, commit, tip]);
    return listed.split("\0").filter((path) => path !== "");
  }

  /** The files that were added by commits of the branch which are not in the history of this one. */
  async addedSince(commit: string): Promise<readonly FileEntry[]> {
    if (this.#tip === null) return [];
    const commits = await this.#bytes(["rev-list", this.#tip, `^${commit}`]);
    const how = ["-r", "-z", "-m", "--root", "--no-commit-id", "--no-renames", "--diff-filter=A"];
    const listed = await this.#bytes(["diff-tree", "--stdin", ...how], commits);
    const found = listed.toString("utf8").matchAll(/:\d+ \d+ \w+ (\w+) A\0([^\0]+)\0/g);
    return Array.from(found, ([, blob = "", name = ""]) => ({ name, blob }));
  }

  /** Whether the branch is no longer where `look` found it. */
  async hasMoved(): Promise<boolean> {
    const tip = this.#tip;
    await this.#list();
    return this.#tip !== tip;
  }

  /**
   * Returns the command that brings back the files of an earlier commit: of `newestRef`, or a commit that only
   * this clone may have. It is never a forced push, which servers refuse: if the branch has other commits, it
   * adds one after them. docs/state-git.md has it, too (Restore the branch).
   */
  async restoreCommand(commit: string): Promise<string> {
    const remote = shellWord(this.#place.remote);
    const [tip, ref] = [this.#tip, shellWord(this.#ref)];
    const isOlder = tip === null || (await this.#descends(commit, tip));
    const refs = [shellWord(this.newestRef), ...(isOlder ? [] : [ref])];
    const lease = `--force-with-lease=${shellWord(`${this.#ref}:${tip ?? ""}`)}`;
    const push = `git push --no-verify ${lease} ${remote}`;
    const commands = [
      ...(commit === this.#newest ? [`git fetch ${remote} ${refs.join(" ")}`] : []),
      ...(isOlder
        ? [`${push} ${commit}:${ref}`]
        : [
            // If this fails, nothing is pushed. Without a commit, git would delete the branch.
            `restored=$(git commit-tree -p ${tip} -m 'Restore the state [skip ci]' '${commit}^{tree}')`,
            `${push} "$restored":${ref}`,
          ]),
    ];
    return commands.join(" && ");
  }

  /** Whether the clone is neither shallow nor filtered. A server rejects what such a clone pushes back. */
  async isComplete(): Promise<boolean> {
    const shallow = await this.#text(["rev-parse", "--is-shallow-repository"]);
    const filtered = await this.#git(["config", "--get-regexp", "^remote[.].*[.]promisor$"]);
    return shallow === "false" && filtered.exit !== 0;
  }

  /** Finds the commits of the branch and of `newestRef`, without fetching them. */
  async #list(): Promise<void> {
    const refs = [this.#ref, this.newestRef];
    const listed = await this.#ask(["ls-remote", "--", this.#place.remote, ...refs]);
    const lines = listed.split("\n").map((line) => line.split("\t"));
    const [tip, newest] = refs.map((ref) => lines.find(([, name]) => name === ref)?.[0]);
    this.#tip = tip ?? null;
    this.#newest = newest ?? null;
  }

  /** Remembers the commit of a state that was read or written. git's log of the ref has the ones before. */
  async remember(commit: string): Promise<void> {
    await this.#bytes(["update-ref", "--create-reflog", this.#seenRef, commit]);
  }

  /** The commit that this clone remembers. */
  async seen(): Promise<string | null> {
    await this.#open();
    const { exit, stdout } = await this.#git(["rev-parse", "--verify", "--quiet", this.#seenRef]);
    return exit === 0 ? stdout.toString("latin1").trim() : null;
  }

  /** Reads the contents of blobs. */
  async read(blobs: readonly string[]): Promise<readonly Buffer[]> {
    if (blobs.length === 0) return [];
    const printed = await this.#bytes(["cat-file", "--batch"], `${blobs.join("\n")}\n`);
    const contents = readBatch(printed, blobs.length).flatMap((content) => content ?? []);
    if (contents.length === blobs.length) return contents;
    throw new Error("git cat-file printed something unexpected.");
  }

  /** Lists the files of a commit below a folder, with their paths from there. */
  async files(commit: string, folder: string): Promise<readonly FileEntry[]> {
    const tree = `${commit}:${folder}`;
    const { exit, stdout } = await this.#git(["ls-tree", "-r", "-z", "--full-tree", tree]);
    const lines = exit === 0 ? stdout.toString("utf8").split("\0") : [];
    return lines.flatMap((line) => {
      const [, blob, name] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      return blob !== undefined && name !== undefined ? [{ name, blob }] : [];
    });
  }

  /** Makes a commit after this one that writes some files, by path. Null deletes a file. */
  async change(
    parent: string | null,
    files: ReadonlyMap<string, Buffer | null>,
    message: string,
  ): Promise<string> {
    const { author } = await this.#open();
    const now = Math.floor(this.#place.host.clock.now().getTime() / 1000);
    const changes = [...files].map(([path, content]) => {
      const name = `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
      return content === null ? `D ${name}\n` : data(`M 100644 inline ${name}\n`, content);
    });
    const parts = [
      data(
        `commit refs/ivrctl/new\nmark :1\ncommitter ${author} ${now} +0000\n`,
        Buffer.from(`${message}\n\n[skip ci]\n`),
      ),
      parent === null ? "" : `from ${parent}\n`,
      ...changes,
      // Prints the id of the commit. After the reset, no ref is written.
      "\nget-mark :1\nreset refs/ivrctl/new\n\n",
    ];
    const input = Buffer.concat(parts.map((part) => Buffer.from(part)));
    return this.#text(["fast-import", "--quiet"], input);
  }

  /**
   * Moves the branch, and `newestRef` with it, from one commit to its descendant. Rejects with
   * `StoreUnavailable` if the answer is missing. Safe to repeat: a push that arrived is recognized.
   */
  async push(
    commit: string,
    expected: string | null,
    isAlone = this.#refused > 1,
  ): Promise<Pushed> {
    const newest = this.#newest;
    const refs = new Map([[this.#ref, expected]]);
    if (!isAlone) refs.set(this.newestRef, newest);
    const result = await this.#git([
      "push",
      "--porcelain",
      "--no-verify",
      "--no-follow-tags",
      "--no-signed",
      "--recurse-submodules=no",
      ...(isAlone ? [] : ["--atomic"]),
      ...[...refs].map(([ref, at]) => `--force-with-lease=${ref}:${at ?? ""}`),
      "--",
      this.#place.remote,
      ...[...refs.keys()].map((ref) => `${commit}:${ref}`),
    ]);
    if (result.exit === 0) {
      if (!isAlone) [this.#newest, this.#refused] = [commit, 0];
      this.#tip = commit;
      return "accepted";
    }
    const [, summary = ""] = /^!\t[^\t]*\t(.*)$/m.exec(result.stdout.toString("utf8")) ?? [];
    const reason = /\((.*)\)$/.exec(summary)?.[1] ?? summary;
    const lost = reason === "" ? remoteProblem(this.address, result) : undefined;
    // A server also ends without an answer if its hook `reference-transaction` refuses a ref.
    const mayBeRef = lost instanceof StoreUnavailable && result.exit !== null && !isAlone;
    if (lost !== undefined && !mayBeRef) throw lost;
    await this.#list();
    if (this.#tip === commit) return "accepted";
    if (this.#tip !== expected || this.#newest !== newest) return "moved";
    if (isAlone) throw refusedPush(this.address, reason, result.stderr);
    // If there was no answer, or a different transaction has locked the refs, a later push may arrive with it.
    this.#refused += lost !== undefined || reason === "atomic transaction failed" ? 1 : 2;
    return this.push(commit, expected, true).catch((error: unknown) => {
      // The push without an answer may still arrive.
      throw error instanceof StoreUnavailable ? error : (lost ?? error);
    });
  }

  get #ref(): string {
    return `refs/heads/${this.#place.branch}`;
  }

  get #seenRef(): string {
    return `refs/ivrctl/seen/${this.#place.branch}`;
  }

  /** Whether a commit is the same as another or comes after it. */
  async #descends(commit: string, from: string): Promise<boolean> {
    return (await this.#git(["merge-base", "--is-ancestor", from, commit])).exit === 0;
  }

  /** Runs a command that asks the remote, and returns what it printed. */
  async #ask(args: readonly string[]): Promise<string> {
    const result = await this.#git(args);
    if (result.exit !== 0) throw remoteProblem(this.address, result);
    return result.stdout.toString("utf8");
  }

  /** Runs a command that needs no network, and returns what it printed. */
  async #bytes(args: readonly string[], input?: string | Buffer): Promise<Buffer> {
    const { exit, stdout, stderr } = await this.#git(args, input);
    if (exit === 0) return stdout;
    const reason = firstLine(stderr);
    // A killed git leaves its lock file.
    const hint = /\.lock': File exists/.test(reason)
      ? "If no git command is running in this clone, delete this file."
      : "Fix this in the clone, then run the command again.";
    throw new StateProblem("IVR604", `\`git ${args[0]}\` failed: ${reason}`, hint);
  }

  async #text(args: readonly string[], input?: Buffer): Promise<string> {
    return (await this.#bytes(args, input)).toString("utf8").trimEnd();
  }

  /** Runs git in the clone and returns what it printed, whatever its exit code. */
  async #git(args: readonly string[], input?: string | Buffer): Promise<GitResult> {
    const { root, host } = this.#place;
    const own = ownSettings.flatMap((setting) => ["-c", setting]);
    return git(["-C", root, ...own, ...args], host, input).catch((error: unknown) => {
      throw failedWith(error, "ENOENT")
        ? new StateProblem(
            "IVR671",
            "The program `git` was not found.",
            "Install git 2.32 or later.",
          )
        : new StateProblem("IVR671", `The program \`git\` cannot be started: ${String(error)}.`);
    });
  }

  #open(): Promise<Opened> {
    return (this.#opening ??= this.#find());
  }

  /** Finds the clone. */
  async #find(): Promise<Opened> {
    const { root, remote } = this.#place;
    const { exit, stdout: prefix } = await this.#git(["rev-parse", "--show-prefix"]);
    if (exit !== 0) {
      throw new StateProblem(
        "IVR604",
        `The state is on a branch, but ${root} is not in a git repository.`,
        "Run ivrctl in a clone of the repository, or choose a different `backend:` under `state:`.",
      );
    }
    const url = await this.#text(["ls-remote", "--get-url", "--", remote]);
    for (const secret of secretsInAddress(url)) secrets.add(secret);
    refuseInsecure(url);
    const { stdout } = await this.#git(["var", "GIT_AUTHOR_IDENT"]);
    const [author = "ivrctl <ivrctl@localhost>"] = /^.*<.*>/.exec(stdout.toString("utf8")) ?? [];
    return { prefix: prefix.toString("utf8").trimEnd(), author };
  }
}

interface Opened {
  readonly prefix: string;
  /** The author of commits: NAME <EMAIL>. */
  readonly author: string;
}

/** Credentials must not travel in the clear. */
function refuseInsecure(url: string): void {
  const [, scheme, host = ""] = /^(http|git):\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:]*)/i.exec(url) ?? [];
  if (scheme === undefined || isLoopback(host)) return;
  throw new StateProblem(
    "IVR604",
    `The remote uses ${scheme}, which is not encrypted.`,
    "Use an https or ssh address for the remote.",
  );
}

const ownSettings = [
  "core.hooksPath=/dev/null",
  // git would make up an author.
  "user.useConfigOnly=true",
  // A redirect could send credentials to a different server.
  "http.followRedirects=false",
];

/** A command of `git fast-import` and its content. */
function data(command: string, content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`${command}data ${content.length}\n`),
    content,
    Buffer.from("\n"),
  ]);
}
