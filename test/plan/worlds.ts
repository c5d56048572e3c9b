import { payloadFacts, isSame } from "../../src/deploy/plan/digest.ts";
import { stateAfter } from "../../src/deploy/plan/reconcile.ts";
import type { Lists } from "../../src/deploy/plan/steps/resources.ts";
import {
  type Ref,
  type Step,
  isNumber,
  menuRef,
  nameIn,
  withIds,
} from "../../src/deploy/plan/steps/step.ts";
import { liveRecords } from "../../src/deploy/state/view.ts";
import type { Pending, StateEvent } from "../../src/schema/state.ts";
import { type Payload, destinationsIn } from "../../src/schema/wire.ts";
import { requestOutcomes } from "../../src/deploy/state/records.ts";
import {
  type Applied,
  Log,
  type Saved,
  type Sent,
  type Service,
  applySaved,
  idIn,
  save,
} from "./apply.ts";
import { type Allowed, type File, type Menu, learned, listsOf, payloadOf } from "./world.ts";

/** A broken promise. */
class Violation extends Error {}
/** The process is killed. */
class Crash extends Error {}

/** What is really on the service. The planner sees only lists. */
interface Truth {
  payload: Payload;
  by: "tool" | "console";
  /** What the tool created. */
  readonly sent?: Payload;
  isGone?: boolean;
}

/** What the service can do: nothing more than create, list, update, or everything. */
type Level = 0 | 1 | 2 | 3;

type Random = () => number;

function randomOf(seed: number): Random {
  let x = (seed + 1) * 2654435761 + 12345;
  const next = () => {
    x = (x ^ (x << 13)) >>> 0;
    x = (x ^ (x >>> 17)) >>> 0;
    x = (x ^ (x << 5)) >>> 0;
    return x / 4294967296;
  };
  for (let i = 0; i < 5; i += 1) next();
  return next;
}

const numberNames = ["+901", "+902"] as const;

/** A service with faults, and a person at its console. */
class World implements Service {
  readonly log = new Log();
  readonly menus = new Map<string, Truth>();
  readonly numbers = new Map<string, { leads: string | null; by: "tool" | "console" }>([
    ["+901", { leads: null, by: "console" }],
    ["+902", { leads: "extension||9", by: "console" }],
  ]);
  readonly level: Level;
  /** From now on nothing fails, and nobody changes anything. */
  isQuiet = false;
  sends = 0;
  saved: Saved | undefined;
  readonly #random: Random;
  readonly #snapshots: Lists[] = [];
  /** Requests that arrive later. */
  readonly #late: Payload[] = [];
  #served: Lists = {};
  #isLagging = false;
  #nextId = 1;

