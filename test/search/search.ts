import { existsSync, rmSync, statSync, truncateSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { OperationName } from "../../src/schema/operations.ts";
import { snapshotFile } from "../support/file-log.ts";
import { denied } from "./denied.ts";
import { Faults } from "./faults.ts";
import type { Remote } from "./store-under-test.ts";
import type { Operation } from "./journal.ts";
import type { Menus } from "./menus.ts";
import { People } from "./people.ts";
import { Plans } from "./plans.ts";
import { merged } from "./merged.ts";
import { lockId } from "./process.ts";
import { Random, seedOf } from "./random.ts";
import { setBack } from "./set-back.ts";
import { type PlanJson, Finding, agree } from "./checks.ts";
import { Stage } from "./stage.ts";
import { Tally, count, fewestKills } from "./tally.ts";

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
  store(): Promise<Remote>;
  close(): void;
}

export interface Search {
  /** Starts a server for the states, which are in files otherwise. Each worker has its own, because it may be killed. */
  readonly startServer?: (() => Promise<Server>) | undefined;
  readonly seed: number;
  readonly seconds: number;
  /** Play only this round. */
  readonly only?: number | undefined;
}

/** What a service can do besides creating menus and listing agents. */
export const moreOperations: readonly OperationName[] = ["list", "update", "numbers", "delete"];

/** The search ends after this many findings. */
export const maxFound = 3;

/** A search that has not reached enough in so many rounds never will. */
export const mostRounds = 40;

/** A round has so many steps, even if the time is over: on a busy machine, a short search would try nothing. */
const fewestSteps = 4;

