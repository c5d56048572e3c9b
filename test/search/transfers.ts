import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { link } from "../../src/deploy/state/entries.ts";
import { historyFile, readHistoryFile } from "../../src/deploy/state/transfer.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { failed, intent } from "../state/events.ts";
import { menu } from "../support/project.ts";
import { Remote, type StoreUnderTest, inFiles } from "./store-under-test.ts";
import { type Disturbance, type Ran, runOnce } from "./process.ts";
import { Random, seedOf } from "./random.ts";
import { type Found, type Searched, type Server, maxFound, mostRounds } from "./search.ts";
import { Finding, shownOf } from "./checks.ts";
import { Tally, count } from "./tally.ts";
import { clock } from "../support/host.ts";

type Kind = "file" | "postgres" | "s3";

interface Search {
  readonly seed: number;
  readonly seconds: number;
  readonly only?: number | undefined;
  /** The server of each kind; files need none. */
  readonly servers: Partial<Record<Kind, Server>>;
  readonly pairs: readonly (readonly [Kind, Kind])[];
}

const deaths = ["kill-before", "kill-after", "kill-half", "power-cut"] as const;
const token = "secret/transfers+tok=";
const seeded = ["seed-1", "seed-2"];
const fewestRounds = 3;

/**
 * Interrupts `state push` and `state migrate` between any two stores at random times. A store
 * must always have its old history or the complete new one, or be refused. At most one of two
 * stores may be live after a migration.
 */
export async function searchTransfers(search: Search): Promise<Searched> {
  const { seed, seconds, only, pairs, servers } = search;
  const tally = new Tally();
  const found: Found[] = [];
  const deadline = performance.now() + seconds * 1000;
  let next = only ?? 0;
  const worker = async () => {
    const sandbox = await startSandbox({ clock, token });
    try {
      const history = await seedHistory(sandbox.url);
      // On a busy machine, the time may be over before the first round.
      const goesOn = () =>
        next < fewestRounds ||
        performance.now() < deadline ||
        (!tally.isEnough && next < mostRounds);
      while (goesOn() && found.length < maxFound) {
        const index = next;
        next += 1;
        const pair = pairs[index % pairs.length] ?? ["file", "file"];
        const random = new Random(seedOf(seed, index));
        const round = new Round(random, index, tally, sandbox, history);
        const finding = await round.run(
          await Promise.all(pair.map((kind) => storeOf(kind, servers))),
        );
        if (finding !== undefined) found.push(finding);
        if (only !== undefined) return;
      }
    } finally {
      await sandbox.close();
    }
  };
  const workers = only === undefined ? Math.min(4, availableParallelism()) : 1;
  await Promise.all(Array.from({ length: workers }, worker));
  return { tally, found };
}

async function storeOf(kind: Kind, servers: Search["servers"]): Promise<StoreUnderTest> {
  const server = servers[kind];
  return server === undefined ? inFiles : server.store();
}

