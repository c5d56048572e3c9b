import { begun } from "../../src/deploy/state/begin.ts";
import { standardWire } from "../../src/project/environment.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Agents } from "../../src/project/agent-list.ts";
import { applyPlan } from "../../src/deploy/apply/apply-plan.ts";
import { destinationText } from "../../src/deploy/service/encode-payload.ts";
import type { Destination } from "../../src/model/menu.ts";
import { Pace } from "../../src/deploy/service/pace.ts";
import {
  type Facts,
  contentFacts,
  isSame,
  menuDigest,
  payloadDigest,
  payloadFacts,
} from "../support/payload-facts.ts";
import { type Plan } from "../../src/deploy/plan/plan.ts";
import { reviewedSteps, savedPlan } from "../../src/deploy/plan/saved/plan-file.ts";
import type { PlanInput } from "../../src/deploy/plan/plan-project.ts";
import { checkSaved } from "../../src/deploy/plan/saved/check-saved.ts";
import { type Ref, followUpIn, isOld, menuRef } from "../../src/schema/ref.ts";
import { type Step, isRefused, contentWithIds } from "../../src/deploy/plan/steps/step.ts";
import type { Permit } from "../../src/deploy/service/exchange.ts";
import type { Attempted } from "../../src/deploy/service/outcome.ts";
import type { CommitLog } from "../../src/deploy/state/log/commit-log.ts";
import type { LogHost } from "../../src/deploy/state/process-identity.ts";
import { StateStore } from "../../src/deploy/state/log/state-store.ts";
import { outcomeEvent } from "../../src/deploy/state/records.ts";
import type { StateView } from "../../src/deploy/state/state.ts";
import {
  liveRecords,
  followUpRecord,
  idOnRecord,
  liveRecord,
  menuRecord,
  recordsOf,
} from "../../src/deploy/state/view.ts";
import type { Session } from "../../src/deploy/state/log/session.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { operationNames } from "../../src/schema/operations.ts";
import type { SavedPlanOutput } from "../../src/schema/saved-plan.ts";
import type { Pending, PendingBind, StateEvent } from "../../src/schema/state.ts";
import type { Payload } from "../../src/schema/wire.ts";
import type { Clock } from "../../src/util/host.ts";
import { MemoryBlocks, MemoryLog, MemoryWitness } from "../support/memory-log.ts";
import { planFor } from "../plan/histories.ts";
import { type Menu, listsOf, payloadOf } from "../plan/world.ts";

/*
 * A simulation of apply over a log in memory and a service in memory. Every request to one of them
 * and every pause is an await that the story orders. A run can be killed at any of them.
 */

/** What happens in a story. Every number counts from 0 and wraps around. */
export interface Story {
  /** Whether the service can list, update and delete menus and bind phone numbers, or only create menus. */
  readonly hasOperations: boolean;
  readonly turns: readonly Turn[];
}

interface Turn {
  /** What people change in the files before the run. */
  readonly edits: readonly Edit[];
  /** What somebody does on the console, after the plan of this turn was saved. */
  readonly console: readonly ConsoleEdit[];
  /** The turn whose saved plan the run applies. Null: it makes a plan. */
  readonly saved: number | null;
  /** The await at which the run is killed, if it comes so far. */
  readonly killedAt: number | null;
  /** Whether the requests in flight arrive although the run was killed. */
  readonly arrivesLate: boolean;
  /** Which of the awaits in progress goes on next, again and again. */
  readonly order: readonly number[];
  /** What becomes of the requests that write, in turn. */
  readonly answers: readonly Answer[];
  /** Whether a person looks at the service after the run, and resolves what is unknown. */
  readonly resolves: boolean;
}

interface Edit {
  readonly key: (typeof keys)[number];
  readonly to: (typeof variants)[number];
  readonly hasNumber: boolean;
}

/** Changes or deletes a menu, or points the phone number at a menu or at an agent. */
interface ConsoleEdit {
  readonly what: (typeof consoleEdits)[number];
  readonly menu: number;
}

/** `lost` requests do not arrive, `unanswered` ones do. */
type Answer = "done" | "refused" | "busy" | "lost" | "unanswered";

export const keys = ["a", "b", "c"] as const;
/** What the file of a menu can say. */
export const variants = ["none", "1", "2", "link"] as const;
export const consoleEdits = ["change", "delete", "number", "agent"] as const;
export const answers = ["done", "refused", "busy", "lost", "unanswered"] as const;

