import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { payloadDigest } from "../support/payload-facts.ts";
import type { AccountChange } from "../../src/sandbox/account.ts";
import { exampleNumbers } from "../../src/sandbox/list-answers.ts";
import type { OperationName } from "../../src/schema/operations.ts";
import {
  type PlanJson,
  Finding,
  checkApply,
  checkContent,
  checkPlan,
  checkPointing,
  checkSecrets,
  checkService,
  checkWrite,
  shownOf,
} from "./checks.ts";
import type { FaultRule } from "../support/faults.ts";
import { Disk } from "./disk.ts";
import { type StoreUnderTest, inFiles } from "./store-under-test.ts";
import { type Intent, Journal } from "./journal.ts";
import { Menus } from "./menus.ts";
import { type Disturbance, type Ran, lockId, runOnce } from "./process.ts";
import type { Random } from "./random.ts";
import { type Tally, count } from "./tally.ts";
import { type Permission, RequestRecorder } from "./request-recorder.ts";
import { TestAccount } from "./test-account.ts";

export interface Applying {
  readonly args?: readonly string[];
  readonly disturbance?: Disturbance;
  readonly started?: NonNullable<Parameters<typeof runOnce>[1]["started"]>;
  /** Another run may hold the lock. */
  readonly rival?: boolean;
  /** Another command may release its lock. */
  readonly released?: boolean;
  /** Somebody has lost or mixed blocks of the state, so the command may refuse it. */
  readonly lost?: boolean;
  /** The id of its lock. */
  readonly lockId?: string;
  /** Only keys in it count for the exit code. */
  readonly scope?: (key: string) => boolean;
}

/**
 * A project, its service and its state. `check` and the checks of each command throw if a
 * promise is broken. They use only the journal and what the service received.
 */
export class Stage {
  readonly root = mkdtempSync(join(tmpdir(), "ivrctl-faults-"));
  readonly steps: string[] = [];
  readonly recorder: RequestRecorder;
  readonly tally: Tally;
  readonly token: string;
  readonly operations: readonly OperationName[];
  readonly #store: StoreUnderTest;
  readonly #disk = new Disk(this.folder);
  readonly #account: TestAccount;
  #found: string | undefined;
  #menus: Menus | undefined;
  #serial = 0;
  #applies = 0;
  #counted = 0;
  concurrency = 4;
  /** Whether the oldest build applies. */
  isOlder = false;
  /** What the next plans may do. */
  permissions: ReadonlySet<Permission> = new Set();
  /** What the plan that is applied may do. */
  #allowed: ReadonlySet<Permission> = new Set();
  /** The arguments of the command. */
  #named: ReadonlySet<string> = new Set();