/** Returns the history of a state with two menus. */
async function seedHistory(url: string): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), "ivrctl-faults-"));
  try {
    const project = new Project(root, url);
    for (const name of seeded) project.add(name);
    project.configure("", inFiles.settings);
    for (const args of [
      ["state", "init"],
      ["apply", "--auto-approve"],
      ["state", "pull", "--out", "seed.jsonl"],
    ]) {
      const ran = await runOnce(args, { cwd: root, token });
      if (ran.exit !== 0) throw new Error(`the search cannot begin${shownOf(ran)}`);
    }
    return readFileSync(join(root, "seed.jsonl"), "utf8");
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Adds refused creates to a history. */
function continued(text: string, times: number): string {
  const history = readHistoryFile(Buffer.from(text), "the seed");
  let head = history.at(-1)?.head ?? "";
  const at = "2026-01-01T00:00:00.000Z";
  for (let time = 0; time < times; time += 1) {
    for (const event of [intent("refused"), failed("refused", history.length + 1)]) {
      const linked = link(head, { seq: history.length + 1, at, run: "seed", by: "seed", event });
      ({ head } = linked);
      history.push(linked);
    }
  }
  return historyFile(history);
}

/** A folder with menus, whose state is at one store or another. */
class Project {
  readonly root: string;
  readonly #url: string;

  constructor(root: string, url: string) {
    this.root = root;
    this.#url = url;
    mkdirSync(join(root, "ivrs"), { recursive: true });
  }

  add(name: string): void {
    writeFileSync(join(this.root, `ivrs/${name}.yaml`), menu(name));
  }

  /** `id` is the beginning of the settings: `id: ID, `. */
  configure(id: string, settings: string): void {
    const lines = [
      "version: 1",
      "default_environment: e",
      "environments:",
      "  e:",
      `    service: { base_url: "${this.#url}", token: "\${T}", timeout: 300 }`,
      `    state: { ${id}${settings} }`,
    ];
    writeFileSync(join(this.root, "ivrctl.yaml"), `${lines.join("\n")}\n`);
  }
}

/** A place that may have the state. */
interface Place {
  readonly store: StoreUnderTest;
  /** Distinguishes the variables of two stores. */
  readonly suffix: string;
  readonly project: Project;
  /** The number of events that it has. */
  serial: number;
}

/** Its settings, with variables of its own. */
function settingsOf({ store, suffix }: Place): string {
  return store.settings.replaceAll("${S}", `\${S${suffix}}`);
}

type Seen = "moved" | number;

/** How a command is disturbed. */
interface About {
  readonly disturbance?: Disturbance;
  readonly started?: NonNullable<Parameters<typeof runOnce>[1]["started"]>;
}

class Round {
  readonly #random: Random;
  readonly #index: number;
  readonly #tally: Tally;
  readonly #sandbox: Sandbox;
  readonly #history: string;
  /** The id of its state. */
  readonly #id: string;
  readonly #root = mkdtempSync(join(tmpdir(), "ivrctl-faults-"));
  readonly #steps: string[] = [];
  readonly #added: string[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  #places: Place[] = [];

  constructor(random: Random, index: number, tally: Tally, sandbox: Sandbox, history: string) {
    this.#random = random;
    this.#index = index;
    this.#tally = tally;
    this.#sandbox = sandbox;
    this.#history = history;
    const [begun] = readHistoryFile(Buffer.from(history), "the seed");
    if (begun?.entry.event.kind !== "begun") throw new Error("the seed does not begin a state");
    this.#id = begun.entry.event.id;
  }

  /** Plays a round. */
  async run(stores: readonly StoreUnderTest[]): Promise<Found | undefined> {
    const remotes = stores.filter((store) => store instanceof Remote);
    let found: Found | undefined;
    try {
      for (const remote of remotes) await remote.open();
      this.#prepare(stores);
      await this.#play();
      await this.#end();
      this.#tally.rounds += 1;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const what =
        error instanceof Finding ? error.message : `the search fell over: ${error.stack}`;
      found = { what, round: String(this.#index), steps: this.#steps, folder: this.#root };
    }
    for (const timer of this.#timers) clearTimeout(timer);
    for (const remote of remotes) await remote.close();
    if (found === undefined) rmSync(this.#root, { recursive: true, force: true });
    return found;
  }

  #prepare(stores: readonly StoreUnderTest[]): void {
    const first = new Project(join(this.#root, "first"), this.#sandbox.url);
    // Two states in files need two folders.
    const second = stores.every((store) => store === inFiles)
      ? new Project(join(this.#root, "second"), this.#sandbox.url)
      : first;
    this.#places = stores.map((store, at) => ({
      store,
      suffix: `_${at}`,
      project: at === 0 ? first : second,
      serial: 0,
    }));
    for (const { project } of this.#places) for (const name of seeded) project.add(name);
  }

  #place(at: number): Place {
    return this.#places[at] as Place;
  }

  async #play(): Promise<void> {
    const random = this.#random;
    let [live, other] = random.shuffle([this.#place(0), this.#place(1)]) as [Place, Place];
    await this.#pushInto(live, continued(this.#history, random.between(0, 900)));
    for (let step = random.between(1, 3); step > 0; step -= 1) {
      if (random.chance(0.5)) await this.#apply(live);
      if (live.project !== other.project) {
        await this.#pushInto(other, await this.#pull(live));
        continue;
      }
      await this.#migrate(live, other);
      [live, other] = [other, live];
    }
    this.#places = [live];
  }

  /** Checks that the service has each menu once. */
  async #end(): Promise<void> {
    await this.#apply(this.#place(0));
    const names = this.#sandbox.records.map(({ payload }) => payload.name);
    for (const name of [...seeded, ...this.#added]) {
      const times = names.filter((one) => one === name).length;
      if (times !== 1) throw new Finding(`(2) the service has ${name} ${times} times`);
    }
  }

  /** Applies one more menu. */
  async #apply(place: Place): Promise<void> {
    const name = `r${this.#index}-${this.#added.length}-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
    this.#added.push(name);
    place.project.add(name);
    const ran = await this.#command(place, ["apply", "--auto-approve"]);
    if (ran.exit !== 0) throw new Finding(`(5) the apply fails${shownOf(ran)}`);
    count((this.#tally.writes["create"] ??= {}), "done");
    place.serial += 2;
  }

  async #pull(place: Place): Promise<string> {
    const ran = await this.#command(place, ["state", "pull"]);
    if (ran.exit !== 0) throw new Finding(`(5) the state cannot be pulled${shownOf(ran)}`);
    return ran.stdout;
  }

  /** Pushes until the state has the complete history. */
  async #pushInto(place: Place, text: string): Promise<void> {
    const full = text.trimEnd().split("\n").length;
    writeFileSync(join(place.project.root, "pushed.jsonl"), text);
    for (let attempt = 1; ; attempt += 1) {
      const calm = attempt > 3;
      const disturbance = calm ? {} : this.#disturbance([place]);
      const ran = await this.#command(place, ["state", "push", "pushed.jsonl"], disturbance);
      const seen = await this.#look(place, [place.serial, full]);
      this.#checkRun(ran, calm, seen === full);
      if (ran.exit === 0) break;
    }
    place.serial = full;
  }

  /** Migrates a state. */
  async #migrate(from: Place, to: Place): Promise<void> {
    const before = to.serial;
    for (let attempt = 1; ; attempt += 1) {
      const calm = attempt > 4;
      const disturbance = calm ? {} : this.#disturbance([from, to]);
      const ran = await this.#command(to, ["state", "migrate"], disturbance, from);
      const [source, target] = [
        await this.#look(from, [from.serial]),
        await this.#look(to, [before, from.serial], from.serial),
      ];
      const isDone = source === "moved" && target === from.serial;
      this.#checkRun(ran, calm, isDone);
      const both = `${source} / ${target}`;
      this.#steps.push(`  source ${both} target`);
      const isAllowed =
        isDone ||
        ((source === from.serial || source === "moved") &&
          (target === before || target === "moved"));
      if (!isAllowed) throw new Finding(`(2) after a migration: source ${both} target`);
      if (isDone) {
        to.serial = from.serial;
        return;
      }
      // The source can be used in the meantime, unless it is marked already.
      if (source !== "moved" && this.#random.chance(0.2)) await this.#apply(from);
    }
  }

  #checkRun(ran: Ran, calm: boolean, isDone: boolean): void {
    if (ran.exit === 0 && !isDone)
      throw new Finding(`(5) the command exits with 0 before the state is complete${shownOf(ran)}`);
    if (calm && ran.exit !== 0)
      throw new Finding(`(5) the command cannot be finished${shownOf(ran)}`);
  }

  /** Makes a plan there. A plan from an incomplete history would create menus again. */
  async #look(
    place: Place,
    serials: readonly number[],
    complete = Math.max(...serials),
  ): Promise<Seen> {
    const ran = await this.#command(place, ["plan", "--format", "json"]);
    if (ran.exit === 1) {
      if (ran.stdout.includes("IVR674")) return "moved";
      // Nothing is planned without the state.
      if (ran.stdout.includes("IVR629") && serials.includes(0)) return 0;
    }
    if (ran.exit !== 0) throw new Finding(`(5) the plan fails${shownOf(ran)}`);
    const { state, summary } = JSON.parse(ran.stdout) as {
      state: { serial: number };
      summary: { create: number };
    };
    if (!serials.includes(state.serial)) {
      throw new Finding(`(2) ${state.serial} events, not ${serials.join(" or ")}${shownOf(ran)}`);
    }
    if (state.serial === complete && summary.create > 0) {
      throw new Finding(`(2) the plan creates what the history has${shownOf(ran)}`);
    }
    return state.serial;
  }

  #disturbance(places: readonly Place[]): About {
    const random = this.#random;
    const remotes = places.flatMap(({ store }) => (store instanceof Remote ? [store] : []));
    const remote = random.pick(remotes);
    const net = remote === undefined ? 0 : 1;
    const disk = places.some(({ store }) => store === inFiles) ? 1 : 0;
    const signal = random.pick(["SIGINT", "SIGTERM", "SIGKILL"] as const);
    const what = random.choose({
      none: 1,
      after: 2,
      write: 4 * disk,
      message: 5 * net,
      cut: 3 * net,
      away: net,
    });
    if (what !== "none") this.#steps.push(`  ${what}`);
    const at = random.chance(0.5) ? random.between(1, 25) : random.between(1, 120);
    switch (what) {
      case "none":
        return {};
      case "after": {
        const after = random.between(150, 900);
        return { started: (child) => this.#in(after, () => void child.kill(signal)) };
      }
      case "write":
        return { disturbance: { mode: random.pick(deaths), at: random.between(1, 45) } };
      case "message":
        return { started: (child) => remote?.atMessage(at, () => void child.kill(signal)) };
      case "cut":
        count(this.#tally.disturbances, "connection cut");
        remote?.cutAt(at, random.chance(0.3) ? random.between(15, 60) : Infinity);
        return {};
      case "away": {
        count(this.#tally.disturbances, "connection away");
        const [after, milliseconds] = [random.between(100, 900), random.between(50, 1500)];
        return { started: () => this.#in(after, () => void remote?.away(milliseconds)) };
      }
    }
  }

  #in(milliseconds: number, act: () => void): void {
    this.#timers.add(setTimeout(act, milliseconds));
  }

  /** Runs a command with the state at a place. `from` is where it was before. */
  async #command(
    place: Place,
    args: readonly string[],
    about: About = {},
    from?: Place,
  ): Promise<Ran> {
    const { suffix, project } = place;
    const before = from === undefined ? "" : `, from: { ${settingsOf(from)} }`;
    project.configure(`id: ${this.#id}, `, `${settingsOf(place)}${before}`);
    const ran = await runOnce(args, {
      cwd: project.root,
      token,
      variables: this.#variables,
      ...about,
    });
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    for (const { store } of this.#places) if (store instanceof Remote) await store.calm();
    this.#tally.commands += 1;
    if (ran.signal !== null) count(this.#tally.ended, about.disturbance?.mode ?? ran.signal);
    this.#steps.push(`${suffix} ${args.join(" ")} → ${ran.signal ?? ran.exit}`);
    const said = ran.stdout + ran.stderr;
    const secrets = [token, ...this.#places.flatMap(({ store }) => store.secrets)];
    if (secrets.some((secret) => said.includes(secret))) {
      throw new Finding(`(7) the output contains a secret${shownOf(ran)}`);
    }
    if (/this is a bug|^\s+at .+:\d+:\d+\)?$/m.test(said)) {
      throw new Finding(`(5) the command crashed${shownOf(ran)}`);
    }
    if (/IVR60[23]/.test(said)) throw new Finding(`(5) the state is damaged${shownOf(ran)}`);
    if (ran.exit === 4)
      throw new Finding(`(5) the state is locked, but no run holds the lock${shownOf(ran)}`);
    return ran;
  }

  get #variables(): Readonly<Record<string, string>> {
    const renamed = this.#places.flatMap(({ store, suffix }) =>
      Object.entries(store.variables).map(([name, value]) => [
        name === "S" ? `S${suffix}` : name,
        value,
      ]),
    );
    return Object.fromEntries(renamed);
  }
}