/** Plays rounds until the time is over. */
export async function search({ seed, seconds, only, startServer }: Search): Promise<Searched> {
  const tally = new Tally();
  const found: Found[] = [];
  let deadline = 0;
  let next = only ?? 0;
  const worker = async () => {
    const server = await startServer?.();
    deadline = performance.now() + seconds * 1000;
    try {
      const goesOn = () => performance.now() < deadline || (!tally.isEnough && next < mostRounds);
      while (goesOn() && found.length < maxFound) {
        const index = next;
        next += 1;
        const store = await server?.store();
        const round = new Round(seedOf(seed, index), index, tally, store);
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

class Round {
  readonly #random: Random;
  readonly #index: number;
  readonly #stage: Stage;
  readonly #menus: Menus;
  readonly #remote: Remote | undefined;
  readonly #faults: Faults;
  readonly #people: People;
  readonly #plans: Plans;

  constructor(seed: number, index: number, tally: Tally, remote: Remote | undefined) {
    this.#random = new Random(seed);
    this.#index = index;
    this.#remote = remote;
    const token = `secret/${this.#random.between(1e8, 1e9)}+tok=`;
    this.#stage = new Stage(tally, token, this.#remote, operationsOf(index, this.#random));
    const count = this.#random.pick([1, 4, 5, 6, 8, 12]);
    this.#menus = this.#stage.menus(this.#random, count, this.#stage.can("list") ? 0.25 : 0);
    this.#faults = new Faults(this.#stage, this.#random, remote);
    this.#people = new People(this.#stage, this.#random, this.#menus, this.#faults);
    this.#plans = new Plans(this.#stage, this.#random, this.#menus, this.#faults, this.#people);
  }

  async run(deadline: number): Promise<Found | undefined> {
    const [stage, random] = [this.#stage, this.#random];
    let found: Found | undefined;
    try {
      await stage.open();
      await this.#remote?.open();
      if (this.#index % 5 === 3 && this.#remote === undefined)
        stage.mount(random.between(68, 80) * 4);
      stage.configure(4, 300);
      await stage.begin(
        this.#remote === undefined ? this.#faults.atWrite() : this.#faults.disturbed(),
      );
      await this.#faults.calm();
      await stage.begin();
      // Also a short search has killed something then.
      if (this.#index < fewestKills) {
        await this.#prepare();
        await stage.apply(this.#faults.killed());
        await this.#faults.calm();
      }
      if (stage.can("list") && random.chance(0.7)) {
        this.#permit(1);
        await stage.apply();
      }
      const steps = random.between(6, 16);
      const isTime = (step: number) => step <= fewestSteps || performance.now() < deadline;
      for (let step = 1; step <= steps && isTime(step); step += 1) {
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
    if (stage.can("list") && random.chance(0.7))
      stage.steps.push(`edit: ${this.#menus.turnOver()}`);
    if (random.chance(0.06)) this.#spoilSnapshot();
    if (stage.mounted && random.chance(0.2)) {
      const size = random.between(70, 120) * 4;
      stage.steps.push(`the disk has ${size} KiB${stage.mount(size) ? "" : " (no)"}`);
    }
    await this.#faults.calm();
    if (stage.can("list") && random.chance(0.4)) this.#people.useConsole();
    stage.configure(random.between(1, 6), 300);
    this.#permit(0.75);
    // Two builds share the state.
    stage.isOlder = random.chance(0.3);
    if (random.chance(stage.can("list") ? 0.8 : 0.3)) await this.#prepare();
    const step = random.choose({
      apply: 8,
      target: 1.5,
      saved: 2.5,
      truth: 4,
      lost: stage.can("list") ? 6 : 0,
      // These start several processes.
      twice: stage.can("list") ? 0.5 : 1.5,
      denied: stage.can("list") ? 0.3 : 1,
      merged: this.#remote === undefined ? 0.7 : 0,
      setBack: this.#remote?.setBack === undefined ? 0 : 2,
      person: 5,
    });
    stage.steps.push(`step: ${step}`);
    switch (step) {
      case "apply":
        await this.#faults.startFaults();
        this.#people.interfere();
        await stage.apply(this.#faults.disturbed());
        break;
      case "lost":
        await this.#prepare();
        await this.#faults.lose(() => this.#people.meddle());
        await stage.apply();
        break;
      case "target":
        await this.#target();
        break;
      case "saved":
        await this.#plans.saved();
        break;
      case "truth":
        await this.#plans.truth();
        break;
      case "twice":
        await this.#twice();
        break;
      case "denied":
        await denied(stage, lockId("den", stage.tally.commands));
        break;
      case "merged":
        await merged(stage, random);
        break;
      case "setBack":
        if (this.#remote !== undefined) await setBack(stage, random, this.#remote);
        break;
      case "person":
        await this.#people.act();
        break;
    }
    stage.isOlder = false;
    await this.#faults.calm();
    stage.check();
    if (random.chance(0.4)) await stage.plan();
  }

  /** Fixes the errors in the plan, so that the step has something to do. */
  async #prepare(): Promise<void> {
    const stage = this.#stage;
    const plan = await stage.plan();
    const isStuck = await this.#people.fix(plan);
    this.#faults.expect(requestsOf(isStuck ? await stage.plan() : plan));
  }

  /** Ends all faults, resolves unknown outcomes and applies everything. */
  async #end(): Promise<void> {
    const stage = this.#stage;
    stage.steps.push("the end of the round");
    if (stage.mounted) stage.mount(4096);
    await this.#faults.calm();
    stage.configure(4, 300);
    await stage.apply();
    const unknown = () => {
      const { pending, others, followUps } = stage.journal();
      return [...pending.keys(), ...[...others.keys()].filter((name) => followUps.has(name))];
    };
    await this.#people.resolve(unknown(), 0);
    const left = unknown();
    if (left.length > 0) throw new Finding(`(5) ${left.join(", ")} cannot be resolved`);
    const { exit } = await stage.apply();
    if (exit !== 0 && exit !== 1) throw new Finding(`(5) the last apply exits with ${exit}`);
    if (stage.can("list")) await this.#finishWithLists();
  }

  /** Decides what plans may do: delete menus, take phone numbers from what ivrctl does not manage, and use a name twice. */
  #permit(rate: number): void {
    const [stage, random] = [this.#stage, this.#random];
    stage.permissions = new Set([
      ...(stage.can("delete") && random.chance(rate) ? ["--allow=delete" as const] : []),
      ...(stage.can("numbers") && random.chance(rate) ? ["--allow=take-number" as const] : []),
      ...(stage.can("list") && (rate === 1 || random.chance(0.3))
        ? ["--allow=same-name" as const]
        : []),
    ]);
  }

  /** With lists, everything gets done that is not for a person to decide. */
  async #finishWithLists(): Promise<void> {
    const stage = this.#stage;
    this.#permit(1);
    await this.#people.fix(await stage.plan());
    await this.#people.recreateMissing();
    const { diagnostics } = await stage.plan();
    if (diagnostics.some(({ code }) => code === "IVR640"))
      stage.permissions = new Set(
        [...stage.permissions].filter((permission) => permission !== "--allow=delete"),
      );
    await stage.apply();
    // A missing menu may have had to wait for a menu that did not exist before.
    await this.#people.recreateMissing();
    await stage.apply();
    const left = await stage.plan();
    if (left.refused) {
      count(stage.tally.disturbances, "errors at the end");
      return;
    }
    const { current } = stage.journal();
    const strange = [...current].flatMap(([key, { id }]) => (id === undefined ? key : []));
    const keysWith = (...actions: string[]) =>
      left.changes.filter(({ action }) => actions.includes(action)).map(({ key }) => key);
    // What somebody changed on the console stays, if the menu cannot be updated or a change replaces it.
    const drifted = keysWith("drift").filter(
      (key) => !stage.can("update") || this.#menus.isReplaced(key),
    );
    const waiting = new Set(keysWith("waiting"));
    const open = strange.filter((key) => !waiting.has(key));
    const warned = [...left.diagnostics, ...left.matters].filter(({ code }) => code === "IVR637");
    if (warned.length < open.length) throw new Finding("(9) a menu without an id is not shown");
    // Without a recorded id, the menus that link to it wait.
    const isLeft = ({ key, action }: PlanJson["changes"][number]) =>
      !(action === "waiting" && strange.length > 0) && !drifted.includes(key);
    const list = left.changes.filter(isLeft).map(({ key, action }) => `${key} ${action}`);
    agree("(9) always left to do", [list, []]);
    const except = new Set([...waiting, ...drifted]);
    const bound = stage.can("numbers") ? this.#menus.bound : [];
    for (const [number, key] of bound) {
      const id = current.get(key)?.id;
      const leads = stage.numbers.find(({ did }) => did === number)?.destination;
      if (id !== undefined && !except.has(key) && leads !== `ivr||${id}`)
        throw new Finding(`(9) ${number} points to ${leads}, not to ${key} (menu ${id})`);
    }
    if (stage.can("update")) stage.checkContent(except);
  }

  async #target(): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    const keys = [...this.#menus.keys, ...stage.journal().current.keys()];
    const target = random.pick(["sales/*", "*1", ...keys]);
    const pattern = new RegExp(`^${target.replaceAll("*", ".*")}$`);
    await this.#faults.startFaults();
    await stage.apply({
      ...this.#faults.disturbed(),
      args: ["--auto-approve", "--target", target],
      scope: (key) => pattern.test(key),
    });
  }

  /** Runs two applies at once. Sometimes the lock of the first is released while it runs. */
  async #twice(): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    const released = random.chance(0.3);
    count(stage.tally.disturbances, released ? "lock released" : "two at once");
    await this.#faults.startFaults();
    const wait = random.chance(0.5) ? ["--lock-timeout", "20"] : [];
    const rest = () => new Promise((resolve) => setTimeout(resolve, random.between(0, 400)));
    const first = stage.apply({ ...this.#faults.disturbed(), rival: true, released });
    const id = stage.lastId;
    if (released || random.chance(0.6)) await rest();
    const release = released ? stage.command(["unlock", id], { rival: true, released }) : undefined;
    if (released && random.chance(0.7)) await rest();
    const args = ["--auto-approve", ...wait];
    const second = stage.apply({ args, rival: true, released });
    // Wait for both, even if one of them throws.
    const ended = await Promise.allSettled([first, second, release]);
    for (const result of ended) if (result.status === "rejected") throw result.reason;
  }

  /** Damages the newest snapshot. The log has everything, so it has no effect. */
  #spoilSnapshot(): void {
    const [stage, random] = [this.#stage, this.#random];
    if (stage.journal().serial === 0 || !existsSync(join(stage.folder, "e"))) return;
    const path = snapshotFile(stage.root, "e");
    if (!path.endsWith(".json")) return;
    count(stage.tally.disturbances, "snapshot damaged");
    stage.steps.push("damage the snapshot");
    if (random.chance(0.4)) rmSync(path);
    else truncateSync(path, random.between(0, statSync(path).size));
  }
}

/** The requests that apply sends for a plan. */
function requestsOf({ changes }: PlanJson): Operation[] {
  const sends = (operation: Operation, is: (change: PlanJson["changes"][number]) => boolean) =>
    changes.some(is) ? [operation] : [];
  return [
    ...sends("create", ({ action }) => action === "create" || action === "replace"),
    ...sends("update", ({ action, first }) => action === "update" || first !== undefined),
    ...sends("bind", ({ bind = [] }) => bind.length > 0),
    ...sends("delete", ({ action }) => action === "delete"),
  ];
}

/** What the service of a round can do. Some rounds have only the specified operations. */
function operationsOf(index: number, random: Random): readonly OperationName[] {
  if (index % 4 === 2) return [];
  if (random.chance(0.9)) return moreOperations;
  return random.pick([["list"], ["list", "update"], ["list", "numbers"]]);
}
