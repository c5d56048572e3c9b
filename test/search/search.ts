import { existsSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { ChildProcess } from "node:child_process";
import type { FaultRule } from "../../src/sandbox/server.ts";
import { digestOf } from "../../src/deploy/plan/digest.ts";
import type { OperationName } from "../../src/schema/operations.ts";
import { denied } from "./denied.ts";
import type { Remote } from "./home.ts";
import type { Menus } from "./menus.ts";
import { run } from "./process.ts";
import { Random, seedOf } from "./random.ts";
import {
  type Applying,
  Finding,
  type PlanJson,
  Stage,
  Tally,
  agree,
  count,
  shownOf,
} from "./stage.ts";

export interface Found {
  readonly what: string;
  readonly round: string;
  readonly steps: readonly string[];
  readonly folder: string;
}

export interface Searched {
  readonly tally: Tally;
  readonly found: readonly Found[];
}

/** A server that can store several states. */
export interface Server {
  home(): Promise<Remote>;
  close(): void;
}

interface Search {
  /** Starts a server for the states, which are in files otherwise. Each worker has its own, because it may be killed. */
  readonly startServer?: () => Promise<Server>;
  readonly seed: number;
  readonly seconds: number;
  /** Play only this round. */
  readonly only?: number | undefined;
}

/** What a service can do besides creating menus and listing agents. */
export const moreOperations: readonly OperationName[] = ["list", "update", "numbers", "delete"];

/** The search ends after this many findings. */
export const maxFound = 3;

/** Plays rounds until the time is over. */
export async function search({ seed, seconds, only, startServer }: Search): Promise<Searched> {
  const tally = new Tally();
  const found: Found[] = [];
  let deadline = 0;
  const withState = await hasStateCommands();
  if (!withState) tally.skipped.add("the `state` commands (there are none yet)");
  let next = only ?? 0;
  const worker = async () => {
    const server = await startServer?.();
    deadline = performance.now() + seconds * 1000;
    try {
      while (performance.now() < deadline && found.length < maxFound) {
        const index = next;
        next += 1;
        const home = await server?.home();
        const round = new Round(seedOf(seed, index), index, tally, withState, home);
        const finding = await round.run(only === undefined ? deadline : Infinity);
        if (finding !== undefined) found.push(finding);
        if (only !== undefined) return;
      }
    } finally {
      server?.close();
    }
  };
  const workers = only === undefined ? Math.min(4, availableParallelism()) : 1;
  await Promise.all(Array.from({ length: workers }, worker));
  return { tally, found };
}

export async function hasStateCommands(): Promise<boolean> {
  const { exit } = await run(["state", "--help"], { cwd: tmpdir(), token: "-" });
  return exit === 0;
}

class Round {
  readonly #random: Random;
  readonly #index: number;
  readonly #stage: Stage;
  readonly #menus: Menus;
  readonly #withState: boolean;
  readonly #remote: Remote | undefined;
  /** Disturbances that are still to come. */
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(
    seed: number,
    index: number,
    tally: Tally,
    withState: boolean,
    remote: Remote | undefined,
  ) {
    this.#random = new Random(seed);
    this.#index = index;
    this.#withState = withState;
    this.#remote = remote;
    const token = `secret/${this.#random.between(1e8, 1e9)}+tok=`;
    this.#stage = new Stage(tally, token, this.#remote, operationsOf(index, this.#random));
    const count = this.#random.between(1, 12);
    this.#menus = this.#stage.menus(this.#random, count);
  }

  async run(deadline: number): Promise<Found | undefined> {
    const [stage, random] = [this.#stage, this.#random];
    let found: Found | undefined;
    try {
      await stage.open();
      await this.#remote?.open();
      if (this.#index % 5 === 3 && this.#remote === undefined)
        stage.mount(random.between(4, 10) * 4);
      const steps = random.between(5, 14);
      for (let step = 1; step <= steps && performance.now() < deadline; step += 1) {
        await this.#step();
      }
      await this.#end();
      stage.tally.rounds += 1;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const what =
        error instanceof Finding ? error.message : `the search itself failed: ${error.stack}`;
      const round = String(this.#index);
      found = { what, round, steps: [...stage.steps], folder: stage.root };
    }
    await stage.close(found !== undefined);
    return found;
  }

  async #step(): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    for (let edits = random.between(0, 4); edits > 0; edits -= 1) {
      stage.steps.push(`edit: ${this.#menus.edit()}`);
    }
    if (random.chance(0.12)) await this.#spoilCheckpoint();
    if (stage.mounted && random.chance(0.2)) {
      const size = random.between(10, 40) * 4;
      stage.steps.push(`the disk has ${size} KiB${stage.mount(size) ? "" : " (no)"}`);
    }
    await this.#calm();
    if (stage.can("list") && random.chance(0.4)) this.#onConsole();
    stage.configure(random.between(1, 6), 300);
    this.#permit(0.5);
    const step = random.choose({
      apply: 8,
      target: 1.5,
      saved: 2.5,
      truth: 2,
      twice: 1.5,
      denied: this.#withState ? 1 : 0,
      person: this.#withState ? 5 : 0,
    });
    stage.steps.push(`step: ${step}`);
    switch (step) {
      case "apply":
        await this.#startFaults();
        this.#interfere();
        await stage.apply(this.#harmed());
        break;
      case "target":
        await this.#target();
        break;
      case "saved":
        await this.#saved();
        break;
      case "truth":
        await this.#truth();
        break;
      case "twice":
        await this.#twice();
        break;
      case "denied":
        await denied(stage, `denied-${stage.tally.commands}`);
        break;
      case "person":
        await this.#person();
        break;
    }
    await this.#calm();
    stage.check();
    if (random.chance(0.6)) {
      const plan = await stage.plan();
      this.#fixErrors(plan);
      if (plan.diagnostics.some(({ code }) => code === "IVR635")) await this.#recreateMissing();
    }
  }

  /** Ends all disturbances, so that none of them affects the next process. */
  async #calm(): Promise<void> {
    this.#stage.tap.moment = undefined;
    this.#stage.tap.listed = undefined;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    await this.#stage.calm();
    await this.#remote?.calm();
  }

  /** Ends all faults, resolves unknown outcomes and applies everything. */
  async #end(): Promise<void> {
    const stage = this.#stage;
    stage.steps.push("the end of the round");
    if (stage.mounted) stage.mount(4096);
    await this.#calm();
    stage.configure(4, 300);
    await this.#accept();
    await stage.apply();
    if (!this.#withState) return;
    const unknown = () => {
      const { pending, others, followUps } = stage.ledger();
      return [...pending.keys(), ...[...others.keys()].filter((name) => followUps.has(name))];
    };
    await this.#resolve(unknown(), 0);
    const left = unknown();
    if (left.length > 0) throw new Finding(`(5) ${left.join(", ")} cannot be resolved`);
    const { exit } = await stage.apply();
    if (exit !== 0 && exit !== 1) throw new Finding(`(5) the last apply exits with ${exit}`);
    if (stage.can("list")) await this.#finishWithLists();
  }

  /** Decides what plans may do: delete menus, and take phone numbers from what ivrctl does not manage. */
  #permit(rate: number): void {
    const [stage, random] = [this.#stage, this.#random];
    stage.permissions = new Set([
      ...(stage.can("delete") && random.chance(rate) ? ["--allow-delete" as const] : []),
      ...(stage.can("numbers") && random.chance(rate) ? ["--take-number" as const] : []),
    ]);
  }

  /** With lists, everything gets done that is not for a person to decide. */
  async #finishWithLists(): Promise<void> {
    const stage = this.#stage;
    this.#permit(1);
    this.#fixErrors(await stage.plan(), 1);
    await this.#recreateMissing();
    // Something that no file decides leads to a menu without a file.
    const { diagnostics } = await stage.plan();
    if (diagnostics.some(({ code }) => code === "IVR640"))
      stage.permissions = new Set(["--take-number"]);
    await stage.apply();
    await stage.apply();
    const left = await stage.plan();
    if (left.diagnostics.some(({ severity }) => severity === "error")) {
      count(stage.tally.harms, "errors at the end");
      return;
    }
    const { current } = stage.ledger();
    const strange = [...current].flatMap(([key, { id }]) => (id === undefined ? key : []));
    const waiting = new Set(
      left.changes.filter(({ action }) => action === "waiting").map(({ key }) => key),
    );
    const open = strange.filter((key) => !waiting.has(key));
    const warned = left.diagnostics.filter(({ code }) => code === "IVR637");
    if (warned.length < open.length) throw new Finding("(9) a menu without an id is not shown");
    // Without an id on record, the menus that lead to it wait. Without updates, drift stays.
    const isLeft = ({ action }: PlanJson["changes"][number]) =>
      !(action === "waiting" && strange.length > 0) && (action !== "drift" || stage.can("update"));
    const list = left.changes.filter(isLeft).map(({ key, action }) => `${key} ${action}`);
    agree("(9) always left to do", [list, []]);
    for (const [number, key] of this.#menus.bound) {
      const id = current.get(key)?.id;
      const leads = stage.numbers.find(({ did }) => did === number)?.destination;
      if (id !== undefined && !waiting.has(key) && leads !== `ivr||${id}`)
        throw new Finding(`(9) ${number} leads to ${leads}, not to ${key} (menu ${id})`);
    }
    if (stage.can("update")) stage.checkContent(waiting);
  }

  /** Creates the menus again that are gone. Nothing is deleted while a menu is missing. */
  async #recreateMissing(): Promise<void> {
    const stage = this.#stage;
    const { permissions } = stage;
    stage.permissions = new Set([...permissions].filter((one) => one !== "--allow-delete"));
    const { changes } = await stage.plan();
    const missing = changes.filter(({ action }) => action === "missing");
    const targets = missing.flatMap(({ key }) => ["--target", key]);
    if (missing.length > 0)
      await stage.apply({ args: ["--auto-approve", "--recreate-missing", ...targets] });
    stage.permissions = permissions;
  }

  /** Somebody changes or deletes a menu without ivrctl. */
  #onConsole(): void {
    const [stage, random] = [this.#stage, this.#random];
    const record = random.pick(stage.records);
    if (record === undefined) return;
    const { number, payload } = record;
    const what = random.choose({
      change: 8,
      delete: 1,
      webhook: stage.can("update") ? 1 : 0,
      number: stage.can("numbers") ? 4 : 0,
    });
    count(stage.tally.harms, `console: ${what}`);
    const description = `Console ${stage.tally.commands}`;
    if (what === "delete") stage.onConsole({ delete: number });
    else if (what === "change")
      stage.onConsole({ update: number, payload: { ...payload, description } });
    else if (what === "number") {
      const destination = random.pick([`ivr||${number}`, `ivr||${number}`, "hangup||1"]);
      const { id } = random.pick(stage.numbers) ?? { id: "" };
      stage.onConsole({ number: id, binding: { destination } });
    } else {
      const option = String(payload.option[0]);
      stage.onConsole({ webhook: { menu: number, option, id: "7" } });
    }
  }

  /** Sometimes somebody changes menus after the command has read a list. */
  #interfere(): void {
    if (!this.#stage.can("list") || !this.#random.chance(0.5)) return;
    let left = this.#random.pick([1, 1, 1, 2]);
    this.#stage.tap.listed = () => {
      left -= 1;
      if (left === 0) for (let times = 3; times > 0; times -= 1) this.#onConsole();
    };
  }

  /** Usually fixes the errors in the plan, so that the round can continue. */
  #fixErrors({ diagnostics }: PlanJson, rate = 0.8): void {
    if (!this.#random.chance(rate)) return;
    for (const { severity, code, file, hint = "" } of diagnostics) {
      if (severity !== "error" || !file.startsWith("ivrs/")) continue;
      const key = file.replace(/^ivrs\/|\.yaml$/g, "");
      if (code === "IVR667") {
        this.#stage.steps.push(`fix: ${this.#menus.withoutNumbers(key)}`);
        continue;
      }
      if (code === "IVR619") {
        this.#stage.steps.push(`fix: ${this.#menus.unlink(key)}`);
        continue;
      }
      const old = /moved_from: ([\w/.-]*\w)/.exec(hint)?.[1];
      this.#stage.steps.push(`fix: ${this.#menus.fix(key, old)}`);
    }
  }

  /** Chooses faults of the service. */
  async #startFaults(): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    if (random.chance(0.25)) return;
    const rules = Array.from({ length: random.between(1, 4) }, () => this.#rule());
    if (rules.some(({ kind }) => kind === "silence")) stage.configure(stage.concurrency, 0.4);
    stage.steps.push(`service: ${JSON.stringify(rules)}`);
    await stage.faulty(random.between(0, 1e6), rules);
    if (random.chance(0.06)) {
      stage.steps.push("service: refuses connections for a while");
      count(stage.tally.faults, "refused");
      stage.tap.shut(random.between(300, 900));
    }
  }

  #rule(): FaultRule {
    const random = this.#random;
    const rate = random.pick([0.15, 0.3, 0.6]);
    const created = random.chance(0.5);
    const may = (operation: OperationName, request: "update" | "delete" | "bind") =>
      this.#stage.can(operation) ? [request] : [];
    const writes = [
      ...may("update", "update"),
      ...may("delete", "delete"),
      ...may("numbers", "bind"),
    ];
    const on = random.chance(0.03)
      ? ("agents" as const)
      : random.pick(["create" as const, ...writes]);
    const about = { rate, on };
    if (this.#stage.can("list") && random.chance(0.25)) {
      const late = this.#stage.can("numbers") ? random.pick(["list", "numbers"] as const) : "list";
      return random.chance(0.6)
        ? { kind: "stale", changes: random.between(1, 4), on: late, rate }
        : { kind: "truncated", count: random.between(0, 6), on: "list", rate };
    }
    // After a silence, a cut or a reset, the menu may exist or not. After a refusal it does not.
    switch (random.between(0, 12)) {
      case 0:
        return {
          kind: "status",
          status: random.pick([400, 401, 403, 404, 422]),
          success: created,
          message: `No, ${this.#stage.token}`,
          ...about,
        };
      case 1:
        return { kind: "status", status: random.pick([301, 307, 308]), ...about };
      case 2:
        return { kind: "status", status: random.pick([302, 303, 408, 499]), created, ...about };
      case 3:
        return {
          kind: "status",
          status: random.pick([500, 502, 503]),
          success: "none",
          created,
          ...about,
        };
      case 4:
        return { kind: "status", status: random.pick([500, 503]), success: false, ...about };
      case 5:
        return random.chance(0.7)
          ? { kind: "status", status: 429, retryAfter: "0", ...about }
          : { kind: "status", status: 429, times: 1, ...about };
      case 6:
        return { kind: "reset", when: "before", ...about };
      case 7:
        return { kind: "reset", when: random.pick(["after", "answer"]), created, ...about };
      case 8:
        return { kind: "cut", created, ...about };
      case 9:
        return random.chance(0.5)
          ? { kind: "garbage", created, ...about }
          : { kind: "html", created, ...about };
      case 10:
        return { kind: "silence", created, ...about, rate: 0.15 };
      case 11:
        return { kind: "not-created", ...about };
      default:
        return { kind: "latency", ms: [0, random.pick([10, 60, 200])], ...about, rate: 0.8 };
    }
  }

  /** Chooses what happens to the process. */
  #harmed(): Applying {
    const [stage, random] = [this.#stage, this.#random];
    const remote = this.#remote;
    const [disk, net] = remote === undefined ? [1, 0] : [0, 1];
    const harm = random.choose({
      none: 3,
      killWhen: 6,
      killAt: 4 * disk,
      signal: 3,
      full: 2 * disk,
      limit: 1.5 * disk,
      readonly: 0.7 * disk,
      clock: 1.5,
      cutAt: 6 * net,
      unplug: 3 * net,
      server: 2 * net,
      falter: remote?.falter === undefined ? 0 : 4,
    });
    if (harm !== "none") stage.steps.push(`harm: ${harm}`);
    const at = random.chance(0.5) ? random.between(1, 14) : random.between(1, 60);
    switch (harm) {
      case "none":
        return {};
      case "killWhen":
        return { started: this.#later((child) => void child.kill("SIGKILL")) };
      case "killAt":
        return {
          harm: { mode: random.pick(["kill-before", "kill-after", "kill-half", "power-cut"]), at },
        };
      case "signal": {
        const signal = random.pick(["SIGINT", "SIGTERM"] as const);
        const again = random.chance(0.5) ? random.between(0, 60) : undefined;
        count(stage.tally.harms, again === undefined ? signal : `${signal} twice`);
        const send = this.#later((child) => {
          child.kill(signal);
          if (again !== undefined) setTimeout(() => child.kill(signal), again);
        });
        return { started: send };
      }
      case "full":
        return { harm: { mode: random.pick(["enospc", "enospc", "eio"]), at } };
      case "limit": {
        const journal = join(stage.folder, "e.journal.jsonl");
        const size = statSync(journal, { throwIfNoEntry: false })?.size ?? 0;
        return { harm: { fileLimit: Math.floor(size / 1024) + random.between(0, 8) } };
      }
      case "readonly":
        return { harm: { mode: "readonly", at: random.chance(0.5) ? 1 : at } };
      case "clock":
        return { harm: { clock: random.between(-1, 1) * random.between(1, remote?.clock ?? 4e9) } };
      case "cutAt":
        count(stage.tally.harms, "connection cut");
        remote?.cutAt(at, random.chance(0.3) ? random.between(15, 60) : Infinity);
        return {};
      case "unplug": {
        const away = random.between(50, 1500);
        count(stage.tally.harms, "connection away");
        return { started: this.#later(() => void remote?.away(away)) };
      }
      case "server":
        count(stage.tally.harms, "server killed");
        return { started: this.#later(() => remote?.kill()) };
      case "falter": {
        const how = remote?.falter?.(random) ?? "not";
        count(stage.tally.harms, `store ${how.split(",")[0]}`);
        stage.steps.push(`store: ${how}`);
        return {};
      }
    }
  }

  /** Delays `act`: for some time, or until a create reaches the service or an answer leaves it. */
  #later(act: (child: ChildProcess) => void): (child: ChildProcess) => void {
    const [stage, random] = [this.#stage, this.#random];
    if (random.chance(0.3)) {
      const after = random.between(0, 500);
      return (child) => this.#in(after, () => act(child));
    }
    const what = random.pick(["write", "answer"]);
    let left = random.between(1, 6);
    const after = random.pick([0, 0, 1, 3, 10]);
    return (child) => {
      stage.tap.moment = (now) => {
        if (now !== what) return;
        left -= 1;
        if (left > 0) return;
        stage.tap.moment = undefined;
        if (after === 0) act(child);
        else this.#in(after, () => act(child));
      };
    };
  }

  #in(milliseconds: number, act: () => void): void {
    this.#timers.add(setTimeout(act, milliseconds));
  }

  async #target(): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    const keys = [...this.#menus.keys, ...stage.ledger().current.keys()];
    const target = random.pick(["sales/*", "*1", ...keys]);
    const pattern = new RegExp(`^${target.replaceAll("*", ".*")}$`);
    await this.#startFaults();
    await stage.apply({
      ...this.#harmed(),
      args: ["--auto-approve", "--target", target],
      scope: (key) => pattern.test(key),
    });
  }

  /** Saves a plan, sometimes edits a menu, and applies the plan. A second apply must be refused if the first had an effect. */
  async #saved(): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    await stage.plan("--out", "plan.json");
    if (!existsSync(join(stage.root, "plan.json"))) return;
    if (random.chance(0.15)) stage.steps.push(`edit: ${this.#menus.edit()}`);
    if (stage.can("list") && random.chance(0.4)) this.#onConsole();
    await this.#startFaults();
    this.#interfere();
    const serial = stage.ledger().serial;
    await stage.apply({ ...this.#harmed(), args: ["plan.json"] });
    await this.#calm();
    if (stage.ledger().serial !== serial && !(await this.#isPending())) await this.#refused();
    rmSync(join(stage.root, "plan.json"), { force: true });
  }

  /** Whether a new plan has the same changes for the menus of the saved plan. */
  async #isPending(): Promise<boolean> {
    const { plan } = JSON.parse(readFileSync(join(this.#stage.root, "plan.json"), "utf8")) as {
      plan: { changes: { key: string; action: string; after?: { digest: string } }[] };
    };
    const now = new Set(
      (await this.#stage.plan()).changes.map(
        ({ key, action, after }) => `${key} ${action} ${after === null ? "" : digestOf(after)}`,
      ),
    );
    return plan.changes.every(
      ({ key, action, after }) =>
        action === "unknown" || now.has(`${key} ${action} ${after?.digest ?? ""}`),
    );
  }

  /** Checks that a plan cannot be applied again. */
  async #refused(): Promise<void> {
    const stage = this.#stage;
    const [serial, posts] = [stage.ledger().serial, stage.tap.writes.length];
    const ran = await stage.apply({ args: ["plan.json"] });
    // The second apply records what the first one could not record.
    const recorded = stage.ledger().serial !== serial && !ran.stderr.includes("IVR673");
    if (stage.tap.writes.length !== posts || recorded || ran.exit !== 1) {
      throw new Finding(`(6) a plan was applied twice${shownOf(ran)}`);
    }
  }

  /** Checks that apply does what the plan announced, if nothing disturbs it. */
  async #truth(): Promise<void> {
    const stage = this.#stage;
    if (stage.mounted) return;
    const kept = this.#random.chance(0.5);
    const plan = await stage.plan(...(kept ? ["--out", "plan.json"] : []));
    if (plan.diagnostics.some(({ severity }) => severity === "error")) return;
    const before = stage.tap.writes.length;
    const { serial } = stage.ledger();
    const { exit, stdout } = await stage.apply(kept ? { args: ["plan.json"] } : {});
    const { results } = JSON.parse(stdout) as {
      results: readonly { key: string; action: string; outcome: string }[];
    };
    const outcomes: Record<string, string> = {
      create: "created",
      replace: "created",
      move: "moved",
      forget: "forgotten",
      restore: "restored",
      update: "updated",
      delete: "deleted",
      bind: "bound",
      waiting: "waiting",
      missing: "missing",
      drift: "drift",
      unknown: "unknown",
    };
    agree("(6) announced, and done", [
      plan.changes.map(({ key, action }) => `${key} ${action} ${outcomes[action]}`),
      results.map(({ key, action, outcome }) => `${key} ${action} ${outcome}`),
    ]);
    const deletes = plan.changes.filter(({ action }) => action === "delete").length;
    const sending = plan.changes
      .filter(({ action }) => /^(?:create|replace|update)$/.test(action))
      .flatMap(({ after, first }) => [...(first ? [first] : []), ...(after ? [after] : [])]);
    // The ids of new menus were not known yet.
    const announced = sending.map((payload) =>
      JSON.stringify(payload).includes('"ivr||menu ') ? payload.name : digestOf(payload),
    );
    const sent = stage.tap.writes
      .slice(before)
      .filter(({ operation }) => operation === "create" || operation === "update");
    const of = (operation: string) =>
      stage.tap.writes.slice(before).filter((one) => one.operation === operation).length;
    agree("(6) numbers and deletes announced, and sent", [
      [`${plan.changes.flatMap(({ bind = [] }) => bind).length}`, `${deletes} deletes`],
      [`${of("bind")}`, `${of("delete")} deletes`],
    ]);
    agree("(6) payloads announced, and sent", [
      announced,
      sent.map(({ name, digest }) => (announced.includes(digest) ? digest : name)),
    ]);
    const expected = plan.changes.some(({ action }) => action === "unknown") ? 3 : 0;
    if (exit !== expected) throw new Finding(`(6) exit ${exit}, not ${expected}`);
    if (kept && stage.ledger().serial !== serial) await this.#refused();
    rmSync(join(stage.root, "plan.json"), { force: true });
    const after = await stage.plan();
    const left = after.changes.filter(
      ({ action }) => !/^(?:unknown|waiting|missing|drift)$/.test(action),
    );
    agree("(6) left to do after an apply", [left.map(({ key, action }) => `${key} ${action}`), []]);
  }

  /** Runs two applies at once. Sometimes the lock of the first is released while it runs. */
  async #twice(): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    const released = this.#withState && random.chance(0.3);
    count(stage.tally.harms, released ? "lock released" : "two at once");
    await this.#startFaults();
    const wait = random.chance(0.5) ? ["--lock-timeout", "20"] : [];
    const rest = () => new Promise((resolve) => setTimeout(resolve, random.between(0, 400)));
    const first = stage.apply({ ...this.#harmed(), rival: true, released });
    const id = stage.lastId;
    if (released || random.chance(0.6)) await rest();
    const release = released ? stage.command(["unlock", id], { rival: true, released }) : undefined;
    if (released && random.chance(0.7)) await rest();
    const args = ["--auto-approve", ...wait];
    const second = stage.apply({ args, rival: true, released });
    // Wait for both, even if one of them throws.
    const ended = await Promise.allSettled([first, second, release]);
    for (const one of ended) if (one.status === "rejected") throw one.reason;
  }

  /** Runs a command of a person about the state. */
  async #person(): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    const ledger = stage.ledger();
    const pending = random.shuffle([...ledger.pending.keys()]);
    const [key] = random.shuffle([...ledger.current.keys()]);
    const followUps = random.shuffle([...ledger.followUps.keys()]);
    const what = random.choose({
      resolve: pending.length > 0 ? 8 : 0,
      done: followUps.length > 0 ? 2 : 0,
      deleteOld: stage.can("delete") && followUps.length > 0 ? 4 : 0,
      forget: key === undefined ? 0 : 0.7,
      mv: key === undefined ? 0 : 0.7,
      look: 0.5,
    });
    const harm = random.chance(this.#remote === undefined ? 0.25 : 0)
      ? {
          harm: {
            mode: random.pick(["kill-before", "kill-after", "kill-half", "power-cut", "enospc"]),
            at: random.between(1, 16),
          },
        }
      : {};
    stage.steps.push(`a person: ${what}`);
    switch (what) {
      case "resolve":
        await this.#resolve(pending.slice(0, random.between(1, pending.length)), 0.15);
        break;
      case "done":
        await stage.command(
          ["state", "done", ...followUps.slice(0, random.between(1, 2)), "--evidence", "taken out"],
          harm,
        );
        break;
      case "deleteOld": {
        const old = followUps.slice(0, random.between(1, 2));
        await this.#startFaults();
        await stage.command(["state", "done", ...old, "--delete", "--auto-approve"], harm);
        break;
      }
      case "forget":
        await stage.command(["state", "forget", key ?? "", "--auto-approve"], harm);
        break;
      case "mv":
        await stage.command(["state", "mv", key ?? "", `moved/${key}`], harm);
        break;
      case "look":
        for (const words of [
          ["list"],
          ["history"],
          ...(key === undefined ? [] : [["show", key]]),
        ]) {
          const { exit, stdout } = await stage.command(["state", ...words, "--format", "json"]);
          if (exit === 0) JSON.parse(stdout);
        }
        break;
    }
  }

  /** Resolves keys by what the service has, or wrongly with the probability `lie`. */
  async #resolve(keys: readonly string[], lie: number): Promise<void> {
    const stage = this.#stage;
    const ledger = stage.ledger();
    const said = keys.map((key) => {
      const intent = ledger.pending.get(key) ?? ledger.others.get(key);
      const there = intent !== undefined && stage.isShown(intent);
      return { key, there: this.#random.chance(lie) ? !there : there };
    });
    for (const answer of [true, false]) {
      const matching = said.filter(({ there }) => there === answer).map(({ key }) => key);
      if (matching.length === 0) continue;
      const flags = [answer ? "--created" : "--absent", "--by", "a person", "--evidence", "looked"];
      await stage.command(["state", "resolve", ...matching, ...flags]);
    }
  }

  /** Damages the checkpoint. Nothing may be sent before a person has accepted the journal. */
  async #spoilCheckpoint(): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    const path = join(stage.folder, "e.json");
    if (!existsSync(path) || stage.ledger().serial === 0) return;
    count(stage.tally.harms, "checkpoint damaged");
    stage.steps.push("damage the checkpoint");
    // A checkpoint without its last newline would still be valid.
    const left = random.chance(0.4) ? 0 : random.between(0, statSync(path).size - 2);
    if (left === 0) rmSync(path);
    else truncateSync(path, left);
    if (random.chance(0.5)) {
      const before = stage.tap.writes.length;
      const ran = await stage.apply();
      if (ran.exit !== 1 || stage.tap.writes.length !== before) {
        throw new Finding(`(8) applied without its checkpoint${shownOf(ran)}`);
      }
    }
    await this.#accept();
  }

  /** Accepts the journal. On a full disk this fails, and is repeated at the end of the round. */
  async #accept(): Promise<void> {
    const stage = this.#stage;
    const ran = await stage.command(["state", "accept"]);
    if (ran.exit !== 0 && !stage.mounted) {
      throw new Finding(`(8) the journal cannot be accepted${shownOf(ran)}`);
    }
  }
}

/** What the service of a round can do. Some rounds have only the specified operations. */
function operationsOf(index: number, random: Random): readonly OperationName[] {
  if (index % 2 === 0) return [];
  return random.chance(0.2) ? ["list"] : moreOperations;
}
