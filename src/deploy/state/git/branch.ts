import { type GitResult, git, readBatch } from "../../../project/git.ts";
import type { Host } from "../../../util/host.ts";
import { isLoopback } from "../../../schema/address.ts";
import { failedWith } from "../../../util/disk.ts";
import { shellWord } from "../../../util/suggest.ts";
import { StateProblem } from "../store.ts";
import { firstLine, refusedPush, remoteProblem } from "./problems.ts";

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
 * The clone has the objects of the whole branch, so that a lost branch can be restored from it. Its work
 * tree, index and branches stay as they are. Commands use the settings that git has in the clone,
 * such as credentials and proxies, and run no hook.
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
    const { branch, remote } = this.#place;
    const seen = await this.#seen();
    this.#tip = await this.#remoteTip();
    if (this.#tip === null || this.#tip === seen) return this.#tip;
    const incoming = `refs/ivrctl/incoming/${branch}`;
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
      `+${this.#ref}:${incoming}`,
    ]);
    this.#tip = await this.#text(["rev-parse", "--verify", incoming]);
    if (seen === null || (await this.#descends(this.#tip, seen))) await this.remember(this.#tip);
    return this.#tip;
  }

  /**
   * Returns the command that sets the branch to the last commit that this clone has seen, if the tip
   * does not descend from it. Null: that would delete newer changes. docs/state-backends.md has the
   * same command (Restore a branch).
   */
  async restoreCommand(): Promise<string | null | undefined> {
    const seen = await this.#seen();
    const tip = this.#tip;
    if (seen === null || (tip !== null && (await this.#descends(tip, seen)))) return undefined;
    if (tip !== null && !(await this.#descends(seen, tip))) return null;
    const lease = `--force-with-lease=${shellWord(`${this.#ref}:${tip ?? ""}`)}`;
    const what = shellWord(`${seen}:${this.#ref}`);
    return `git push --no-verify ${lease} ${shellWord(this.#place.remote)} ${what}`;
  }

  /** Returns the commit that the branch is at, without fetching it. */
  async #remoteTip(): Promise<string | null> {
    const listed = await this.#ask(["ls-remote", "--", this.#place.remote, this.#ref]);
    const line = listed.split("\n").find((one) => one.endsWith(`\t${this.#ref}`));
    return line?.split("\t")[0] ?? null;
  }

  /** Remembers that the branch reached this commit. A later tip has to descend from it. */
  async remember(commit: string): Promise<void> {
    await this.#bytes(["update-ref", this.#seenRef, commit]);
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
    const { exit, stdout } = await this.#git([
      "ls-tree",
      "-r",
      "-z",
      "--full-tree",
      `${commit}:${folder}`,
    ]);
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
   * Moves the branch from one commit to its descendant. Rejects with `StoreUnavailable` if the
   * answer is missing. Safe to repeat: a push that arrived is recognized.
   */
  async push(commit: string, expected: string | null): Promise<Pushed> {
    const result = await this.#git([
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

  get #seenRef(): string {
    return `refs/ivrctl/seen/${this.#place.branch}`;
  }

  async #seen(): Promise<string | null> {
    await this.#open();
    const { exit, stdout } = await this.#git(["rev-parse", "--verify", "--quiet", this.#seenRef]);
    return exit === 0 ? stdout.toString("latin1").trim() : null;
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
      : undefined;
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
    refuseInsecure(await this.#text(["ls-remote", "--get-url", "--", remote]));
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

function withoutCredentials(remote: string): string {
  return remote.replace(/\/\/[^/@\s]+@/, "//");
}