/** How often the things happened that a story is about. */
export interface Stats {
  kills: number;
  killsInFlight: number;
  unknown: number;
  creates: number;
  updates: number;
  deletes: number;
  binds: number;
  consoleEdits: number;
  /** Saved plans that were applied, and those that were refused. */
  reviewed: number;
  stale: number;
}

const number = "+901";
const agents = new Agents(
  ["0", "1", "2", "3"].map((eid) => ({ id: Number(eid), name: `extension ${eid}`, eid })),
);
const allowed = ["delete", "take-number", "recreate", "webhook-loss"] as const;

/** Lets a story happen. Throws if a promise is broken. */
export async function simulate(story: Story, stats: Stats): Promise<void> {
  const world = new World(story.hasOperations, stats);
  await world.begin();
  for (const turn of story.turns) {
    for (const edit of turn.edits) world.edit(edit);
    await world.save();
    for (const edit of turn.console) await world.editOnConsole(edit);
    await world.run(turn);
    await world.checkNothingIsLost();
    if (turn.resolves) await world.resolve();
  }
  for (let left = 12; ; left -= 1) {
    await world.resolve();
    if (await world.isDone()) break;
    if (left === 0) throw new Error("it does not come to an end");
    await world.run(quiet);
  }
  await world.checkNothingIsLost();
}

const quiet: Turn = {
  edits: [],
  console: [],
  saved: null,
  killedAt: null,
  arrivesLate: false,
  order: [0],
  answers: ["done"],
  resolves: false,
};

interface Await {
  readonly run: () => Promise<void>;
  /** Does what was asked for, without an answer. */
  readonly arrive?: () => Promise<unknown>;
}

/** One process, whose awaits go on one at a time. */
class Process {
  isAlive = true;
  readonly name: string;
  readonly #turn: Turn;
  readonly #stats: Stats;
  readonly #time: { now: number };
  #awaits: Await[] = [];
  #step = 0;

  constructor(name: string, turn: Turn, time: { now: number }, stats: Stats) {
    this.name = name;
    this.#turn = turn;
    this.#time = time;
    this.#stats = stats;
  }

