import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Asked, type Fate, Gate } from "../support/gate.ts";
import { GitHttpServer } from "../support/git-http.ts";
import { Remote } from "./home.ts";
import { Random } from "./random.ts";

/** A bare repository behind git's own HTTP server, a gate and a cable. */
export class InBranch extends Remote {
  readonly settings: readonly string[];
  readonly target = ["--to", "git"];
  readonly secrets = [];
  readonly #folder: string;
  readonly #server: GitHttpServer;
  readonly #gate: Gate;

  private constructor(folder: string, server: GitHttpServer, gate: Gate) {
    super(gate.port);
    this.#folder = folder;
    this.#server = server;
    this.#gate = gate;
    this.settings = ["    state: { backend: git }"];
  }

  static async create(): Promise<InBranch> {
    const folder = mkdtempSync(join(tmpdir(), "ivrctl-faults-remote-"));
    const repository = join(folder, "phones.git");
    git(folder, "init", "--bare", "--quiet", "--initial-branch=main", repository);
    git(repository, "config", "http.receivepack", "true");
    const server = new GitHttpServer(folder);
    await server.open();
    const gate = new Gate(server.port);
    await gate.open();
    return new InBranch(folder, server, gate);
  }

  get variables(): Readonly<Record<string, string>> {
    return {};
  }

  override prepare(root: string): void {
    git(root, "init", "--quiet");
    const url = `http://127.0.0.1:${this.cable.port}/phones.git`;
    git(root, "config", "remote.origin.url", url);
  }

  override journal(): string {
    const ref = "refs/heads/ivrctl-state-e";
    const repository = join(this.#folder, "phones.git");
    if (git(repository, "for-each-ref", ref) === "") return "";
    const names = git(repository, "ls-tree", "--name-only", `${ref}:e`).trim().split("\n");
    const segments = names.filter((name) => /^journal-\d+\.jsonl$/.test(name)).sort();
    const files = [...segments, ...names.filter((name) => name === "journal.jsonl")];
    return files.map((name) => git(repository, "show", `${ref}:e/${name}`)).join("");
  }

  override async calm(): Promise<void> {
    this.#gate.fate = () => ({ kind: "pass" });
    await super.calm();
    await this.#gate.arrived();
  }

  override kill(): void {
    this.#server.kill();
  }

  override readonly falter = (random: Random): string => {
    const rate = random.pick([0.1, 0.3, 0.6]);
    const what = random.choose({ busy: 2, lost: 3, late: 3 });
    // The seed does not decide how many requests there are.
    const own = new Random(random.between(0, 1e9));
    this.#gate.fate = (asked) => (own.chance(rate) ? fateOf(what, asked, own) : { kind: "pass" });
    return `${what}, ${rate} of the requests`;
  };

  override async close(): Promise<void> {
    await super.close();
    await this.#gate.close();
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
