import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf } from "../../src/deploy/plan/digest.ts";
import {
  type AccountEvent,
  type Change,
  AccountEvent as Event,
} from "../../src/sandbox/account.ts";
import { exampleNumbers, menuList } from "../../src/sandbox/lists.ts";
import { type FaultRule, type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import type { OperationName } from "../../src/schema/operations.ts";
import type { Payload } from "../../src/schema/wire.ts";
import { type Home, inFiles } from "./home.ts";
import { type Intent, Ledger } from "./ledger.ts";
import { Menus } from "./menus.ts";
import { type Harm, type Ran, run } from "./process.ts";
import type { Random } from "./random.ts";
import { type Permission, type Write, Tap } from "./tap.ts";

/** Counts of what happened in a search. */
export class Tally {
  rounds = 0;
  commands = 0;
  /** Processes that were killed, by what killed them. */
  readonly ended: Record<string, number> = {};
  /** Faults that the service played, by kind. */
  readonly faults: Record<string, number> = {};
  /** Requests that write and reached the service, by their outcome. */
  readonly writes: Record<string, number> = {};
  /** Other disturbances. */
  readonly harms: Record<string, number> = {};
  readonly skipped = new Set<string>();

  toString(): string {
    const list = (counts: Record<string, number>) =>
      Object.entries(counts)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, count]) => `${name} ${count}`)
        .join(", ") || "none";
    const sum = (counts: Record<string, number>) =>
      Object.values(counts).reduce((all, count) => all + count, 0);
    return [
      `${this.rounds} rounds, ${this.commands} commands`,
      `${sum(this.ended)} killed: ${list(this.ended)}`,
      `${sum(this.writes)} requests that write: ${list(this.writes)}`,
      `${sum(this.faults)} faults of the service: ${list(this.faults)}`,
      `${sum(this.harms)} other disturbances: ${list(this.harms)}`,
      ...(this.skipped.size > 0 ? [`SKIPPED: ${[...this.skipped].join("; ")}`] : []),
    ].join("\n  ");
  }
}

export function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** A violation of a promise. */
export class Finding extends Error {}

export interface PlanJson {
  readonly state: { readonly serial: number };
  readonly changes: readonly {
    readonly key: string;
    readonly action: string;
    readonly after: Payload | null;
    readonly first?: Payload;
    readonly bind?: readonly { readonly id: string; readonly after: string }[];
  }[];
  /** What the list proves. Only with a service that lists menus. */
  readonly learned?: readonly {
    readonly key: string;
    readonly number?: string;
    readonly follow_up?: string;
    readonly resolved?: string;
  }[];
  readonly follow_ups: readonly { readonly id: string; readonly key: string }[];
  readonly diagnostics: readonly {
    readonly code: string;
    readonly severity: string;
    readonly file: string;
    readonly message: string;
    readonly hint?: string;
  }[];
}

interface ApplyJson {
  readonly results: readonly {
    readonly key: string;
    readonly action: string;
    readonly outcome: string;
  }[];
}

export interface Applying {
  readonly args?: readonly string[];
  readonly harm?: Harm;
  readonly started?: NonNullable<Parameters<typeof run>[1]["started"]>;
  /** Another run may hold the lock. */
  readonly rival?: boolean;
  /** Another command may release its lock. */
  readonly released?: boolean;
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
  readonly tap: Tap;
  readonly tally: Tally;
  readonly token: string;
  readonly operations: readonly OperationName[];
  readonly #home: Home;
  readonly #sandboxes: Sandbox[] = [];
  #calm: Sandbox | undefined;
  #found: string | undefined;
  #serial = 0;
  #applies = 0;
  #mounted = false;
  /** The phone numbers and menus that somebody bound or deleted on the console. */
  readonly #touched = new Set<string>();
  /** The size of the mounted disk in KiB. */
  #size = 0;
  #counted = 0;
  concurrency = 4;
  /** What the next plans may do. */
  permissions: ReadonlySet<Permission> = new Set();
  /** What the plan that is applied may do. */
  #allowed: ReadonlySet<Permission> = new Set();

