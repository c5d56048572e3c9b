import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf } from "../../src/deploy/plan/digest.ts";
import type { FaultRule } from "../../src/sandbox/server.ts";
import { Accounts } from "./accounts.ts";
import { inFiles } from "./home.ts";
import { Menus } from "./menus.ts";
import { type Ran, run } from "./process.ts";
import { Random, seedOf } from "./random.ts";
import { type Found, type Searched, maxFound } from "./search.ts";
import { Finding, Tally, count, shownOf } from "./stage.ts";
import { WatchedService } from "./watched-service.ts";

interface Search {
  readonly seed: number;
  readonly seconds: number;
  readonly only?: number | undefined;
}

/**
 * Plays rounds with a service that can list and update menus, while somebody also changes and
 * deletes menus on the console. Answers get lost, and lists lag behind or are cut off.
 */
export async function searchMoreOperations({ seed, seconds, only }: Search): Promise<Searched> {
  const tally = new Tally();
  const found: Found[] = [];
  const deadline = performance.now() + seconds * 1000;
  for (let index = only ?? 0; found.length < maxFound; index += 1) {
    if (only === undefined ? performance.now() > deadline : index > only) break;
    const round = new Round(seedOf(seed, index), index, tally);
    const finding = await round.play();
    if (finding !== undefined) found.push(finding);
  }
  return { tally, found };
}

class Round {
  readonly #random: Random;
  readonly #index: number;
  readonly #tally: Tally;
  readonly #root = mkdtempSync(join(tmpdir(), "ivrctl-more-"));
  readonly #menus: Menus;
  readonly #service: WatchedService;
  readonly #steps: string[] = [];
  #finding: string | undefined;
  #edits = 0;

