import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBatch } from "../../src/project/git.ts";
import { eventLines } from "../support/file-log.ts";
import { type Asked, type Fate, HttpProxy } from "../support/http-proxy.ts";
import { GitHttpServer } from "../support/git-http.ts";
import { Remote } from "./store-under-test.ts";
import { Random } from "./random.ts";

const ref = "refs/heads/ivrctl-state-e";
const newestRef = "refs/ivrctl/newest/ivrctl-state-e";

/** A bare repository behind git's own HTTP server, behind an HTTP proxy and a TCP proxy. */
export class InBranch extends Remote {
  readonly settings = "backend: git";
  readonly secrets = [];
  readonly #folder: string;
  readonly #server: GitHttpServer;
  readonly #httpProxy: HttpProxy;
  /** Sets the branch back, or deletes it. */
  #meddling: NodeJS.Timeout | undefined;
  /** The commit that the branch was at before that. */
  #lost: string | undefined;
  /** The journal at the commit that was read last. */
  #read = { tip: "", journal: "" };

  private constructor(folder: string, server: GitHttpServer, httpProxy: HttpProxy) {
    super(httpProxy.port);
    this.#folder = folder;
    this.#server = server;
    this.#httpProxy = httpProxy;
  }

  static async create(): Promise<InBranch> {
    const folder = mkdtempSync(join(tmpdir(), "ivrctl-faults-remote-"));
    const repository = join(folder, "phones.git");
    git(folder, "init", "--bare", "--quiet", "--initial-branch=main", repository);
    git(repository, "config", "http.receivepack", "true");
    git(repository, "config", "receive.autogc", "false");
    const server = new GitHttpServer(folder);
    await server.open();
    const httpProxy = new HttpProxy(server.port);
    await httpProxy.open();
    return new InBranch(folder, server, httpProxy);
  }

  get variables(): Readonly<Record<string, string>> {
    return {};
  }

  override prepare(root: string): void {
    git(root, "init", "--quiet");
    const url = `http://127.0.0.1:${this.tcpProxy.port}/phones.git`;
    git(root, "config", "remote.origin.url", url);
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  override events(_root: string, id: string): string {
    const repository = this.#repository;
    // What the branch had is what counts: a person restores it.
    const tip = this.#lost ?? this.#at(ref);
    if (tip === "") return "";
    if (tip !== this.#read.tip) {
      const names = git(repository, "ls-tree", "-r", "--name-only", tip, `e/${id}/log/`).trim();
      const paths = names.split("\n").sort();
      const input = paths.map((path) => `${tip}:${path}\n`).join("");
      const options = { cwd: repository, input, maxBuffer: 1e9 };
      const blobs = readBatch(execFileSync("git", ["cat-file", "--batch"], options), paths.length);
      const blocks = blobs.flatMap((blob) => blob ?? []);
      this.#read = { tip, journal: eventLines(blocks) };
    }
    return this.#read.journal;
  }

  override async calm(): Promise<void> {
    clearTimeout(this.#meddling);
    this.#httpProxy.fate = () => ({ kind: "pass" });
    await super.calm();
    await this.#httpProxy.arrived();
    if (this.#lost !== undefined) git(this.#repository, "update-ref", ref, this.#lost);
    this.#lost = undefined;
  }

  override kill(): void {
    this.#server.kill();
  }

  override readonly falter = (random: Random): string => {
    const rate = random.pick([0.1, 0.3, 0.6]);
    const what = random.choose({ busy: 2, lost: 3, late: 3, "set back": 4, deleted: 4 });
    if (what === "set back" || what === "deleted") {
      const wait = random.between(1, 1500);
      this.#meddling = setTimeout(() => this.#meddle(what), wait);
      return what;
    }
    // The seed does not decide how many requests there are.
    const perRequest = new Random(random.between(0, 1e9));
    this.#httpProxy.fate = (asked) =>
      perRequest.chance(rate) ? fateOf(what, asked, perRequest) : { kind: "pass" };
    return `${what}, ${rate} of the requests`;
  };

  override setBack(random: Random): boolean {
    // A push of both refs may have failed, and then only the branch was pushed.
    if (this.#at(ref) === this.#at(newestRef)) this.#meddle(random.pick(["set back", "deleted"]));
    return this.isLost;
  }

  override isRestored(): boolean {
    if (this.#at(ref) === this.#lost) this.#lost = undefined;
    return !this.isLost;
  }

  /** The commit of a ref. Empty if there is none. */
  #at(name: string): string {
    return git(this.#repository, "for-each-ref", "--format=%(objectname)", name).trim();
  }

  get #repository(): string {
    return join(this.#folder, "phones.git");
  }

  /** Does what a person with too many rights does by mistake. `calm` restores the branch. */
  #meddle(what: "set back" | "deleted"): void {
    const listed = this.#at(ref);
    if (listed === "") return;
    const back = git(this.#repository, "rev-list", "--max-count=3", listed)
      .trim()
      .split("\n")
      .at(-1);
    const blocks = (commit: string) =>
      git(this.#repository, "ls-tree", "-r", "--name-only", commit).match(/\/log\//g)?.length;
    // Without a block less, nothing is lost.
    if (back === undefined || (what === "set back" && blocks(back) === blocks(listed))) return;
    const change = what === "deleted" ? ["-d", ref] : [ref, back];
    try {
      // Fails if a push was accepted in the meantime.
      git(this.#repository, "update-ref", ...change, listed);
      this.#lost = listed;
    } catch {
      // The branch is as it was.
    }
  }

  override async close(): Promise<void> {
    clearTimeout(this.#meddling);
    await super.close();
    await this.#httpProxy.close();
    await this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", maxBuffer: 1e9 });
}

function fateOf(what: "busy" | "lost" | "late", { method }: Asked, random: Random): Fate {
  const done = method === "POST" && random.chance(0.5) ? "first" : "never";
  switch (what) {
    case "busy":
      return { kind: "answer", reaches: "never", status: 503, code: "Busy" };
    case "lost":
      return { kind: "cut", reaches: done };
    case "late":
      return random.chance(0.5)
        ? { kind: "cut", reaches: random.between(1, 3000) }
        : { kind: "pass", after: random.between(1, 1500) };
  }
}