  constructor(random: Random, level: Level) {
    this.#random = random;
    this.level = level;
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  random(): number {
    return this.#random();
  }

  pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)] as T;
  }

  live(): [string, Truth][] {
    return [...this.menus].filter(([, menu]) => !menu.isGone);
  }

  deliver(): void {
    for (const payload of this.#late.splice(0)) this.#make(payload, "tool");
  }

  lists(): Lists {
    if (!this.isQuiet && this.chance(0.05)) throw new Crash();
    if (!this.isQuiet && this.chance(0.08)) this.editOnConsole();
    if (this.chance(0.3)) this.deliver();
    if (this.level === 0) return (this.#served = {});
    const numbers = Object.fromEntries([...this.numbers].map(([name, { leads }]) => [name, leads]));
    const now = listsOf(
      this.live().map(([id, { payload }]) => ({ id, payload })),
      this.level === 3 ? numbers : undefined,
    );
    this.#snapshots.push(now);
    this.#isLagging = !this.isQuiet && this.chance(0.15) && this.#snapshots.length > 1;
    const old = this.#snapshots.at(-1 - Math.ceil(this.#random() * 3));
    this.#served = this.#isLagging ? (old ?? now) : now;
    return this.#served;
  }

  editOnConsole(): void {
    const [id, menu] = this.live().length === 0 ? [] : this.pick(this.live());
    const any = this.pick([...this.menus.keys(), "1"]);
    const to = this.pick(["extension||1", "extension||7", `ivr||${id ?? any}`, `ivr||${any}`]);
    const kind = this.#random();
    if (menu && kind < 0.5) {
      const at = this.pick([0, 1]);
      const options = menu.payload.destination.map((own, nth) => (nth === at ? to : own));
      menu.payload = { ...menu.payload, destination: options };
      menu.by = "console";
    } else if (menu && kind < 0.6) menu.isGone = true;
    else if (kind < 0.8) {
      const name = this.pick(["A", "B", "C", "D"]);
      const payload = payloadOf({ name, "1": "ext:1", invalid: "ext:0" });
      this.#make({ ...payload, destination: [to] }, "console");
    } else this.numbers.set(this.pick(numberNames), { leads: to, by: "console" });
  }

  send(step: Step, sent: Sent): "done" | "failed" | "unknown" {
    this.sends += 1;
    this.#check(step, sent);
    const luck = this.isQuiet ? 1 : this.#random();
    if (luck < 0.05) throw new Crash();
    if (luck < 0.12) return "failed";
    if (luck < 0.18) return "unknown";
    if (luck < 0.22 && step.op === "create" && sent !== "delete" && "payload" in sent) {
      this.#late.push(sent.payload);
      return "unknown";
    }
    if (!this.#do(step, sent)) return "failed";
    if (luck < 0.28) throw new Crash();
    return luck < 0.36 ? "unknown" : "done";
  }

  #do({ ref, op, id }: Step, sent: Sent): boolean {
    if (sent !== "delete" && "leads" in sent) {
      this.numbers.set(nameIn(ref), { leads: sent.leads, by: "tool" });
      return true;
    }
    if (sent !== "delete" && op === "create") {
      this.#make(sent.payload, "tool");
      return true;
    }
    const own = this.menus.get(id ?? "");
    if (own === undefined || own.isGone) return false;
    if (sent === "delete") own.isGone = true;
    else Object.assign(own, { payload: sent.payload, by: "tool" });
    return true;
  }

  #make(payload: Payload, by: Truth["by"]): void {
    this.menus.set(String(this.#nextId), { payload, by, ...(by === "tool" && { sent: payload }) });
    this.#nextId += 1;
  }

  /** Checks a request that is about to arrive. Its intent is recorded. */
  #check(step: Step, sent: Sent): void {
    const { ref, op, id } = step;
    const fail = (what: string): never => {
      throw new Violation(`${what}: ${op} ${ref} ${JSON.stringify(sent)}`);
    };
    const { state, entries } = this.log;
    const { saved } = this;
    const idOf = idIn(state);
    const facts =
      sent === "delete"
        ? undefined
        : "payload" in sent
          ? payloadFacts(sent.payload)
          : { destination: sent.leads };
    const reviewed = (saved?.steps ?? []).filter(
      (then) =>
        then.ref === ref &&
        then.op === op &&
        then.holds.length === 0 &&
        Object.entries(then.links).every(([to, was]) => idOf(menuRef(nameIn(to))) === was) &&
        (facts === undefined || (then.after && isSame(withIds(then.after.facts, idOf), facts))),
    );
    if (reviewed.length === 0) fail("not reviewed");
    if (Object.values(facts ?? {}).some((value) => value.startsWith("ivr||menu "))) {
      fail("an id is missing");
    }
    // Another run may have tried the very same. Whatever else somebody decided must not be undone.
    const isSameRequest = (event: StateEvent) =>
      event.kind === "intent"
        ? (event.action === "delete") === (facts === undefined) &&
          (facts === undefined || isSame(payloadFacts(event.payload), facts))
        : event.kind === "bind-intent" && event.after === facts?.["destination"];
    const others = entries
      .slice(saved?.serial)
      .filter(
        ({ run, event }) =>
          run !== saved?.name && isDecision(event) && isAbout(event, ref) && !isSameRequest(event),
      );
    if (others.length > 0) fail("somebody else decided about it since");
    if (op === "create") this.checkTracked(nameIn(ref));
    else if (this.#served.menus !== undefined) {
      const shown = this.#shown(step);
      const isShown = ({ base }: Step) =>
        base !== undefined && shown !== undefined && isSame(withIds(base, idOf), shown);
      if (!reviewed.some(isShown)) fail("it changed since it was reviewed");
    }
    if (op === "delete") this.#checkLeaders(id ?? "", fail);
  }

  #shown({ ref, id = "" }: Step) {
    const { menus, numbers } = this.#served;
    if (isNumber(ref)) {
      const [found] = numbers?.find(nameIn(ref)) ?? [];
      return found && { destination: found.destination ?? "" };
    }
    const records = liveRecords(this.log.state);
    const record = records.find((one) => one.record.identified?.id === id)?.record;
    const seen = record && menus?.see(id, record.payload);
    return seen?.kind === "listed" ? seen.facts : undefined;
  }

  /** What the console changed after an old list cannot be seen. */
  #checkLeaders(id: string, fail: (what: string) => never): void {
    const { saved } = this;
    const free = (saved?.steps ?? []).filter(
      ({ op, holds }) => op === "delete" && holds.length === 0,
    );
    const deleted = new Set(free.map((step) => step.id));
    const leaders = [
      ...this.live()
        .filter(([other]) => !deleted.has(other))
        .map(([, { payload, by }]) => ({ to: destinationsIn(payload), by })),
      ...[...this.numbers.values()].map(({ leads, by }) => ({ to: [leads], by })),
    ];
    const isSeen = ({ by }: { by: Truth["by"] }) => by === "tool" || !this.#isLagging;
    if (leaders.some((one) => isSeen(one) && one.to.includes(`ivr||${id}`))) {
      fail("something points to it");
    }
  }

  /** Every menu that the tool made is on record: with its id, or as a record or intent without one. */
  checkTracked(creating?: string): void {
    const { state } = this.log;
    const records = liveRecords(state).map(({ record }) => record);
    const ids = new Set(records.map(({ identified }) => identified?.id));
    const made = [
      ...this.live().flatMap(([id, { sent }]) => (sent && !ids.has(id) ? sent.name : [])),
      ...this.#late.map(({ name }) => name),
    ];
    const open = [
      ...records.flatMap(({ identified, payload }) => (identified ? [] : payload.name)),
      ...[...state.keys].flatMap(([key, { pending }]) =>
        pending && isCreate(pending) && key !== creating ? pending.payload.name : [],
      ),
    ];
    for (const name of new Set(made)) {
      const count = (all: readonly string[]) => all.filter((one) => one === name).length;
      if (count(made) > count(open)) throw new Violation(`${name} is created twice, or lost`);
    }
  }

  /** An id that a list proved belongs to a menu with the name of the record. */
  checkIds(from: number): void {
    for (const { event } of this.log.entries.slice(from)) {
      if (event.kind !== "identified" || event.how !== "list") continue;
      const sent = this.menus.get(event.id)?.sent;
      const record = liveRecords(this.log.state).find(
        (one) => one.record.identified?.id === event.id,
      );
      if (sent && record && sent.name !== record.record.payload.name) {
        throw new Violation(`wrong id: ${event.key} ${event.id}`);
      }
    }
  }

  /** A person looks at the console, and records the truth. */
  resolve(): void {
    this.deliver();
    const { state } = this.log;
    const claimed = () =>
      new Set(liveRecords(state).flatMap(({ record }) => record.identified?.id ?? []));
    const mine = (payload: Payload) =>
      this.live().find(
        ([id, { sent }]) =>
          sent && !claimed().has(id) && isSame(payloadFacts(sent), payloadFacts(payload)),
      )?.[0];
    const record = (...events: StateEvent[]) => this.log.add("person", ...events);
    for (const [key, { current, pending }] of state.keys) {
      if (pending === null) continue;
      const { done, not } = requestOutcomes[pending.action];
      const own = this.menus.get(current?.identified?.id ?? "");
      const found = isCreate(pending) ? mine(pending.payload) : undefined;
      const isDone = isCreate(pending) ? found !== undefined : isOutcome(pending, own);
      record({ kind: "resolved", key, as: isDone ? done : not, evidence: null });
      if (found !== undefined) record(identifiedBy(key, null, found));
    }
    for (const { id, key, record: old, pending } of state.followUps.values()) {
      if (pending === undefined) continue;
      const own = this.menus.get(old.identified?.id ?? "");
      const as = !own || own.isGone ? "deleted" : "not-deleted";
      record({ kind: "resolved", key, follow_up: id, as, evidence: null });
    }
    for (const { key, number, after } of state.binds.values()) {
      const as = this.numbers.get(number)?.leads === after ? "bound" : "not-bound";
      record({ kind: "bind-resolved", key, number, as, how: "list", evidence: "console" });
    }
    for (const { key, followUp, record: own } of liveRecords(state)) {
      const found = own.identified ? undefined : mine(own.payload);
      if (found !== undefined) record(identifiedBy(key, followUp, found));
    }
  }
}