  constructor(
    tally: Tally,
    token: string,
    home: Home = inFiles,
    operations: readonly OperationName[] = [],
  ) {
    this.tally = tally;
    this.token = token;
    this.#home = home;
    this.operations = operations;
    this.tap = new Tap({
      ledger: () => this.ledger(),
      // Nothing could catch an error inside the server, so the next check throws it.
      found: (finding) => (this.#found ??= finding),
      asCreated: (id) => this.#asCreated(id),
      isAllowed: (permission) => this.#allowed.has(permission),
      isWanted: (key) => existsSync(join(this.root, `ivrs/${key}.yaml`)),
      existing: () => this.records.map(({ number }) => String(number)),
    });
  }

  /** Whether the service can do this, besides creating menus and listing agents. */
  can(operation: OperationName): boolean {
    return this.operations.includes(operation);
  }

  /** Writes random menus. They lead to each other and have phone numbers, if the service can do that. */
  menus(random: Random, count: number): Menus {
    const numbers = this.can("numbers") ? exampleNumbers([]).map(({ did }) => did) : [];
    return new Menus(this.root, random, count, { links: this.can("list"), numbers });
  }

  /** The lock of the apply that was started last. */
  get lastId(): string {
    return `run-${this.#applies}`;
  }

  get folder(): string {
    return join(this.root, ".ivrctl/state");
  }

  ledger(): Ledger {
    return Ledger.read(this.#home.journal(this.root));
  }

  /** How many menus were created with this payload. */
  made(digest: string): number {
    return [...this.#made().values()].filter((payload) => digestOf(payload) === digest).length;
  }

  /** The menus and phone numbers that the service has now. */
  get records() {
    return this.#calm?.records ?? [];
  }

  get numbers() {
    return this.#calm?.numbers ?? [];
  }

  /** Whether the console shows the menu of an intent: for an update, with the new content. */
  isShown({ of, digest, operation }: Intent): boolean {
    if (of !== undefined) {
      const isThere = this.records.some(({ number }) => String(number) === of.id);
      if (operation === "delete") return isThere;
      return this.records.some(
        ({ number, payload }) => String(number) === of.id && digestOf(payload) === digest,
      );
    }
    const { known, accounted } = this.ledger();
    const claimed = new Set(known.map(({ id }) => id));
    const made = this.#made();
    const free = this.records.filter(({ number }) => {
      const first = made.get(String(number));
      return first && digestOf(first) === digest && !claimed.has(String(number));
    });
    const alike = accounted.filter((menu) => menu.id === undefined && menu.digest === digest);
    return free.length >= alike.length;
  }

  /** Somebody changes the account without ivrctl. */
  onConsole(change: Change): void {
    if ("number" in change) this.#touched.add(change.number);
    if ("delete" in change) this.#touched.add(`ivr||${change.delete}`);
    this.steps.push(`console: ${JSON.stringify(change).slice(0, 120)}`);
    appendFileSync(this.#data, `${JSON.stringify({ at: new Date().toISOString(), ...change })}\n`);
  }

  async open(): Promise<void> {
    await this.tap.open();
    await this.calm();
  }

  configure(concurrency: number, timeout: number): void {
    this.concurrency = concurrency;
    this.#home.prepare?.(this.root);
    const lines = [
      "version: 1",
      "default_environment: e",
      "environments:",
      "  e:",
      "    service:",
      `      base_url: http://127.0.0.1:${this.tap.port}`,
      "      token: ${T}",
      `      timeout: ${timeout}`,
      `      concurrency: ${concurrency}`,
      ...(this.operations.length === 0 ? [] : [`    operations: [${this.operations.join(", ")}]`]),
      ...this.#home.settings,
    ];
    writeFileSync(join(this.root, "ivrctl.yaml"), `${lines.join("\n")}\n`);
  }

  /** Uses the service without faults. */
  async calm(): Promise<void> {
    await this.tap.open();
    this.#calm ??= await this.#start([]);
    this.tap.route(this.#calm.url);
  }

  async faulty(seed: number, rules: readonly FaultRule[]): Promise<void> {
    const sandbox = await this.#start(rules, seed);
    this.tap.route(sandbox.url);
  }

  /** Puts the state on a disk of `size` KiB. Later calls can enlarge the disk. */
  mount(size: number): boolean {
    try {
      mkdirSync(this.folder, { recursive: true });
      const options = `${this.#mounted ? "remount," : ""}size=${size}k`;
      execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", this.folder], {
        stdio: "ignore",
      });
      this.#mounted = true;
      this.#size = size;
    } catch {
      // A disk cannot be made smaller than what is on it.
      if (!this.#mounted)
        this.tally.skipped.add("a small tmpfs as the state's disk (it takes root to mount one)");
    }
    return this.#mounted;
  }

  get mounted(): boolean {
    return this.#mounted;
  }

  async close(keep: boolean): Promise<void> {
    this.#count();
    await this.tap.close();
    for (const sandbox of this.#sandboxes) await sandbox.close();
    if (this.#mounted) this.#unmount(keep);
    await this.#home.close();
    if (!keep) rmSync(this.root, { recursive: true, force: true });
  }

  /** Unmounts the disk. With `keep`, copies its files to the folder. */
  #unmount(keep: boolean): void {
    const aside = join(this.root, "state-kept");
    if (keep) cpSync(this.folder, aside, { recursive: true });
    execFileSync("umount", [this.folder], { stdio: "ignore" });
    this.#mounted = false;
    if (keep) renameSync(aside, this.folder);
  }

  /** Runs the command, and checks what must be true of every run. */
  async command(args: readonly string[], about: Applying = {}): Promise<Ran> {
    const { harm, started } = about;
    if (args.includes("--delete")) this.#allowed = new Set(["--allow-delete"]);
    this.tap.begin({ keep: args[1] === "plan.json", compare: about.rival !== true });
    const ran = await run([...args], {
      cwd: this.root,
      token: this.token,
      variables: this.#home.variables,
      ...(harm && { harm }),
      ...(started && { started }),
    });
    this.tally.commands += 1;
    const { exit, signal, stdout, stderr } = ran;
    if (signal !== null) count(this.tally.ended, harm?.mode ?? signal);
    this.steps.push(`    ${args.join(" ")} → ${signal ?? exit}`);
    this.#throwFound();
    const said = stdout + stderr;
    const shown = shownOf(ran);
    if (this.#secrets.some((secret) => said.includes(secret)))
      throw new Finding(`(7) the output contains the token${shown}`);
    if (/this is a bug|^\s+at .+:\d+:\d+\)?$/m.test(said)) {
      throw new Finding(`(5) the command crashed${shown}`);
    }
    if (/IVR60[23]/.test(said) && about.released !== true)
      throw new Finding(`(5) the state cannot be read${shown}`);
    if (exit !== null && ![0, 1, 3, 4, 130].includes(exit)) {
      throw new Finding(`(5) unknown exit code${shown}`);
    }
    if (exit === 4 && about.rival !== true) {
      throw new Finding(`(5) the state is locked, but no run holds the lock${shown}`);
    }
    return ran;
  }

  async apply(about: Applying = {}): Promise<Ran> {
    this.#applies += 1;
    const id = this.lastId;
    const { args = ["--auto-approve"], harm } = about;
    const isSaved = args.includes("plan.json");
    if (!isSaved) this.#allowed = this.permissions;
    // An apply that waits for space on a small disk gets some.
    const spaced = setTimeout(() => this.#mounted && this.mount(this.#size + 60), 2000);
    const ran = await this.command(
      ["apply", ...args, ...(isSaved ? [] : this.#flags), "--format", "json", "--lock-id", id],
      about,
    ).finally(() => clearTimeout(spaced));
    if (harm?.mode !== undefined && ran.signal === null) count(this.tally.harms, harm.mode);
    if (harm?.clock !== undefined) count(this.tally.harms, "clock moved");
    if (harm?.fileLimit !== undefined) count(this.tally.harms, "file size limit");
    this.#checkApply(ran, id, about);
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
    // IVR608: nothing has been applied to the service yet.
    const wrong = this.ledger().serial === 0 ? /^IVR60[1-467]/ : /^IVR60[1-46-8]/;
    const bad = plan.diagnostics.find(({ code }) => wrong.test(code));
    if (bad !== undefined) throw new Finding(`(5) the state cannot be read${shown}`);
    const ledger = this.ledger();
    if (plan.state.serial > 0 && args.length === 0) {
      const unknown = plan.changes.filter(({ action }) => action === "unknown");
      const resolved = (plan.learned ?? []).filter(
        (one) => one.resolved !== undefined && one.number === undefined && !one.follow_up,
      );
      agree("(2) unknown in the plan, and pending in the journal", [
        [...unknown, ...resolved].map(({ key }) => key),
        [...ledger.pending.keys()],
      ]);
      agree("(2) follow-ups in the plan, and in the journal", [
        plan.follow_ups.map(({ id }) => id),
        [...ledger.followUps.keys()],
      ]);
      if (plan.state.serial !== ledger.serial)
        throw new Finding(`(5) the plan has another serial than the journal${shown}`);
    }
    return ran.exit === 0 ? plan : { ...plan, changes: [] };
  }

  /** Checks everything that must always be true. */
  check(): void {
    this.#throwFound();
    const ledger = this.ledger();
    if (ledger.contradictions.length > 0) {
      throw new Finding(`(5) the journal contradicts itself: ${ledger.contradictions.join("; ")}`);
    }
    if (ledger.serial < this.#serial) {
      throw new Finding(`(2) the journal had ${this.#serial} events and has ${ledger.serial}`);
    }
    this.#serial = ledger.serial;
    for (const write of this.tap.writes) checkWrite(write, ledger);
    this.#checkMenus(ledger);
    this.#checkNumbers();
    this.#scan(join(this.root, ".ivrctl"));
    this.#scan(this.root);
  }

  /** Checks that the state knows every menu that was created, and knows it by its own id. */
  #checkMenus({ known, deleted }: Ledger): void {
    const made = this.#made();
    const there = new Set(this.records.map(({ number }) => String(number)));
    const lost = deleted.find(({ id = "" }) => there.has(id) && !this.tap.hidden.has(id));
    if (lost !== undefined)
      throw new Finding(`(2) menu ${lost.id} is recorded as deleted, but it is there`);
    for (const { id, digest } of known) {
      const payload = made.get(id ?? "");
      if (id === undefined || (payload !== undefined && digestOf(payload) === digest)) continue;
      throw new Finding(`(2) a record has the id ${id}, which belongs to another menu`);
    }
    const left = [...known];
    for (const [id, payload] of made) {
      const digest = digestOf(payload);
      const byId = left.findIndex((menu) => menu.id === id);
      const at =
        byId === -1
          ? left.findIndex((menu) => menu.id === undefined && menu.digest === digest)
          : byId;
      if (at === -1)
        throw new Finding(
          `(2) the state does not know menu ${id} (“${payload.name}”) of the service`,
        );
      left.splice(at, 1);
    }
  }

  /** Checks that no phone number leads to a menu that is gone, unless somebody did it on the console. */
  #checkNumbers(): void {
    const there = new Set(this.records.map(({ number }) => `ivr||${number}`));
    for (const { did, destination, id } of this.numbers) {
      if (!destination?.startsWith("ivr||") || there.has(destination)) continue;
      if (this.#touched.has(id) || this.#touched.has(destination)) continue;
      throw new Finding(`(9) ${did} leads to ${destination}, which does not exist`);
    }
  }

  /** Checks that the service has the content on record, except for menus that are not sent yet. */
  checkContent(waiting: ReadonlySet<string> = new Set()): void {
    const records = new Map(this.records.map((one) => [String(one.number), one.payload]));
    for (const [key, { id, content }] of this.ledger().current) {
      // A menu that somebody changed before ivrctl knew its id is for a person to find.
      if (id === undefined || waiting.has(key)) continue;
      const payload = records.get(id);
      if (payload === undefined || digestOf(payload) !== content)
        throw new Finding(`(9) ${key} (menu ${id}) has other content than on record`);
    }
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
    this.tap.writes.length = 0;
    this.#counted = 0;
    for (const sandbox of this.#sandboxes.splice(0)) await sandbox.close();
    this.#calm = undefined;
  }

  #checkApply(ran: Ran, id: string, { scope = () => true, rival = false }: Applying): void {
    const { exit, stdout } = ran;
    const ledger = this.ledger();
    const own = ledger.intents.filter(({ run: by }) => by === id);
    const open = own.filter(({ ended }) => ended === null);
    const silent = open.filter(({ seen }) => !seen);
    const shown = shownOf(ran);
    if (silent.length > this.concurrency) {
      const keys = silent.map(({ key }) => key).join(", ");
      throw new Finding(`(4) ${keys} pending, but the concurrency is ${this.concurrency}`);
    }
    if (exit === null) return;
    const keys = open.map(({ key }) => key).join(", ");
    if (open.length > 0 && exit !== 3) {
      throw new Finding(`(5) ${keys} left unknown by an apply that exits with ${exit}${shown}`);
    }
    // An apply does not report what another run has in flight.
    const isReported = ({ run: by }: Intent) => !rival || by === id;
    const waiting = [...ledger.pending].flatMap(([key, intent]) =>
      scope(key) && (exit === 3 || isReported(intent)) ? key : [],
    );
    if (exit === 0 && waiting.length > 0) {
      throw new Finding(`(5) ${waiting.join(", ")} unknown, but the apply exits with 0${shown}`);
    }
    // Another run may have recorded what this one could not. And if the store was lost, this
    // run cannot know whether its last events were recorded.
    const unsure = rival || stdout.includes("IVR671");
    if (exit === 3 && waiting.length + ledger.others.size === 0 && !unsure) {
      throw new Finding(`(5) nothing is unknown, but the apply exits with 3${shown}`);
    }
    if (stdout === "") return;
    for (const { key, action, outcome } of (JSON.parse(stdout) as Partial<ApplyJson>).results ??
      []) {
      const bind = [...ledger.others.values()].find((one) => one.key === key && one.id);
      const intent = action === "bind" ? bind : ledger.pending.get(key);
      const pending = intent !== undefined && (outcome === "unknown" || isReported(intent));
      if (pending !== (outcome === "unknown") && !(unsure && !pending)) {
        throw new Finding(`(5) ${key}: “${outcome}”, but pending is ${pending}${shown}`);
      }
      const last = own.findLast((intent) => intent.key === key && intent.operation !== "bind");
      // A menu in a circle is created, and then updated.
      const done: Record<string, RegExp> = {
        created: /(?:created|^updated|d updated)$/,
        updated: /(?:^|d )updated$/,
        deleted: /(?:^|d )deleted$/,
      };
      if (!(done[outcome] ?? /^/).test(String(last?.ended))) {
        throw new Finding(`(5) ${key}: “${outcome}”, but recorded as ${last?.ended}${shown}`);
      }
      const sent = this.tap.writes.some(({ intent }) => intent === last?.seq);
      if (outcome === "not_attempted" && last !== undefined && sent) {
        throw new Finding(`(5) ${key}: ${action} “not attempted”, but it was sent${shown}`);
      }
    }
  }

  /** What plans may do besides. */
  get #flags(): readonly string[] {
    return [...(this.can("update") ? ["--allow-webhook-loss"] : []), ...this.permissions];
  }

  get #secrets(): readonly string[] {
    return [this.token, ...this.#home.secrets];
  }

  get #data(): string {
    return join(this.root, "service.jsonl");
  }

  /** The first payload of every menu that was ever created, by its id. */
  #made(): ReadonlyMap<string, Payload> {
    const made = new Map<string, Payload>();
    for (const event of this.#events()) {
      if ("payload" in event && !("update" in event))
        made.set(String(made.size + 1), event.payload);
    }
    return made;
  }

  #events(): AccountEvent[] {
    const text = existsSync(this.#data) ? readFileSync(this.#data, "utf8") : "";
    return text.split("\n").flatMap((line) => (line === "" ? [] : Event.parse(JSON.parse(line))));
  }

  #asCreated(id: string): object | undefined {
    const payload = this.#made().get(id);
    if (payload === undefined) return undefined;
    const { ivrs } = menuList([{ number: Number(id), at: "", payload }]) as { ivrs: object[] };
    return ivrs[0];
  }

  #throwFound(): void {
    if (this.#found !== undefined) throw new Finding(this.#found);
  }

  async #start(rules: readonly FaultRule[], seed = 0): Promise<Sandbox> {
    const sandbox = await startSandbox({
      dataFile: this.#data,
      token: this.token,
      operations: this.operations,
      faults: { seed, rules },
      onRequest: ({ fault }) => {
        for (const one of fault?.split(", ") ?? [])
          count(this.tally.faults, one.split("=")[0] === "latency" ? "latency" : one);
      },
    });
    this.#sandboxes.push(sandbox);
    return sandbox;
  }

  /** Counts each request once. */
  #count(): void {
    for (const { operation, outcome } of this.tap.writes.slice(this.#counted)) {
      count(this.tally.writes, `${operation} ${outcome}`);
    }
    this.#counted = this.tap.writes.length;
  }

  #scan(folder: string): void {
    let found: readonly import("node:fs").Dirent[] = [];
    try {
      found = readdirSync(folder, { withFileTypes: true });
    } catch {
      return;
    }
    for (const entry of found) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && /^(?:state|rescue)$/.test(entry.name)) this.#scan(path);
      if (!entry.isFile()) continue;
      const text = readFileSync(path, "utf8");
      if (this.#secrets.some((secret) => text.includes(secret))) {
        throw new Finding(`(7) ${path} contains the token`);
      }
    }
  }
}

