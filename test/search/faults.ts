import type { ChildProcess } from "node:child_process";
import type { OperationName } from "../../src/schema/operations.ts";
import type { FaultRule } from "../support/faults.ts";
import type { Remote } from "./store-under-test.ts";
import type { Operation } from "./journal.ts";
import type { Random } from "./random.ts";
import type { Applying, Stage } from "./stage.ts";
import { count } from "./tally.ts";

/** Chooses faults of the service, and what happens to the processes and the store of a round. */
export class Faults {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #remote: Remote | undefined;
  /** Disturbances that are still to come. */
  readonly #timers = new Set<NodeJS.Timeout>();

  /** The requests that the next command probably sends. */
  #expected: readonly Operation[] = [];

  constructor(stage: Stage, random: Random, remote: Remote | undefined) {
    this.#stage = stage;
    this.#random = random;
    this.#remote = remote;
  }

  /** Aims at these requests, until the next call. */
  expect(operations: readonly Operation[]): void {
    this.#expected = operations;
  }

  /** Ends all disturbances, so that none of them affects the next process. */
  async calm(): Promise<void> {
    this.#stage.recorder.moment = undefined;
    this.#stage.recorder.listed = undefined;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    await this.#stage.calm();
    await this.#remote?.calm();
  }

  /** Chooses faults of the service. */
  async startFaults(): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    if (random.chance(0.25)) return;
    const rules = [
      ...this.#aimed(),
      ...Array.from({ length: random.between(1, 4) }, () => this.#rule()),
    ];
    if (rules.some(({ kind }) => kind === "silence")) stage.configure(stage.concurrency, 0.4);
    stage.steps.push(`service: ${JSON.stringify(rules)}`);
    (await stage.faulty(random.between(0, 1e6), rules))();
    if (random.chance(0.06)) {
      stage.steps.push("service: refuses connections for a while");
      count(stage.tally.faults, "refused");
      stage.recorder.shut(random.between(300, 900));
    }
  }