function isCreate({ action }: Pending): boolean {
  return action === "create" || action === "replace";
}

function isOutcome({ action, payload }: Pending, own: Truth | undefined): boolean {
  if (action === "delete") return own === undefined || own.isGone === true;
  return own !== undefined && isSame(payloadFacts(own.payload), payloadFacts(payload));
}

function identifiedBy(key: string, followUp: string | null, id: string): StateEvent {
  return { kind: "identified", key, follow_up: followUp, id, how: "person", evidence: null };
}

const decisions = new Set([
  "intent",
  "moved",
  "removed",
  "restored",
  "dropped",
  "done",
  "changed-on-console",
  "bind-intent",
]);

function isDecision({ kind }: StateEvent): boolean {
  return decisions.has(kind);
}

function isAbout(event: StateEvent, ref: Ref): boolean {
  if (isNumber(ref)) return "number" in event && event.number === nameIn(ref);
  if (ref.startsWith("old:")) return "follow_up" in event && event.follow_up === nameIn(ref);
  const isOther =
    "number" in event || ("follow_up" in event && event.follow_up && event.kind !== "restored");
  return !isOther && "key" in event && event.key === nameIn(ref);
}

type MutableFiles = Record<string, File>;

/** A change that somebody makes to the files. The result is a valid project. */
function changeFiles(files: MutableFiles, world: World): MutableFiles {
  const next = structuredClone(files);
  const key = world.pick(["a", "b", "c", "d"]);
  const kind = world.random();
  const own = next[key];
  const set = (more: Menu) => (next[key] = { ...own, menu: { ...own?.menu, ...more } });
  if (own === undefined) {
    const first = world.pick(["ext:1", "ext:2"]);
    set({ name: key.toUpperCase(), "1": first, "2": "ext:3", invalid: "ext:0" });
  } else if (kind < 0.15) delete next[key];
  else if (kind < 0.22) {
    const to = world.pick(["a", "b", "c", "d", "e"]);
    if (!next[to]) {
      delete next[key];
      next[to] = { ...own, movedFrom: key };
    }
  } else if (kind < 0.5) set({ "1": world.pick(["ext:1", "ext:2", "ext:3"]) });
  else if (kind < 0.85) {
    // On a service that cannot update menus, circles are refused, so they are rare.
    const keys = Object.keys(next).filter(
      (to) => world.level >= 2 || to > key || world.chance(0.1),
    );
    if (keys.length > 0) set({ "2": `menu:${world.pick(keys)}` });
  } else set({ kind: world.pick(["tts", "upload"]) });
  if (world.chance(0.1) && next[key]) {
    next[key] = { ...next[key], onChange: world.pick(["replace", "refuse"]) };
  }
  return withNumbers(repaired(next), world);
}