  constructor(seed: number, index: number, tally: Tally) {
    this.#random = new Random(seed);
    this.#index = index;
    this.#tally = tally;
    this.#menus = new Menus(this.#root, this.#random, this.#random.between(2, 8));
    this.#service = new WatchedService({
      dataFile: this.#data,
      token: "token",
      accounts: () => this.#accounts(),
      found: (finding) => (this.#finding ??= finding),
      played: (fault) => count(tally.faults, fault),
    });
  }

  get #data(): string {
    return join(this.#root, "service.jsonl");
  }

  async play(): Promise<Found | undefined> {
    let found: Found | undefined;
    try {
      await this.#service.open();
      this.#configure();
      for (let step = this.#random.between(4, 10); step > 0; step -= 1) await this.#step();
      await this.#end();
      this.#tally.rounds += 1;
    } catch (error) {
      const what = error instanceof Finding ? error.message : String((error as Error).stack);
      found = { what, round: String(this.#index), steps: this.#steps, folder: this.#root };
    }
    for (const [method, times] of Object.entries(this.#service.counts))
      this.#tally.creates[method] = (this.#tally.creates[method] ?? 0) + times;
    await this.#service.close();
    if (found === undefined) rmSync(this.#root, { recursive: true, force: true });
    return found;
  }

  async #step(): Promise<void> {
    const random = this.#random;
    for (let edits = random.between(0, 3); edits > 0; edits -= 1)
      this.#steps.push(`edit: ${this.#menus.edit()}`);
    if (random.chance(0.4)) this.#onConsole();
    await this.#service.play(random.between(0, 1e6), random.chance(0.8) ? this.#rules() : []);
    const step = random.choose({ apply: 6, saved: 3, person: 2, plan: 1 });
    this.#steps.push(`step: ${step}`);
    if (step === "apply") await this.#apply(["--auto-approve"], this.#killed());
    if (step === "saved") await this.#saved();
    if (step === "person") await this.#resolve();
    if (step === "plan") await this.#plan();
    this.#service.moment = undefined;
    this.#check();
  }

  /** Without faults, everything that is not for a person to decide gets done. */
  async #end(): Promise<void> {
    this.#steps.push("the end of the round");
    await this.#service.play(0, []);
    await this.#apply(["--auto-approve"]);
    await this.#resolve();
    for (const { severity, file, hint = "" } of (await this.#planJson()).diagnostics) {
      if (severity !== "error") continue;
      const key = file.replace(/^ivrs\/|\.yaml$/g, "");
      this.#steps.push(`fix: ${this.#menus.fix(key, /moved_from: ([\w/.-]*\w)/.exec(hint)?.[1])}`);
    }
    const { changes } = await this.#planJson();
    const missing = changes.filter(({ action }) => action === "missing").map(({ key }) => key);
    const targets = missing.flatMap((key) => ["--target", key]);
    if (missing.length > 0) await this.#apply(["--auto-approve", "--recreate-missing", ...targets]);
    await this.#apply(["--auto-approve"]);
    await this.#apply(["--auto-approve"]);
    const left = await this.#planJson();
    if (left.diagnostics.some(({ severity }) => severity === "error")) return;
    const unidentified = [...this.#accounts().current.values()].filter(
      ({ id }) => id === undefined,
    );
    const warned = left.diagnostics.filter(({ code }) => code === "IVR637");
    if (warned.length < unidentified.length) throw new Finding("a menu without an id is not shown");
    if (left.changes.length > 0) {
      const list = left.changes.map(({ key, action }) => `${key} ${action}`).join(", ");
      throw new Finding(`there is always something left to do: ${list}`);
    }
    this.#checkContent();
  }

  async #apply(args: readonly string[], kill?: Parameters<typeof run>[1]["started"]): Promise<Ran> {
    this.#service.begin(args[0] === "plan.json");
    const ran = await this.#command(["apply", ...args], kill);
    this.#check();
    return ran;
  }

  async #plan(...args: readonly string[]): Promise<void> {
    const before = this.#journal();
    this.#service.begin();
    await this.#command(["plan", ...args]);
    if (this.#journal() !== before) throw new Finding("plan has changed the state");
  }

  async #planJson() {
    this.#service.begin();
    const { stdout } = await this.#command(["plan", "--format", "json"]);
    return JSON.parse(stdout) as {
      changes: { key: string; action: string }[];
      diagnostics: { code: string; severity: string; file: string; hint?: string }[];
    };
  }

  async #saved(): Promise<void> {
    await this.#plan("--out", "plan.json", "--allow-webhook-loss");
    if (!existsSync(join(this.#root, "plan.json"))) return;
    if (this.#random.chance(0.4)) this.#onConsole();
    if (this.#random.chance(0.3))
      await this.#service.play(this.#random.between(0, 1e6), this.#rules());
    await this.#apply(["plan.json"], this.#killed());
    rmSync(join(this.#root, "plan.json"), { force: true });
  }

  /** A person resolves every unknown outcome, and looks at the console for it. */
  async #resolve(): Promise<void> {
    for (const [key, { digest, of }] of this.#accounts().pending) {
      const known = this.#accounts().entities;
      const there = this.#service.records.some(
        ({ number, payload }) =>
          digestOf(payload) === digest &&
          (of === undefined
            ? !known.some(({ id }) => id === String(number))
            : of.id === String(number)),
      );
      await this.#command(["state", "resolve", key, there ? "--created" : "--absent"]);
    }
  }

  async #command(
    args: readonly string[],
    started?: Parameters<typeof run>[1]["started"],
  ): Promise<Ran> {
    const ran = await run(args, { cwd: this.#root, token: "token", ...(started && { started }) });
    this.#tally.commands += 1;
    this.#steps.push(`    ${args.join(" ")} → ${ran.signal ?? ran.exit}`);
    if (ran.signal !== null) count(this.#tally.ended, ran.signal);
    if (/this is a bug|^\s+at .+:\d+:\d+\)?$/m.test(ran.stdout + ran.stderr))
      throw new Finding(`the command crashed${shownOf(ran)}`);
    if (/IVR60[123]/.test(ran.stdout + ran.stderr) && ran.signal === null)
      throw new Finding(`the state cannot be used${shownOf(ran)}`);
    if (this.#finding !== undefined) throw new Finding(this.#finding);
    return ran;
  }

  /** Kills the process when it sends a request or gets an answer, or lets it live. */
  #killed(): Parameters<typeof run>[1]["started"] {
    const random = this.#random;
    if (random.chance(0.55)) return undefined;
    const what = random.pick(["write", "answer"] as const);
    let left = random.between(1, 5);
    const after = random.pick([0, 0, 1, 5, 20]);
    return (child) => {
      this.#service.moment = (now) => {
        if (now !== what || (left -= 1) > 0) return;
        this.#service.moment = undefined;
        setTimeout(() => child.kill("SIGKILL"), after);
      };
    };
  }

  /** Somebody changes or deletes a menu without ivrctl. */
  #onConsole(): void {
    const random = this.#random;
    const record = random.pick(this.#service.records);
    if (record === undefined) return;
    this.#edits += 1;
    const at = new Date().toISOString();
    const isDelete = random.chance(0.15);
    const payload = { ...record.payload, description: `Console ${this.#edits}` };
    const change = isDelete
      ? { at, delete: record.number }
      : { at, update: record.number, payload };
    this.#steps.push(`console: ${isDelete ? "delete" : "change"} menu ${record.number}`);
    count(this.#tally.harms, isDelete ? "deleted on the console" : "changed on the console");
    appendFileSync(this.#data, `${JSON.stringify(change)}\n`);
  }

  #rules(): FaultRule[] {
    const random = this.#random;
    const rules = Array.from({ length: random.between(1, 3) }, (): FaultRule => {
      const created = random.chance(0.5);
      const rate = random.pick([0.2, 0.5, 1]);
      const on = random.pick(["create", "update", "update"] as const);
      switch (random.between(0, 7)) {
        case 0:
          return { kind: "cut", created, rate, on };
        case 1:
          return {
            kind: "reset",
            when: random.pick(["after", "answer"] as const),
            created,
            rate,
            on,
          };
        case 2:
          return {
            kind: "status",
            status: random.pick([500, 502]),
            success: "none",
            created,
            rate,
            on,
          };
        case 3:
          return { kind: "status", status: random.pick([400, 422]), success: false, rate, on };
        case 4:
          return { kind: "status", status: 429, retryAfter: "0", rate, on };
        case 5:
          return { kind: "garbage", created, rate, on };
        case 6:
          return { kind: "stale", changes: random.between(1, 4), on: "list", rate };
        default:
          return { kind: "truncated", count: random.between(0, 6), on: "list", rate };
      }
    });
    this.#steps.push(`service: ${JSON.stringify(rules)}`);
    return rules;
  }

  /** Checks that the state knows every menu that ivrctl created, and knows it by its own id. */
  #check(): void {
    if (this.#finding !== undefined) throw new Finding(this.#finding);
    const accounts = this.#accounts();
    if (accounts.contradictions.length > 0)
      throw new Finding(`the journal contradicts itself: ${accounts.contradictions.join("; ")}`);
    const made = this.#made();
    const free = [...accounts.entities, ...this.#pendingCreates(accounts)];
    for (const { id, digest } of accounts.entities) {
      if (id === undefined || made.get(id) === digest) continue;
      throw new Finding(`a record has the id ${id}, which belongs to another menu`);
    }
    for (const [id, digest] of made) {
      const byId = free.findIndex((menu) => menu.id === id);
      const at =
        byId === -1
          ? free.findIndex((menu) => menu.id === undefined && menu.digest === digest)
          : byId;
      if (at === -1) throw new Finding(`the state does not know menu ${id} of the service`);
      free.splice(at, 1);
    }
  }

  #pendingCreates(accounts: Accounts): { id: string | undefined; digest: string }[] {
    return [...accounts.pending.values()].flatMap(({ of, digest }) =>
      of === undefined ? { id: undefined, digest } : [],
    );
  }

  /** The menus that were ever created on the service: their ids, and the digests of their first payloads. */
  #made(): ReadonlyMap<string, string> {
    const made = new Map<string, string>();
    const text = existsSync(this.#data) ? readFileSync(this.#data, "utf8") : "";
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const event = JSON.parse(line) as {
        payload?: Parameters<typeof digestOf>[0];
        update?: number;
      };
      if (event.payload !== undefined && event.update === undefined)
        made.set(String(made.size + 1), digestOf(event.payload));
    }
    return made;
  }

  /** Checks that each record has the content that the service has. */
  #checkContent(): void {
    const records = new Map(this.#service.records.map((one) => [String(one.number), one.payload]));
    for (const [key, { id, content }] of this.#accounts().current) {
      // A menu that somebody changed before ivrctl knew its id is for a person to find.
      if (id === undefined) continue;
      const payload = records.get(id);
      if (payload === undefined || digestOf(payload) !== content)
        throw new Finding(`${key} (menu ${id}) has other content than on record`);
    }
  }

  #journal(): string {
    return inFiles.journal(this.#root).replaceAll("\0", "");
  }

  #accounts(): Accounts {
    return Accounts.read(this.#journal());
  }

  #configure(): void {
    const lines = [
      "version: 1",
      "default_environment: e",
      "environments:",
      "  e:",
      `    service: { base_url: "http://127.0.0.1:${this.#service.port}", token: "\${T}", timeout: 20, concurrency: ${this.#random.between(1, 4)} }`,
      "    operations: [list, update]",
    ];
    writeFileSync(join(this.#root, "ivrctl.yaml"), `${lines.join("\n")}\n`);
  }
}