  /** Loses the answer to a request. Then calls `meanwhile`, and the next list may lag behind or be cut off. */
  async lose(meanwhile: () => void): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    const last = this.#expected.slice(-1);
    const on = random.pick([...this.#expected, ...last, ...last]);
    if (on === undefined) return;
    const lost = { kind: "reset", when: "after", created: random.chance(0.5), on } as const;
    // A menu that is gone looks like one that a list does not show.
    const cutOff = { kind: "truncated", on: "list" } as const;
    const most = Math.max(0, stage.records.length - 2);
    const later = random.chance(0.3)
      ? []
      : [on === "delete" ? { ...cutOff, count: random.between(0, most) } : this.#listRule(1)];
    stage.steps.push(`service: ${JSON.stringify([lost])}, then ${JSON.stringify(later)}`);
    const next = await stage.faulty(0, later);
    (await stage.faulty(0, [lost]))();
    stage.recorder.moment = (what, operation) => {
      if (what !== "write" || operation !== on) return;
      stage.recorder.moment = undefined;
      next();
      meanwhile();
    };
  }

  /** Kills the process at its first request that writes, or at the answer. */
  killed(): Applying {
    const { recorder } = this.#stage;
    const what = this.#random.pick(["write", "answer"]);
    return {
      started: (child) => {
        recorder.moment = (now) => {
          if (now !== what) return;
          recorder.moment = undefined;
          child.kill("SIGKILL");
        };
      },
    };
  }

  /** Chooses what happens to the process. */
  disturbed(): Applying {
    const [stage, random] = [this.#stage, this.#random];
    const remote = this.#remote;
    const [disk, net] = remote === undefined ? [1, 0] : [0, 1];
    const disturbance = random.choose({
      // Without a process to kill, a command takes a tenth of the time.
      none: stage.can("list") ? 20 : 8,
      killWhen: 8,
      killAt: 4 * disk,
      signal: 3,
      full: 2 * disk,
      limit: disk,
      readonly: 0.5 * disk,
      clock: 1,
      cutAt: 6 * net,
      unplug: 3 * net,
      server: 2 * net,
      falter: remote?.falter === undefined ? 0 : 4,
    });
    if (disturbance !== "none") stage.steps.push(`disturbance: ${disturbance}`);
    const at = random.chance(0.5) ? random.between(1, 14) : random.between(1, 60);
    switch (disturbance) {
      case "none":
        return {};
      case "killWhen":
        return { started: this.#later((child) => void child.kill("SIGKILL")) };
      case "killAt":
        return {
          disturbance: {
            mode: random.pick(["kill-before", "kill-after", "kill-half", "power-cut"]),
            at,
          },
        };
      case "signal": {
        const signal = random.pick(["SIGINT", "SIGTERM"] as const);
        const again = random.chance(0.5) ? random.between(0, 60) : undefined;
        count(stage.tally.disturbances, again === undefined ? signal : `${signal} twice`);
        const send = this.#later((child) => {
          child.kill(signal);
          if (again !== undefined) setTimeout(() => child.kill(signal), again);
        });
        return { started: send };
      }
      case "full":
        return { disturbance: { mode: random.pick(["enospc", "enospc", "eio"]), at } };
      case "limit": {
        return { disturbance: { fileLimit: random.between(0, 8) } };
      }
      case "readonly":
        return { disturbance: { mode: "readonly", at: random.chance(0.5) ? 1 : at } };
      case "clock":
        return {
          disturbance: { clock: random.between(-1, 1) * random.between(1, remote?.clock ?? 4e9) },
        };
      case "cutAt":
        count(stage.tally.disturbances, "connection cut");
        remote?.cutAt(at, random.chance(0.3) ? random.between(15, 60) : Infinity);
        return {};
      case "unplug": {
        const away = random.between(50, 1500);
        count(stage.tally.disturbances, "connection away");
        return { started: this.#later(() => void remote?.away(away)) };
      }
      case "server":
        count(stage.tally.disturbances, "server killed");
        return { started: this.#later(() => remote?.kill()) };
      case "falter": {
        const how = remote?.falter?.(random) ?? "not";
        count(stage.tally.disturbances, `store ${how.split(",")[0]}`);
        stage.steps.push(`store: ${how}`);
        // As a process: if the store loses the end of its lock, the next run finds that it has ended.
        return { started: () => {} };
      }
    }
  }

  /** Sometimes kills a command that only changes the state, or fills its disk. */
  atWrite(): Applying {
    const random = this.#random;
    if (this.#remote !== undefined || !random.chance(0.25)) return {};
    const mode = random.pick(["kill-before", "kill-after", "kill-half", "power-cut", "enospc"]);
    return { disturbance: { mode, at: random.between(1, 16) } };
  }

  /** Delays `act`: for some time, or until a request that writes reaches the service or its answer leaves it. */
  #later(act: (child: ChildProcess) => void): (child: ChildProcess) => void {
    const [stage, random] = [this.#stage, this.#random];
    if (random.chance(0.2)) {
      const after = random.between(0, 500);
      return (child) => this.#in(after, () => act(child));
    }
    const what = random.pick(["write", "answer"]);
    // Creates come first. Without this, few processes would live until they bind or delete.
    const only = random.chance(0.8) ? random.pick(this.#expected) : undefined;
    let left = only === undefined ? random.between(1, 6) : random.between(1, 2);
    const after = random.pick([0, 0, 1, 3, 10]);
    return (child) => {
      stage.recorder.moment = (now, operation) => {
        if (now !== what || (only ?? operation) !== operation) return;
        left -= 1;
        if (left > 0) return;
        stage.recorder.moment = undefined;
        if (after === 0) act(child);
        else this.#in(after, () => act(child));
      };
    };
  }

  #in(milliseconds: number, act: () => void): void {
    this.#timers.add(setTimeout(act, milliseconds));
  }

  /** The requests that faults may hit. */
  get #writes(): readonly [Operation, ...Operation[]] {
    const may = (operation: OperationName, request: Operation) =>
      this.#stage.can(operation) ? [request] : [];
    return [
      "create",
      ...this.#expected,
      ...may("update", "update"),
      ...may("delete", "delete"),
      ...may("delete", "delete"),
      ...may("numbers", "bind"),
    ];
  }

  /** Faults where they matter: for the last request of a command, and for the list that shows what became of one. */
  #aimed(): FaultRule[] {
    const [stage, random] = [this.#stage, this.#random];
    if (!stage.can("list")) return [];
    const { pending, others } = stage.journal();
    const on = this.#expected.at(-1);
    const rate = random.pick([0.6, 1]);
    return [
      ...(pending.size + others.size > 0 && random.chance(0.5) ? [this.#listRule(rate)] : []),
      ...(on !== undefined && random.chance(0.5) ? [this.#lost(on, rate)] : []),
    ];
  }

  /** A request that the service carries out or not, and whose answer does not say which. */
  #lost(on: Operation, rate: number): FaultRule {
    const random = this.#random;
    const about = { created: random.chance(0.5), on, rate };
    return random.pick<FaultRule>([
      { kind: "reset", when: "after", ...about },
      { kind: "cut", ...about },
      { kind: "garbage", ...about },
      { kind: "status", status: 502, success: "none", ...about },
    ]);
  }

  #rule(): FaultRule {
    const random = this.#random;
    const created = random.chance(0.5);
    const on = random.chance(0.03) ? ("agents" as const) : random.pick(this.#writes);
    // There are more creates than other requests.
    const rate = random.pick(on === "create" ? [0.15, 0.3, 0.6] : [0.3, 0.6, 1]);
    const about = { rate, on };
    if (this.#stage.can("list") && random.chance(0.25))
      return this.#listRule(random.pick([0.15, 0.3, 0.6]));
    // After a silence, a cut or a reset, the menu may exist or not. After a refusal it does not.
    switch (random.pick([0, 1, 2, 2, 3, 3, 4, 5, 6, 7, 7, 8, 8, 9, 9, 10, 11, 12])) {
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

  /** A list that lags behind, or is cut off. */
  #listRule(rate: number): FaultRule {
    const random = this.#random;
    const isNumbers = this.#stage.can("numbers") && random.chance(0.3);
    const about = { on: isNumbers ? "numbers" : "list", rate } as const;
    const { length } = isNumbers ? this.#stage.numbers : this.#stage.records;
    return random.chance(0.5)
      ? { kind: "stale", changes: random.between(1, 4), ...about }
      : { kind: "truncated", count: random.between(0, length), ...about };
  }
}