/** No link points to a menu without a file, and only one menu moves from a key without a file. */
function repaired(files: MutableFiles): MutableFiles {
  return Object.fromEntries(
    Object.entries(files).map(([key, { movedFrom, ...file }]) => {
      const menu = Object.fromEntries(
        Object.entries(file.menu).map(([place, to]) => [
          place,
          to.startsWith("menu:") && !files[to.slice(5)] ? "ext:5" : to,
        ]),
      );
      const isUsed = Object.entries(files).some(
        ([other, one]) => other < key && one.movedFrom === movedFrom,
      );
      const isMoved = movedFrom !== undefined && !files[movedFrom] && !isUsed;
      return [key, { ...file, ...(isMoved && { movedFrom }), menu, numbers: [] }];
    }),
  );
}

function withNumbers(files: MutableFiles, world: World): MutableFiles {
  const next = { ...files };
  for (const number of numberNames) {
    const keys = Object.keys(next);
    const to = keys.length === 0 ? undefined : world.pick(keys);
    const file = to === undefined ? undefined : next[to];
    if (to === undefined || file === undefined || !world.chance(0.6)) continue;
    next[to] = { ...file, numbers: [...(file.numbers ?? []), number] };
  }
  return next;
}

/** What a careful user allows: to recreate a menu only if it is really gone. */
function allowedIn(world: World, isSafe: boolean): Allowed {
  const { level, log } = world;
  const lifts = (["delete", "take-number", "webhook-loss"] as const).filter(() =>
    world.chance(0.6),
  );
  const old = [...log.state.followUps.keys()].map((id) => `old:${id}`);
  const keys = [...log.state.keys.keys()];
  const named = isSafe ? [...keys, ...numberNames.map((number) => `number:${number}`), ...old] : [];
  const targets = world.chance(0.15)
    ? [world.pick(["a", "b"]), world.pick(["c", "d"])]
    : level === 3 && world.chance(0.2)
      ? ["*", ...old]
      : isSafe
        ? ["*", ...named]
        : [];
  return {
    update: level >= 2,
    delete: level === 3,
    allow: isSafe ? [...lifts, "recreate"] : lifts,
    ...(targets.length > 0 && { targets }),
  };
}