/** Compares the recorded outcome of a request with its answer. */
function checkWrite({ name, intent, outcome, status, digest }: Write, ledger: Ledger): void {
  if (intent === undefined) return;
  const on = ledger.intent(intent);
  const answered = `“${name}” was answered with ${status ?? "nothing"} (${outcome})`;
  if (on?.digest !== digest) {
    throw new Finding(`(2) ${answered}, but its intent (event ${intent}) is missing`);
  }
  const allowedFor: Record<string, readonly string[]> = {
    created: ["done"],
    updated: ["done"],
    deleted: ["done"],
    bound: ["done"],
    failed: ["failed", "not-processed"],
    "not-processed": ["not-processed"],
  };
  const allowed = on.ended === null ? undefined : allowedFor[on.ended];
  if (allowed !== undefined && !allowed.includes(outcome)) {
    throw new Finding(`(1) ${answered}, but is recorded as ${on.ended}`);
  }
}

export function agree(what: string, [a, b]: readonly [readonly string[], readonly string[]]): void {
  const [left, right] = [[...a].sort().join(", "), [...b].sort().join(", ")];
  if (left !== right) throw new Finding(`${what}: ${left || "none"} / ${right || "none"}`);
}

/** The beginning and end of the output of a run. */
export function shownOf({ args, exit, signal, stdout, stderr }: Ran): string {
  const lines = stdout.replaceAll(/\n\s*/g, " ").slice(0, 6000);
  return `\n--- ivrctl ${args.join(" ")} (exit ${exit ?? signal})\n${lines}\n${stderr.slice(-1500)}\n---`;
}