  /** Asks for something that is done when its turn comes. */
  ask<T>(effect: () => Promise<T>, isWrite = false): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => effect().then(resolve, reject);
      this.#awaits.push({ run, ...(isWrite && { arrive: effect }) });
    });
  }

  /** Drives the process until `act` ends, or until it is killed. */
  async drive(act: Promise<unknown>): Promise<void> {
    const { killedAt, order, arrivesLate } = this.#turn;
    let problem: { readonly error: unknown } | undefined;
    let hasEnded = false;
    act.catch((error: unknown) => (problem = { error })).finally(() => (hasEnded = true));
    for (let idle = 0; ;) {
      await nextTurn();
      if (hasEnded) break;
      idle = this.#awaits.length === 0 ? idle + 1 : 0;
      if (idle > 100) throw new Error("the run waits for nothing");
      if (idle > 0) continue;
      if (this.#step === killedAt) return this.#die(arrivesLate);
      const at = (order[this.#step % order.length] ?? 0) % this.#awaits.length;
      const [next] = this.#awaits.splice(at, 1);
      this.#step += 1;
      this.#time.now += 10;
      await next?.run();
    }
    this.isAlive = false;
    if (problem !== undefined) throw problem.error;
  }

  async #die(arrivesLate: boolean): Promise<void> {
    this.isAlive = false;
    this.#stats.kills += 1;
    const inFlight = this.#awaits.flatMap(({ arrive }) => arrive ?? []);
    this.#awaits = [];
    if (inFlight.length > 0) this.#stats.killsInFlight += 1;
    if (arrivesLate) for (const arrive of inFlight) await arrive();
  }
}

/** A plan that was reviewed, and how many requests had arrived when it was made. */
interface Saved {
  readonly name: string;
  readonly plan: SavedPlanOutput;
  readonly arrived: number;
}

/** A request that has arrived: what it is about, what it sends, and the saved plan that it belongs to. */
interface Arrived {
  readonly ref: string;
  readonly content: string;
  readonly by: string | undefined;
}

interface Served {
  payload: Payload;
  readonly key: string;
  isGone: boolean;
}

class World {
  readonly #hasOperations: boolean;
  readonly #stats: Stats;
  readonly #time = { now: 1_800_000_000_000 };
  readonly #blocks = new MemoryBlocks();
  readonly #processes = new Map<string, Process>();
  readonly #files = new Map<string, { readonly menu: Menu; readonly hasNumber: boolean }>();
  readonly #menus = new Map<string, Served>();
  #leads: string | null = null;
  /** The keys of creates that got no answer, and that no person has looked at. */
  readonly #unanswered = new Set<string>();
  readonly #saved: Saved[] = [];
  readonly #arrived: Arrived[] = [];
  #sessions = 0;
  #redirects = 0;

  constructor(hasOperations: boolean, stats: Stats) {
    this.#hasOperations = hasOperations;
    this.#stats = stats;
  }

  async begin(): Promise<void> {
    await this.#record(begun({ id: "L", environment: "test", address: "sandbox" }));
  }

  edit({ key, to, hasNumber }: Edit): void {
    const other = keys[(keys.indexOf(key) + 1) % keys.length] ?? "a";
    if (to === "none") {
      // A valid project has no link to a menu without a file.
      const isLinked = [...this.#files.values()].some(({ menu }) => menu["2"] === `menu:${key}`);
      if (!isLinked) this.#files.delete(key);
      return;
    }
    const base = { name: key.toUpperCase(), invalid: "ext:0" };
    const isLink = to === "link" && this.#files.has(other) && !this.#linksTo(other, key);
    const menu = isLink
      ? { ...base, "1": "ext:1", "2": `menu:${other}` }
      : { ...base, "1": `ext:${to === "link" ? "3" : to}` };
    for (const [name, file] of this.#files) {
      if (hasNumber) this.#files.set(name, { ...file, hasNumber: false });
    }
    this.#files.set(key, { menu, hasNumber });
  }

  /** Saves a plan, unless it is refused. */
  async save(): Promise<void> {
    const plan = this.#plan(await this.#durable());
    const saved = savedPlan(plan, { config: new Source("ivrctl.yaml", ""), menus: [] }, "");
    const name = `plan ${this.#saved.length}`;
    if (!isRefused(plan.steps)) {
      this.#saved.push({ name, plan: saved, arrived: this.#arrived.length });
    }
  }

  /** Somebody uses the console. What a list does not show, nobody can compare. */
  async editOnConsole({ what, menu }: ConsoleEdit): Promise<void> {
    if (!this.#hasOperations) return;
    const records = liveRecords(await this.#durable());
    const ids = new Set(records.map(({ current }) => current.identified?.id));
    const live = this.#live().filter(({ id }) => ids.has(id));
    const { id = "" } = live[menu % Math.max(live.length, 1)] ?? {};
    const edited = this.#menus.get(id);
    if (edited === undefined) return;
    this.#stats.consoleEdits += 1;
    if (what === "change") edited.payload = { ...edited.payload, timeout: "9" };
    else if (what === "delete") edited.isGone = true;
    else this.#leads = what === "number" ? `ivr||${id}` : "extension||7";
  }

  /** Plans and applies once, as one process. */
  async run(turn: Turn): Promise<void> {
    const process = new Process(`p${this.#processes.size}`, turn, this.#time, this.#stats);
    this.#processes.set(process.name, process);
    await process.drive(this.#apply(process, turn));
  }

  /** Whether nothing is left to do, and the service has what the files say. */
  async isDone(): Promise<boolean> {
    const state = await this.#durable();
    const plan = this.#plan(state);
    if (plan.steps.some(({ holds }) => holds.length === 0)) return false;
    if (plan.steps.length > 0) {
      const holds = plan.steps.map(
        ({ ref, op, holds: all }) => `${op} ${ref} ${JSON.stringify(all)}`,
      );
      throw new Error(`held back for ever: ${holds.join(", ")}`);
    }
    const idOf = (key: string) => idOnRecord(state, menuRef(key));
    for (const [key, { menu }] of this.#files) {
      const current = liveRecord(state, menuRef(key));
      const wanted = payloadOf(
        Object.fromEntries(
          Object.entries(menu).map(([place, to]) => [
            place,
            to.startsWith("menu:") ? `id:${idOf(to.slice(5))}` : to,
          ]),
        ),
      );
      const live = this.#live().filter(({ digest }) => digest === payloadDigest(wanted));
      if (!current || live.length === 0) throw new Error(`${key} is not what its file says`);
    }
    return true;
  }

  /** A menu that was created is recorded, or its request is. */
  async checkNothingIsLost(): Promise<void> {
    const state = await this.#durable();
    const ids = new Set(liveRecords(state).map(({ current }) => current.identified?.id));
    const known = [
      ...liveRecords(state).flatMap(({ current }) =>
        current.identified ? [] : menuDigest(current.menu),
      ),
      ...recordsOf(state, "menu").flatMap(({ pending }) =>
        pending ? menuDigest(pending.menu) : [],
      ),
    ];
    for (const { id, digest, key } of this.#live()) {
      if (ids.has(id)) continue;
      const at = known.indexOf(digest);
      if (at === -1) throw new Error(`menu ${id} of ${key} is lost`);
      known.splice(at, 1);
    }
  }

  /** A person looks at the service, and records what became of each unknown request. */
  async resolve(): Promise<void> {
    const state = await this.#durable();
    const events: StateEvent[] = [];
    for (const { kind, current, pending } of state.records.values()) {
      if (kind === "number") {
        const isBound = current?.to.some((to) => destinationText(to) === this.#leads) ?? true;
        if (pending) events.push(seen(pending, this.#leads === destinationText(pending.after)));
        // A list that denies a bind can lag behind, so only a person can rule it out.
        else if (current && !isBound) {
          const { key } = current;
          events.push({ kind: "number-seen", key, number, as: "not-bound", evidence: "console" });
        }
        continue;
      }
      if (!pending || !("menu" in pending)) continue;
      const menu = this.#menus.get(current?.identified?.id ?? "");
      const isDone =
        pending.action === "delete"
          ? menu === undefined || menu.isGone
          : pending.action === "update"
            ? menu !== undefined && payloadDigest(menu.payload) === menuDigest(pending.menu)
            : this.#unrecorded(state).some(({ digest }) => digest === menuDigest(pending.menu));
      events.push(seen(pending, isDone));
    }
    if (events.length > 0) await this.#record(...events);
    await this.#enterIds();
    this.#unanswered.clear();
    // The plan refuses to delete a menu that a phone number still points to, so the person redirects it.
    const isNumberInUse = [...this.#files.values()].some(({ hasNumber }) => hasNumber);
    if (!isNumberInUse && this.#leads?.startsWith("ivr||")) {
      this.#redirects += 1;
      this.#leads = `extension||${this.#redirects}`;
    }
  }

  /** A person enters the ids that the console shows. */
  async #enterIds(): Promise<void> {
    const records = liveRecords(await this.#durable());
    const entered = new Set(records.flatMap(({ current }) => current.identified?.id ?? []));
    const events: StateEvent[] = [];
    for (const { ref, key, current } of records) {
      if (current.identified !== undefined) continue;
      const id = this.#live().find(
        (menu) => menu.digest === menuDigest(current.menu) && !entered.has(menu.id),
      )?.id;
      if (id === undefined) throw new Error(`${key} is recorded, but not on the service`);
      entered.add(id);
      const how = { how: "person", evidence: null } as const;
      events.push({ kind: "identified", key, follow_up: followUpIn(ref), id, ...how });
    }
    if (events.length > 0) await this.#record(...events);
  }

  #linksTo(from: string, to: string): boolean {
    const next = this.#files.get(from)?.menu["2"]?.slice("menu:".length);
    return next === to || (next !== undefined && this.#linksTo(next, to));
  }

  #live(): { readonly id: string; readonly digest: string; readonly key: string }[] {
    return [...this.#menus].flatMap(([id, { payload, key, isGone }]) =>
      isGone ? [] : { id, key, digest: payloadDigest(payload) },
    );
  }

  /** The menus of the service that no record is about. */
  #unrecorded(state: StateView) {
    const records = liveRecords(state).map(({ current }) => current);
    const ids = new Set(records.map(({ identified }) => identified?.id));
    const digests = records.flatMap(({ identified, menu }) => (identified ? [] : menuDigest(menu)));
    return this.#live().filter(({ id, digest }) => {
      if (ids.has(id)) return false;
      const at = digests.indexOf(digest);
      if (at !== -1) digests.splice(at, 1);
      return at === -1;
    });
  }

  #lists() {
    if (!this.#hasOperations) return {};
    const menus = [...this.#menus].filter(([, { isGone }]) => !isGone);
    return listsOf(
      menus.map(([id, { payload }]) => ({ id, payload })),
      [[number, this.#leads]],
    );
  }

  #plan(state: StateView): Plan {
    const files = Object.fromEntries(
      [...this.#files].map(([key, { menu, hasNumber }]) => [
        key,
        {
          payload: payloadOf(menu),
          numbers: hasNumber && this.#hasOperations ? [number] : [],
        },
      ]),
    );
    const targets = ["*", ...keys, `number:${number}`, ...[...state.records.keys()].filter(isOld)];
    return planFor({ state }, files, targets, this.#lists(), allowed);
  }

  /** What is left of a saved plan. Undefined if it is refused. */
  async #reviewed({ plan }: Saved, state: StateView): Promise<Plan | undefined> {
    const endpoint = {
      environment: "test",
      identity: plan.address,
      operations: new Set(this.#hasOperations ? operationNames : []),
    };
    const lists = this.#lists();
    const input = { project: {}, endpoint, agents, state, lists };
    // A pipeline has the files that the plan was made from.
    const at = () => new Source("ivrs/menu.yaml", "").span(0, 0);
    const inFiles = new Map(
      plan.desired.map((menu) => [menu.key, { ...menu, vars: new Map(), at }]),
    );
    const files = { inFiles, problems: new Diagnostics() };
    const history = await this.#store(undefined).history();
    const diagnostics = new Diagnostics();
    const left = checkSaved(
      { file: "plan.json", plan },
      input as unknown as PlanInput,
      { maxCreates: undefined, history, files },
      diagnostics,
    );
    this.#stats[diagnostics.hasErrors ? "stale" : "reviewed"] += 1;
    return diagnostics.hasErrors ? undefined : left;
  }

  async #apply(process: Process, turn: Turn): Promise<void> {
    const store = this.#store(process);
    const found = await store.lock({ id: process.name, by: "ci", command: "apply", wait: 0 });
    if (found.kind === "held") throw new Error("the lock of a dead run is not taken over");
    const { session } = found;
    const saved =
      turn.saved === null ? undefined : this.#saved[turn.saved % Math.max(this.#saved.length, 1)];
    const plan = saved ? await this.#reviewed(saved, session.state) : this.#plan(session.state);
    const never = new AbortController().signal;
    if (plan !== undefined && !isRefused(plan.steps)) {
      await applyPlan(plan, {
        session,
        wire: standardWire,
        service: this.#service(process, turn, saved),
        ...(this.#hasOperations && {
          list: async (_: AbortSignal, withNumbers: boolean) => {
            const menus = await process.ask(async () => this.#lists().menus);
            if (menus === undefined) return "";
            if (!withNumbers) return { menus };
            const numbers = await process.ask(async () => this.#lists().numbers);
            return numbers === undefined ? "" : { menus, numbers };
          },
        }),
        concurrency: 2,
        clock: this.#clock(process),
        pace: new Pace(null, this.#clock(process)),
        timeout: 30,
        recordingTimeout: 0,
        watcher: {
          sending() {},
          waiting() {},
          making() {},
          finished() {},
        },
        halt: never,
        stop: never,
      });
    }
    await session.close();
  }

  #service(process: Process, turn: Turn, saved: Saved | undefined) {
    let requests = 0;
    const write = async (
      permit: Permit | undefined,
      arrive: () => Promise<boolean>,
      lost: () => void,
    ): Promise<Attempted> => {
      if (permit && !permit.isGood() && !(await permit.renew())) {
        return { kind: "withheld", status: null, message: "" };
      }
      const answer = turn.answers[requests++ % turn.answers.length] ?? "done";
      // A request counts as unanswered from the moment it leaves.
      lost();
      const effect = async (): Promise<Attempted> => {
        if (answer === "refused") return { kind: "failed", status: 422, message: "", stop: false };
        if (answer === "busy") {
          return { kind: "not-processed", status: 429, message: "", retryAfter: 1 };
        }
        const isDone = answer === "lost" || (await arrive());
        if (answer === "lost" || answer === "unanswered") {
          this.#stats.unknown += 1;
          return { kind: "unknown", status: null, message: "" };
        }
        return isDone
          ? { kind: "done", status: 200, message: "" }
          : { kind: "failed", status: 404, message: "", stop: false };
      };
      return process.ask(effect, true);
    };
    return {
      create: async (payload: Payload, key: string, _: unknown, permit?: Permit) => {
        if (this.#unanswered.has(key) && !this.#hasOperations) {
          throw new Error(`${key} is sent again, although its outcome is unknown`);
        }
        const outcome = await write(
          permit,
          () => this.#create(key, payload, saved),
          () => this.#unanswered.add(key),
        );
        if (outcome.kind !== "unknown") this.#unanswered.delete(key);
        return outcome;
      },
      updateMenu: (id: string, payload: Payload, { permit, key }: Request) =>
        write(permit, () => this.#update(id, key, payload, saved), ignore),
      deleteMenu: (id: string, { permit, key }: Request) =>
        write(permit, () => this.#delete(id, key, saved), ignore),
      bindNumber: (_: unknown, to: Destination, { permit }: Request) =>
        write(permit, () => this.#bind(destinationText(to), saved), ignore),
      makeRecording: noRecording,
      recordingBatch: noRecording,
      close: async () => {},
    };
  }

  /** Checks that a request of a saved plan was reviewed, and undoes nothing that somebody decided since. */
  #arrive(
    state: StateView,
    op: Step["op"],
    ref: Ref,
    facts: Facts | undefined,
    saved: Saved | undefined,
  ): void {
    const content = JSON.stringify([op, facts]);
    const idOf = (to: Ref) => idOnRecord(state, to);
    const isReviewed = (step: Step) =>
      step.ref === ref &&
      step.op === op &&
      step.holds.length === 0 &&
      (facts === undefined ||
        (step.after !== undefined &&
          isSame(contentFacts(contentWithIds(step.after, idOf)), facts)));
    const fail = (why: string): never => {
      throw new Error(`${saved?.name} sends ${op} ${ref}, but ${why}`);
    };
    if (saved !== undefined) {
      const steps = reviewedSteps(saved.plan).filter(isReviewed);
      if (steps.length === 0) fail("nobody has reviewed it");
      const shown = op === "create" ? undefined : this.#shown(state, ref);
      const isAsReviewed = ({ base }: Step) =>
        base && shown && isSame(contentFacts(contentWithIds(base, idOf)), shown);
      if (shown !== undefined && !steps.some(isAsReviewed)) fail("it was changed since");
      const isUndone = (later: Arrived) =>
        later.ref === ref && later.by !== saved.name && later.content !== content;
      if (this.#arrived.slice(saved.arrived).some(isUndone)) fail("somebody decided since");
    }
    this.#arrived.push({ ref, content, by: saved?.name });
  }

  /** What a list shows now of a menu or of the phone number. */
  #shown(state: StateView, ref: Ref): Facts | undefined {
    if (ref === `number:${number}`) return { destination: this.#leads ?? "" };
    const record = liveRecord(state, ref);
    const seen = record?.identified && this.#lists().menus?.see(record.identified.id, record.menu);
    return seen?.kind === "seen" ? contentFacts(seen.content) : undefined;
  }

  async #create(key: string, payload: Payload, saved: Saved | undefined): Promise<boolean> {
    const digest = payloadDigest(payload);
    const state = await this.#durable();
    const { pending } = menuRecord(state, key) ?? {};
    if (!pending || menuDigest(pending.menu) !== digest)
      throw new Error(`create ${key}: no intent`);
    if (this.#live().some((menu) => menu.key === key && menu.digest === digest)) {
      throw new Error(`${key} is created twice`);
    }
    this.#arrive(state, "create", `menu:${key}`, payloadFacts(payload), saved);
    this.#stats.creates += 1;
    this.#menus.set(String(this.#menus.size + 1), { key, payload, isGone: false });
    return true;
  }

  async #update(
    id: string,
    key: string,
    payload: Payload,
    saved: Saved | undefined,
  ): Promise<boolean> {
    const state = await this.#durable();
    const { pending } = menuRecord(state, key) ?? {};
    if (!pending || menuDigest(pending.menu) !== payloadDigest(payload)) {
      throw new Error(`update ${key}: no intent`);
    }
    this.#arrive(state, "update", `menu:${key}`, payloadFacts(payload), saved);
    const menu = this.#menus.get(id);
    if (menu === undefined || menu.isGone) return false;
    this.#stats.updates += 1;
    menu.payload = payload;
    return true;
  }

  async #delete(id: string, key: string, saved: Saved | undefined): Promise<boolean> {
    const state = await this.#durable();
    const ref = followUpRecord(state, key) ? (`old:${key}` as const) : menuRef(key);
    const { pending } = state.records.get(ref) ?? {};
    if (pending?.action !== "delete") throw new Error(`delete ${key}: no intent`);
    this.#arrive(state, "delete", ref, undefined, saved);
    const menu = this.#menus.get(id);
    if (menu === undefined || menu.isGone) return false;
    const leads = `ivr||${id}`;
    const others = this.#live().flatMap(
      (other) => this.#menus.get(other.id)?.payload.destination ?? [],
    );
    if (this.#leads === leads || others.includes(leads)) throw new Error(`${key} is still reached`);
    this.#stats.deletes += 1;
    menu.isGone = true;
    return true;
  }

  async #bind(destination: string, saved: Saved | undefined): Promise<boolean> {
    const state = await this.#durable();
    const announced = recordsOf(state, "number").flatMap(({ pending }) => pending?.after ?? []);
    if (!announced.some((to) => destinationText(to) === destination)) {
      throw new Error(`bind to ${destination}: no intent`);
    }
    const facts = { destination };
    this.#arrive(state, "bind", `number:${number}`, facts, saved);
    if (this.#menus.get(destination.slice("ivr||".length))?.isGone ?? true) return false;
    this.#stats.binds += 1;
    this.#leads = destination;
    return true;
  }

  /** What everybody would read from the log now. */
  async #durable(): Promise<StateView> {
    return (await this.#store(undefined).read()).state;
  }

  /** Records events as a run that nothing disturbs. */
  async #record(...events: readonly StateEvent[]): Promise<void> {
    const found = await this.#store(undefined).lock({
      id: "person",
      by: "p",
      command: "",
      wait: 0,
    });
    if (found.kind === "held") throw new Error("the lock of a dead run is not taken over");
    const session: Session = found.session;
    await session.append(...events);
    await session.close();
  }

  #store(process: Process | undefined): StateStore {
    const stored = new MemoryLog(this.#blocks);
    const log: CommitLog =
      process === undefined
        ? stored
        : {
            place: stored.place,
            name: stored.name,
            restoreHint: stored.restoreHint,
            numbers: () => process.ask(() => stored.numbers()),
            read: (after, limit) => process.ask(() => stored.read(after, limit)),
            append: (n, bytes) => process.ask(() => stored.append(n, bytes), true),
            snapshot: () => process.ask(() => stored.snapshot()),
            keep: (n, bytes) => process.ask(() => stored.keep(n, bytes), true),
            close: async () => {},
          };
    const host: LogHost = {
      clock: this.#clock(process),
      whoami: () => "a person",
      identity: () => ({
        host: process?.name ?? "person",
        pid: null,
        boot: null,
        pid_namespace: null,
        started: null,
      }),
      isDead: ({ host: name }) => this.#processes.get(name)?.isAlive === false,
      uuid: () => `s${(this.#sessions += 1)}`,
    };
    return new StateStore(log, { environment: "test", witness: new MemoryWitness(), host });
  }

  #clock(process: Process | undefined): Clock {
    const time = this.#time;
    const wait = async (milliseconds: number) => void (time.now += milliseconds);
    return {
      now: () => new Date(time.now),
      elapsed: () => time.now,
      sleep: (milliseconds) =>
        process === undefined ? wait(milliseconds) : process.ask(() => wait(milliseconds)),
      after: () => () => {},
    };
  }
}

interface Request {
  readonly key: string;
  readonly permit?: Permit | undefined;
}

function ignore(): void {
  // Only a create that got no answer must not be sent again.
}

/** What a person sees on the service about a request. */
function seen(request: Pending | PendingBind, isDone: boolean): StateEvent {
  return outcomeEvent(request, {
    how: "person",
    as: isDone ? "done" : "not-done",
    evidence: "console",
  });
}

/** The menus of this simulation have recordings with ids. The fault search makes recordings. */
function noRecording(): never {
  throw new Error("a recording is made");
}
