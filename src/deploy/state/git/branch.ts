import { randomUUID } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { readBatch } from "../../../project/git.ts";
import type { Host } from "../../../util/host.ts";
import { isLoopback } from "../../../schema/address.ts";
import { shellWord } from "../../../util/suggest.ts";
import { StateProblem } from "../store.ts";
import { Git, type GitSetting } from "./run-git.ts";
import { refusedPush, remoteProblem } from "./problems.ts";

/** Where a branch is. */
export interface BranchPlace {
  /** The project's folder, in a clone of the repository. */
  readonly root: string;
  /** The name of a remote, or an address. */
  readonly remote: string;
  readonly branch: string;
  readonly host: Host;
}

/** A file on the branch: its path below a folder, and the id of its content. */
interface FileEntry {
  readonly name: string;
  readonly blob: string;
}

/** The result of a push. `moved`: the branch is not where it was, so nothing was pushed. */
type Pushed = "accepted" | "moved";

/**
 * A branch of a remote repository. A push that names the commit it expects is the
 * compare-and-swap: the server accepts it only if the branch is still at that commit.
 *
 * Objects are kept in a bare repository of ivrctl inside the clone's git directory. So
 * the clone's work tree, index and refs stay as they are. The repository has the whole history, so
 * that a lost branch can be restored from it. Commands use the settings that git has in the clone,
 * such as credentials and proxies.
 */
export class Branch {
  /** The remote and the branch, as messages show them. */
  readonly address: string;
  readonly #place: BranchPlace;
  /** The commit that the branch was at when the remote was last asked. Null if there is no such branch. */
  #tip: string | null = null;
  #opening: Promise<Opened> | undefined;

  constructor(place: BranchPlace) {
    this.#place = place;
    this.address = `${withoutCredentials(place.remote)}#${place.branch}`;
  }