export interface Stats {
  runs: number;
  sends: number;
  crashes: number;
  stale: number;
  refused: number;
  continued: number;
}

/** Lets a world go by. Throws a `Violation` if a promise is broken. */
export function liveThrough(seed: number, stats: Stats): void {
  const world = new World(randomOf(seed), (seed % 4) as Level);
  let files: MutableFiles = {};
  const plans: Saved[] = [];
  const planNow = (isLast = false): Saved | undefined =>
    withoutCrash(() => {
      const lists = world.lists();
      const known = stateAfter(world.log.state, learned(world.log.state, lists), lists.menus?.at);
      const isTrulyGone = liveRecords(known).every(({ record: { identified } }) => {
        const own = world.menus.get(identified?.id ?? "");
        return !identified || lists.menus?.has(identified.id) || !own || own.isGone;
      });
      const isSafe = isLast || (isTrulyGone && world.chance(0.5));
      const allowed = allowedIn(world, isSafe);
      const every = isLast ? everything(world) : allowed;
      return save(`plan ${plans.length}`, files, world.log, lists, every);
    });
  const run = (saved: Saved): Applied | undefined => {
    world.saved = saved;
    const before = world.log.entries.length;
    stats.runs += 1;
    const applied = withoutCrash(() => applySaved(saved, world, world.log));
    if (applied === undefined) stats.crashes += 1;
    if (applied?.refused === "stale" || applied?.refused === "steps") stats.stale += 1;
    if (applied?.refused === "holds") stats.refused += 1;
    world.checkTracked();
    world.checkIds(before);
    return applied;
  };
  for (let round = 0; round < 4; round += 1) {
    for (let i = 0; i < 3; i += 1) files = changeFiles(files, world);
    if (world.chance(0.4)) world.editOnConsole();
    const saved = planNow();
    if (saved === undefined) continue;
    plans.push(saved);
    if (world.chance(0.3)) world.editOnConsole();
    const runs = 1 + Math.floor(world.random() * 3);
    for (let i = 0; i < runs; i += 1) {
      const sends = world.sends;
      run(saved);
      if (i > 0 && world.sends > sends) stats.continued += 1;
      if (world.chance(0.2)) world.resolve();
      // Somebody starts an old job again.
      if (world.chance(0.2)) run(world.pick(plans));
    }
  }
  world.isQuiet = true;
  world.resolve();
  const last = plans.at(-1);
  if (last !== undefined) checkLast(world, last, run);
  checkConverges(world, files, plans, planNow, run);
  stats.sends += world.sends;
}

/** A second run of a saved plan finds nothing more to send. */
function checkLast(world: World, last: Saved, run: (saved: Saved) => Applied | undefined): void {
  const first = run(last)?.refused;
  const again = run(last)?.refused;
  if (first === undefined && again !== undefined && again !== "holds") {
    throw new Violation(`a plan makes itself stale (${again})`);
  }
  const { sends } = world;
  run(last);
  if (world.sends > sends) throw new Violation("a saved plan does not converge");
}

/** Planning again comes to an end. */
function checkConverges(
  world: World,
  files: MutableFiles,
  plans: Saved[],
  planNow: (isLast: boolean) => Saved | undefined,
  run: (saved: Saved) => Applied | undefined,
): void {
  for (let i = 0; ; i += 1) {
    const saved = planNow(true);
    if (saved === undefined) throw new Violation("no plan");
    const { sends } = world;
    plans.push(saved);
    run(saved);
    world.resolve();
    if (world.sends === sends && i > 0) return;
    const steps = saved.steps.map(({ op, ref, event = "" }) => `${op} ${ref} ${event}`).join(", ");
    if (i > 12) throw new Violation(`no end: ${steps} of ${Object.keys(files).join(", ")}`);
  }
}

function everything({ level, log }: World): Allowed {
  const names = [
    ...log.state.keys.keys(),
    ...[...log.state.followUps.keys()].map((id) => `old:${id}`),
    ...numberNames.map((number) => `number:${number}`),
  ];
  return {
    update: level >= 2,
    delete: level === 3,
    allow: ["delete", "take-number", "webhook-loss", "recreate"],
    targets: ["*", ...names],
  };
}

function withoutCrash<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof Crash) return undefined;
    throw error;
  }
}