  constructor(
    tally: Tally,
    token: string,
    store: StoreUnderTest = inFiles,
    operations: readonly OperationName[] = [],
  ) {
    this.tally = tally;
    this.token = token;
    this.#store = store;
    this.operations = operations;
    this.#account = new TestAccount({
      dataFile: join(this.root, "service.jsonl"),
      token,
      operations,
      onRequest: ({ fault }) => {
        for (const hit of fault?.split(", ") ?? [])
          count(tally.faults, hit.split("=")[0] === "latency" ? "latency" : hit);
      },
    });
    this.recorder = new RequestRecorder({
      journal: () => this.journal(),
      // Nothing could catch an error inside the server, so the next check throws it.
      found: (finding) => (this.#found ??= finding),
      asCreated: (id) => this.#account.asCreated(id),
      isAllowed: (permission) => this.#allowed.has(permission),
      isWanted: (key) => existsSync(join(this.root, `ivrs/${key}.yaml`)),
      existing: () => this.records.map(({ number }) => String(number)),
      isNamed: (followUp) => this.#named.has(followUp),
    });
  }

  /** Whether the service can do this, besides creating menus and listing agents. */
  can(operation: OperationName): boolean {
    return this.operations.includes(operation);
  }

  /** Writes random menus. They point to each other and have phone numbers, if the service can do that. */
  menus(random: Random, count: number, replaced = 0): Menus {
    // If the service cannot list them, a person points them.
    const hasNumbers = this.can("numbers") || random.chance(0.6);
    const numbers = hasNumbers ? exampleNumbers([]).map(({ did }) => did) : [];
    const settings = { links: this.can("list"), numbers, replaced };
    this.#menus = new Menus(this.root, random, count, settings);
    return this.#menus;
  }

  /** The lock of the apply that was started last. */
  get lastId(): string {
    return lockId("run", this.#applies);
  }

  get folder(): string {
    return join(this.root, ".ivrctl/state");
  }

  get mounted(): boolean {
    return this.#disk.isMounted;
  }

  /** Puts the state on a disk of `size` KiB. Later calls can enlarge the disk. */
  mount(size: number): boolean {
    const isMounted = this.#disk.mount(size);
    if (!isMounted)
      this.tally.skipped.add("a small tmpfs as the state's disk (it takes root to mount one)");
    return isMounted;
  }

  journal(): Journal {
    const id = this.#id;
    return Journal.read(id === undefined ? "" : this.#store.events(this.root, id));
  }

  /** How many menus were created with this payload. */
  made(digest: string): number {
    const made = [...this.#account.made().values()];
    return made.filter((payload) => payloadDigest(payload) === digest).length;
  }

  /** The menus and phone numbers that the service has now. */
  get records() {
    return this.#account.records;
  }

  get numbers() {
    return this.#account.numbers;
  }

  /** Whether the console shows the menu of an intent. */
  isShown(intent: Intent): boolean {
    return this.#account.isShown(intent, this.journal());
  }

  /** Somebody changes the account without ivrctl. */
  onConsole(change: AccountChange): void {
    this.steps.push(`console: ${JSON.stringify(change).slice(0, 120)}`);
    this.#account.change(change);
  }

  async open(): Promise<void> {
    await this.recorder.open();
    await this.calm();
  }

  configure(concurrency: number, timeout: number): void {
    this.concurrency = concurrency;
    this.#store.prepare?.(this.root);
    const id = this.#id;
    const lines = [
      "version: 1",
      "default_environment: e",
      "environments:",
      "  e:",
      "    service:",
      `      base_url: http://127.0.0.1:${this.recorder.port}`,
      "      token: ${T}",
      `      timeout: ${timeout}`,
      `      concurrency: ${concurrency}`,
      ...(this.operations.length === 0 ? [] : [`    operations: [${this.operations.join(", ")}]`]),
      `    state: { ${id === undefined ? "" : `id: ${id}, `}${this.#store.settings} }`,
    ];
    writeFileSync(this.#config, `${lines.join("\n")}\n`);
  }

  /**
   * Runs `state init`, unless ivrctl.yaml names a state. If an earlier attempt was interrupted before it
   * wrote the id, somebody writes it, as the command asks for.
   */
  async begin(about: Applying = {}): Promise<Ran | undefined> {
    if (this.#id !== undefined) return undefined;
    const ran = await this.command(["state", "init"], about);
    const asked = /write `(id: [\w-]+)` under/i.exec(ran.stdout + ran.stderr)?.[1];
    if (asked !== undefined) {
      const text = readFileSync(this.#config, "utf8");
      writeFileSync(this.#config, text.replace("state: { ", `state: { ${asked}, `));
    }
    this.check();
    const isBegun = this.journal().serial === 1;
    if (isBegun !== (this.#id !== undefined))
      throw new Finding(`(2) ivrctl.yaml names a state that has not begun${shownOf(ran)}`);
    if (!isBegun && Object.keys(about).length === 0)
      throw new Finding(`(5) the state cannot be begun${shownOf(ran)}`);
    return ran;
  }

  get #config(): string {
    return join(this.root, "ivrctl.yaml");
  }

  /** The id of the state that ivrctl.yaml names. */
  get #id(): string | undefined {
    const text = existsSync(this.#config) ? readFileSync(this.#config, "utf8") : "";
    return /[{,] id: ([\w-]+)/.exec(text)?.[1];
  }

  /** Uses the service without faults. */
  async calm(): Promise<void> {
    await this.recorder.open();
    this.recorder.route(await this.#account.calm());
  }

  /** Prepares a service with faults. Returns a function that uses it for new connections. */
  async faulty(seed: number, rules: readonly FaultRule[]): Promise<() => void> {
    const url = await this.#account.faulty(seed, rules);
    return () => this.recorder.route(url);
  }

  async close(keep: boolean): Promise<void> {
    this.#count();
    await this.recorder.close();
    await this.#account.close();
    this.#disk.unmount(keep);
    await this.#store.close();
    if (!keep) rmSync(this.root, { recursive: true, force: true });
  }

  /** Runs the command, and checks what must be true of every run. */
  async command(args: readonly string[], about: Applying = {}): Promise<Ran> {
    const { disturbance, started } = about;
    const old = args.filter((word) => word.startsWith("old:"));
    if (old.length > 0) this.#allowed = new Set(["--allow=delete"]);
    this.#named = new Set([...args, ...old.map((word) => word.slice(4))]);
    const sentBefore = this.recorder.writes.length;
    this.recorder.begin({ keep: args[1] === "plan.json", compare: about.rival !== true });
    const isOlder = this.isOlder && args[0] === "apply" && args[1] !== "plan.json";
    if (isOlder) count(this.tally.disturbances, "older build");
    const before = isOlder ? this.journal() : undefined;
    const ran = await runOnce([...args], {
      cwd: this.root,
      token: this.token,
      variables: this.#store.variables,
      disturbance,
      started,
      rival: about.rival,
      isOlder,
      lockId: about.lockId,
    });
    this.tally.commands += 1;
    const { exit, signal, stdout, stderr } = ran;
    if (signal !== null) {
      count(this.tally.ended, disturbance?.mode ?? signal);
      this.#markKilled(sentBefore);
    }
    this.steps.push(`    ${args.join(" ")} → ${signal ?? exit}`);
    this.#throwFound();
    const said = stdout + stderr;
    const shown = shownOf(ran);
    if (this.#secrets.some((secret) => said.includes(secret)))
      throw new Finding(`(7) the output contains the token${shown}`);
    if (/this is a bug|^\s+at .+:\d+:\d+\)?$/m.test(said)) {
      throw new Finding(`(5) the command crashed${shown}`);
    }
    const isLost = this.#store.isLost === true || about.lost === true;
    // A run whose branch was deleted finds that its last block is missing (IVR603).
    const unreadable = isLost ? /IVR60[28]/ : /IVR60[238]/;
    if (before?.isLater && said.includes("IVR602")) {
      count(this.tally.disturbances, "older build refused");
      const isChanged =
        this.journal().serial !== before.serial || this.recorder.writes.length !== sentBefore;
      if (exit !== 1 || (isChanged && about.rival !== true))
        throw new Finding(`(5) a build that refuses the state has changed something${shown}`);
    } else if (unreadable.test(said) && about.released !== true)
      throw new Finding(`(5) the state cannot be read${shown}`);
    if (said.includes("IVR629") && !isLost)
      throw new Finding(`(5) the state is said to be missing${shown}`);
    if (exit !== null && ![0, 1, 3, 4, 130].includes(exit)) {
      throw new Finding(`(5) unknown exit code${shown}`);
    }
    if (exit === 4 && about.rival !== true) {
      // Some commands run in this process, which is alive. Their last block is missing if the disk was
      // full, or if the branch was set back.
      const [, lock] = new RegExp(`process ${process.pid}, .*; lock ([^)]+)\\)`).exec(said) ?? [];
      if (lock === undefined)
        throw new Finding(`(5) the state is locked, but no run holds the lock${shown}`);
      if (!isLost) await this.command(["unlock", lock]);
    }
    return ran;
  }

  /** Marks the requests of a killed process whose outcomes are not recorded. */
  #markKilled(from: number): void {
    const journal = this.journal();
    for (const write of this.recorder.writes.slice(from)) {
      write.killed = write.intent !== undefined && journal.intent(write.intent)?.ended === null;
    }
  }

  async apply(about: Applying = {}): Promise<Ran> {
    this.#applies += 1;
    const id = this.lastId;
    const { args = ["--auto-approve"], disturbance } = about;
    const isSaved = args.includes("plan.json");
    if (!isSaved) this.#allowed = this.permissions;
    // An apply that waits for space on a small disk gets some.
    const spaced = setTimeout(() => this.#disk.enlarge(), 2000);
    const ran = await this.command(
      ["apply", ...args, ...(isSaved ? [] : this.#flags), "--format", "json"],
      { ...about, lockId: id },
    ).finally(() => clearTimeout(spaced));
    if (disturbance?.mode !== undefined && ran.signal === null)
      count(this.tally.disturbances, disturbance.mode);
    if (disturbance?.clock !== undefined) count(this.tally.disturbances, "clock moved");
    if (disturbance?.fileLimit !== undefined) count(this.tally.disturbances, "file size limit");
    checkApply(
      { ran, id, about, concurrency: this.concurrency },
      this.journal(),
      this.recorder.writes,
    );
    this.check();
    return ran;
  }

  /** Makes a plan, and compares it with the journal. */
  async plan(...args: readonly string[]): Promise<PlanJson> {
    this.#allowed = this.permissions;
    const ran = await this.command(["plan", "--format", "json", ...args, ...this.#flags]);
    const shown = shownOf(ran);
    if (ran.exit !== 0 && ran.exit !== 1) throw new Finding(`(5) plan: exit ${ran.exit}${shown}`);
    const plan = JSON.parse(ran.stdout) as PlanJson;
    const bad = plan.diagnostics.find(({ code }) => /^IVR(?:60[1-46-8]|629)/.test(code));
    if (bad !== undefined) throw new Finding(`(5) the state cannot be read${shown}`);
    if (plan.state.serial > 0 && args.length === 0) {
      checkPlan(plan, this.journal());
      if (!this.can("numbers"))
        checkPointing(plan, this.journal(), this.#menus?.bound ?? new Map());
    }
    // What holds back only its menus is no error.
    return plan.refused ? { ...plan, changes: [] } : plan;
  }

  /** Checks everything that must always be true. */
  check(): void {
    this.#throwFound();
    const journal = this.journal();
    if (journal.contradictions.length > 0) {
      throw new Finding(`(5) the journal contradicts itself: ${journal.contradictions.join("; ")}`);
    }
    if (journal.serial < this.#serial) {
      throw new Finding(`(2) the journal had ${this.#serial} events and has ${journal.serial}`);
    }
    this.#serial = journal.serial;
    for (const write of this.recorder.writes) checkWrite(write, journal);
    checkService(journal, {
      made: this.#account.made(),
      records: this.records,
      numbers: this.numbers,
      hidden: this.recorder.hidden,
      touched: this.#account.touched,
    });
    for (const folder of [this.root, join(this.root, ".ivrctl")])
      checkSecrets(folder, this.#secrets);
  }

  /** Checks that the service has the recorded content, except for these menus. */
  checkContent(except: ReadonlySet<string> = new Set()): void {
    checkContent(this.journal(), this.records, except);
  }

  /** Restores the project and its service from this copy. */
  async again(template: string): Promise<void> {
    await this.#forgetService();
    rmSync(this.root, { recursive: true, force: true });
    cpSync(template, this.root, { recursive: true });
    this.#serial = 0;
    this.#applies = 100;
    this.steps.length = 0;
    await this.calm();
  }

  async #forgetService(): Promise<void> {
    this.#count();
    this.recorder.writes.length = 0;
    this.#counted = 0;
    await this.#account.close();
  }

  /** What plans may do besides. */
  get #flags(): readonly string[] {
    return [...(this.can("update") ? ["--allow=webhook-loss"] : []), ...this.permissions];
  }

  get #secrets(): readonly string[] {
    return [this.token, ...this.#store.secrets];
  }

  #throwFound(): void {
    if (this.#found !== undefined) throw new Finding(this.#found);
  }

  /** Counts each request once. */
  #count(): void {
    for (const write of this.recorder.writes.slice(this.#counted)) this.tally.addWrite(write);
    this.#counted = this.recorder.writes.length;
  }
}