  /** Returns the path of the project's folder in the repository: empty, or ends with `/`. */
  async prefix(): Promise<string> {
    return (await this.#open()).prefix;
  }

  /** Asks the remote for the tip, and fetches it if it is new. Null if there is no such branch. */
  async look(): Promise<string | null> {
    const { git, seenRef } = await this.#open();
    const seen = await this.#seen();
    this.#tip = await this.#remoteTip();
    if (this.#tip === null || this.#tip === seen) return this.#tip;
    const incoming = seenRef.replace("/seen/", "/incoming/");
    await this.#ask([
      "fetch",
      "--quiet",
      "--no-tags",
      "--no-write-fetch-head",
      "--recurse-submodules=no",
      "--refmap=",
      "--",
      this.#place.remote,
      `+${this.#ref}:${incoming}`,
    ]);
    this.#tip = await git.text(["rev-parse", "--verify", incoming]);
    if (seen === null || (await this.#descends(this.#tip, seen))) await this.remember(this.#tip);
    return this.#tip;
  }

  /**
   * Returns the command that sets the branch to the last commit that this clone has seen, if the tip
   * does not descend from it. Null: that would delete newer changes. docs/state-backends.md has the
   * same command (Restore a branch).
   */
  async restoreCommand(): Promise<string | null | undefined> {
    const { remote, branch } = this.#place;
    const seen = await this.#seen();
    const tip = this.#tip;
    if (seen === null || (tip !== null && (await this.#descends(tip, seen)))) return undefined;
    if (tip !== null && !(await this.#isOlder(tip, seen))) return null;
    const from = '"$(git rev-parse --path-format=absolute --git-common-dir)/ivrctl"';
    const lease = `--force-with-lease=${shellWord(`${this.#ref}:${tip ?? ""}`)}`;
    const to = `${shellWord(remote)} ${shellWord(`${seen}:${this.#ref}`)}`;
    return `git fetch ${from} ${shellWord(seenRefOf(branch))} && git push --no-verify ${lease} ${to}`;
  }

  /** Returns the commit that the branch is at, without fetching it. */
  async #remoteTip(): Promise<string | null> {
    const listed = await this.#ask(["ls-remote", "--", this.#place.remote, this.#ref]);
    const line = listed.split("\n").find((one) => one.endsWith(`\t${this.#ref}`));
    return line?.split("\t")[0] ?? null;
  }

  /** Remembers that the branch reached this commit. A later tip has to descend from it. */
  async remember(commit: string): Promise<void> {
    const { git, seenRef } = await this.#open();
    await git.bytes(["update-ref", seenRef, commit]);
  }

  /** Reads the contents of blobs. */
  async read(blobs: readonly string[]): Promise<readonly Buffer[]> {
    if (blobs.length === 0) return [];
    const { git } = await this.#open();
    const printed = await git.bytes(["cat-file", "--batch"], `${blobs.join("\n")}\n`);
    const contents = readBatch(printed, blobs.length).flatMap((one) =>
      one.kind === "blob" ? one.content : [],
    );
    if (contents.length === blobs.length) return contents;
    throw new Error("git cat-file printed something unexpected.");
  }

  /** Lists the files of a commit below a folder, with their paths from there. */
  async files(commit: string, folder: string): Promise<readonly FileEntry[]> {
    const { git } = await this.#open();
    const { exit, stdout } = await git.attempt(["ls-tree", "-r", "-z", `${commit}:${folder}`]);
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
    const { git, author } = await this.#open();
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
    return git.text(["fast-import", "--quiet"], input);
  }

  /**
   * Moves the branch from one commit to its descendant. Rejects with `StoreUnavailable` if the
   * answer is missing. Safe to repeat: a push that arrived is recognized.
   */
  async push(commit: string, expected: string | null): Promise<Pushed> {
    const { git } = await this.#open();
    const result = await git.attempt([
      "push",
      "--porcelain",
      "--no-verify",
      "--no-follow-tags",
      "--no-signed",
      "--recurse-submodules=no",
      `--force-with-lease=${this.#ref}:${expected ?? ""}`,
      "--",
      this.#place.remote,
      `${commit}:${this.#ref}`,
    ]);
    const status = /^([ *+=!-])\t[^\t]*\t(.*)$/m.exec(result.stdout.toString("utf8"));
    const [, flag, summary = ""] = status ?? [];
    if (result.exit === 0 && flag !== "!") return "accepted";
    if (flag !== "!") throw remoteProblem(this.address, result);
    const tip = await this.#remoteTip();
    if (tip === commit) return "accepted";
    if (tip !== expected) return "moved";
    const reason = /\((.*)\)$/.exec(summary)?.[1] ?? summary;
    throw refusedPush(this.address, reason, result.stderr);
  }

  get #ref(): string {
    return `refs/heads/${this.#place.branch}`;
  }

  async #seen(): Promise<string | null> {
    const { git, seenRef } = await this.#open();
    const { exit, stdout } = await git.attempt(["rev-parse", "--verify", "--quiet", seenRef]);
    return exit === 0 ? stdout.toString("latin1").trim() : null;
  }

  /** Whether a commit is the same as another or comes after it. */
  async #descends(commit: string, from: string): Promise<boolean> {
    const { git } = await this.#open();
    const { exit } = await git.attempt(["merge-base", "--is-ancestor", from, commit]);
    return exit === 0;
  }

  /** Whether nothing but locks came after the last commit that is part of both. */
  async #isOlder(commit: string, than: string): Promise<boolean> {
    const { git } = await this.#open();
    const { exit, stdout } = await git.attempt(["merge-base", commit, than]);
    if (exit !== 0) return false;
    const shared = stdout.toString("latin1").trim();
    const added = await git.text(["diff", "--text", shared, commit]);
    return !/^\+\{(?:"sum":"\w+",|.*"kind":"moved")/m.test(added);
  }

  /** Runs a command that asks the remote, and returns what it printed. */
  async #ask(args: readonly string[]): Promise<string> {
    const { git } = await this.#open();
    const result = await git.attempt(args);
    if (result.exit !== 0) throw remoteProblem(this.address, result);
    return result.stdout.toString("utf8");
  }

  #open(): Promise<Opened> {
    return (this.#opening ??= open(this.#place));
  }
}

interface Opened {
  readonly git: Git;
  readonly seenRef: string;
  readonly prefix: string;
  /** The author of commits: NAME <EMAIL>. */
  readonly author: string;
}

/** Finds the clone, and creates ivrctl's repository in it if there is none. */
async function open({ root, remote, branch, host }: BranchPlace): Promise<Opened> {
  const clone = new Git(root, { host });
  const asked = ["rev-parse", "--git-common-dir", "--show-prefix", "--show-object-format"];
  const found = await clone.attempt(asked);
  if (found.exit !== 0) {
    throw new StateProblem(
      "IVR604",
      `The state is on a branch, but ${root} is not in a git repository.`,
      "Run ivrctl in a clone of the repository, or choose a different `backend:` under `state:`.",
    );
  }
  refuseInsecure(await clone.text(["ls-remote", "--get-url", "--", remote]));
  const [folder = "", prefix = "", format = "sha1"] = found.stdout.toString("utf8").split("\n");
  const gitDir = join(isAbsolute(folder) ? folder : resolve(root, folder), "ivrctl");
  if (!existsSync(gitDir)) await createRepository(clone, gitDir, format);
  const listed = await clone.bytes(["config", "--list", "-z"]);
  const settings = [...settingsIn(listed.toString("utf8")), ...ownSettings];
  const git = new Git(root, { gitDir, settings, host });
  const { stdout } = await git.attempt(["var", "GIT_AUTHOR_IDENT"]);
  const [author = "ivrctl <ivrctl@localhost>"] = /^.*<.*>/.exec(stdout.toString("utf8")) ?? [];
  return { git, seenRef: seenRefOf(branch), prefix, author };
}

function seenRefOf(branch: string): string {
  return `refs/ivrctl/seen/${branch}`;
}

/** Other processes see a complete repository or none. */
async function createRepository(clone: Git, gitDir: string, format: string): Promise<void> {
  const made = `${gitDir}.${randomUUID()}`;
  const options = ["--bare", "--quiet", "--template=", `--object-format=${format}`];
  await clone.bytes(["init", ...options, made]);
  try {
    renameSync(made, gitDir);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(gitDir)) throw error;
  }
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

/** The settings of the clone that a connection and a commit depend on. */
function settingsIn(listed: string): readonly GitSetting[] {
  return listed.split("\0").flatMap((entry): GitSetting[] => {
    const end = entry.indexOf("\n");
    const name = end === -1 ? entry : entry.slice(0, end);
    return passedOn.test(name) ? [[name, end === -1 ? "true" : entry.slice(end + 1)]] : [];
  });
}

const passedOn =
  /^(?:credential|http|url|remote|ssh|protocol|user|author|committer)\.|^core\.(?:sshcommand|askpass|gitproxy)$/;

const ownSettings: readonly GitSetting[] = [
  ["core.hooksPath", "/dev/null"],
  ["gc.autoDetach", "false"],
  // git would make up an author.
  ["user.useConfigOnly", "true"],
  // A redirect could send credentials to a different server.
  ["http.followRedirects", "false"],
];

/** A command of `git fast-import` and its content. */
function data(command: string, content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`${command}data ${content.length}\n`),
    content,
    Buffer.from("\n"),
  ]);
}

function withoutCredentials(remote: string): string {
  return remote.replace(/\/\/[^/@\s]+@/, "//");
}
