import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { payloadDigest } from "../support/payload-facts.ts";
import { inFiles } from "./store-under-test.ts";
import type { Intent } from "./journal.ts";
import type { Disturbance } from "./process.ts";
import { Random } from "./random.ts";
import { type Found, type Searched, maxFound, moreOperations } from "./search.ts";
import { Finding, shownOf } from "./checks.ts";
import { type Applying, Stage } from "./stage.ts";
import { Tally } from "./tally.ts";

export const deaths = ["kill-after", "power-cut", "kill-half", "kill-before"] as const;

/** At what an apply is killed: a change of a file, a request that writes, or an answer to one. */
const occasions = ["file", "write", "answer"] as const;
type Occasion = (typeof occasions)[number];

/**
 * Kills an apply at every change that it makes to the files of the state: before it, after
 * it, in the middle of it, and with the loss of everything that was not synced. `all` tries
 * all four at each change; otherwise they take turns, at some changes. Then kills it at every request
 * that writes and at every answer, or at some of them.
 */
export async function killAtEveryWrite(
  seed: number,
  all: boolean,
  which: Which,
): Promise<Searched> {
  const tally = new Tally();
  const found: Found[] = [];
  const offsets = all ? [0, 1, 2, 3] : [seed];
  const left = new Set<Occasion>(occasions);
  const next = { file: 1, write: 1, answer: 1 };
  const some = { file: which === "init" ? 3 : 17, write: 6, answer: 7 };
  const steps = all ? { file: 1, write: 1, answer: 1 } : some;
  const worker = async () => {
    const scene = new Scene(tally, all, which);
    let story = "before the first kill";
    try {
      await scene.begin();
      for (let [on] = left; on !== undefined && found.length < maxFound; [on] = left) {
        const at = next[on];
        next[on] += steps[on];
        for (const offset of on === "file" ? offsets : [0]) {
          const mode = deaths[(Math.ceil(at / steps[on]) + offset) % deaths.length] ?? "kill-after";
          story = on === "file" ? `${mode} at ${at}` : `killed at ${on} ${at}`;
          if (!(await scene.play(on, { mode, at }))) left.delete(on);
        }
      }
    } catch (error) {
      const what = error instanceof Finding ? error.message : String((error as Error).stack);
      found.push({ what, round: story, ...scene.kept() });
    }
    await scene.close();
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker));
  tally.rounds = occasions.reduce((sum, on) => sum + Math.ceil(next[on] / steps[on]), 0);
  return { tally, found };
}

/** What is killed: `state init`, or an apply: the first one of a state, a later one, or one that updates menus. */
export type Which = "init" | "first" | "later" | "updating";

/** Applies some menus, then changes, renames, removes and adds some; the next apply is killed. */
class Scene {
  readonly #stage: Stage;
  readonly #template = mkdtempSync(join(tmpdir(), "ivrctl-faults-"));
  readonly #thorough: boolean;
  readonly #which: Which;
  #wanted = 0;

  constructor(tally: Tally, thorough: boolean, which: Which) {
    const operations = which === "updating" ? moreOperations : [];
    this.#stage = new Stage(tally, "secret/every+write=", inFiles, operations);
    this.#thorough = thorough;
    this.#which = which;
  }

  async begin(): Promise<void> {
    const stage = this.#stage;
    await stage.open();
    stage.configure(2, 300);
    if (this.#which !== "init") await stage.begin();
    if (stage.can("delete")) stage.permissions = new Set(["--allow=delete", "--allow=take-number"]);
    const menus = stage.menus(new Random(5), 4);
    if (this.#which === "later" || this.#which === "updating") {
      await stage.apply();
      menus.story();
    }
    this.#wanted = menus.keys.length;
    cpSync(stage.root, this.#template, { recursive: true });
  }

  /** Returns false if the run ended before it was killed. */
  async play(
    on: Occasion,
    disturbance: Required<Pick<Disturbance, "mode" | "at">>,
  ): Promise<boolean> {
    const stage = this.#stage;
    await stage.again(this.#template);
    if (this.#which === "init") return on === "file" && this.#init(disturbance);
    const ran = await stage.apply(
      on === "file" ? { disturbance } : { started: this.#kill(on, disturbance.at) },
    );
    stage.recorder.moment = undefined;
    if (ran.signal === null) return false;
    await stage.recorder.settle();
    const isUpdating = this.#which === "updating";
    if (isUpdating && (this.#thorough || disturbance.at % 3 === 0))
      await this.#overwriteNothing(disturbance.at);
    else if (this.#thorough) await stage.plan();
    const pending = [...stage.journal().pending.values()];
    // A list shows what became of an update, and of a create that arrived and was not changed since.
    const isListed = (intent: Intent) =>
      intent.of !== undefined ||
      (stage.isShown(intent) &&
        stage.records.some(({ payload }) => payloadDigest(payload) === intent.digest));
    const left = pending.filter((intent) => !(isUpdating && isListed(intent)));
    const second = await stage.apply();
    const expected = left.length > 0 ? 3 : 0;
    if (second.exit !== expected) {
      throw new Finding(
        `(5) the next apply exits with ${second.exit}, not ${expected}${shownOf(second)}`,
      );
    }
    if (!(this.#thorough || isUpdating)) return true;
    for (const [key, intent] of stage.journal().pending) {
      await stage.command([
        "state",
        "resolve",
        key,
        stage.isShown(intent) ? "--created" : "--absent",
      ]);
    }
    const third = await stage.apply();
    if (third.exit !== 0)
      throw new Finding(`(5) the last apply exits with ${third.exit}${shownOf(third)}`);
    const current = stage.journal().current.size;
    const creates = stage.recorder.writes.filter(({ operation }) => operation === "create");
    const twice = creates.filter(({ digest }) => stage.made(digest) !== 1);
    if (twice.length > 0 || current !== this.#wanted) {
      throw new Finding(
        `(2) ${current} current of ${this.#wanted}, ${twice.length} not there exactly once`,
      );
    }
    if (isUpdating) stage.checkContent();
    return true;
  }

  /** Kills `state init`. Afterwards the state can be begun, and only once. */
  async #init(disturbance: Disturbance): Promise<boolean> {
    const stage = this.#stage;
    const ran = await stage.begin({ disturbance });
    await stage.begin();
    // A folder without a block is not a state yet.
    const files = readdirSync(join(stage.folder, "e"), { recursive: true, encoding: "utf8" });
    const states = files.filter((name) => name.endsWith("/00000001.jsonl"));
    if (states.length !== 1) throw new Finding(`(2) ${states.length} states have begun`);
    const applied = await stage.apply();
    if (applied.exit !== 0) throw new Finding(`(5) nothing can be applied${shownOf(applied)}`);
    return ran?.signal === "SIGKILL";
  }

  /** Somebody changes all menus after the plan was made. Its apply must leave them alone. */
  async #overwriteNothing(at: number): Promise<void> {
    const stage = this.#stage;
    const changed = new Set<number>();
    const change = () => {
      stage.recorder.listed = undefined;
      for (const { number, payload } of stage.records) {
        changed.add(number);
        stage.onConsole({ update: number, payload: { ...payload, description: "Console" } });
      }
    };
    if (at % 2 === 0) {
      await stage.plan("--out", "plan.json");
      change();
      await stage.apply({ args: ["plan.json"] });
    } else {
      stage.recorder.listed = change;
      await stage.apply();
    }
    const left = stage.records.filter(({ payload }) => payload.description === "Console");
    if (left.length < changed.size)
      throw new Finding(`(9) ${changed.size - left.length} changes on the console are gone`);
  }

  /** Kills the process at a request that writes, or at an answer. */
  #kill(on: Occasion, at: number): NonNullable<Applying["started"]> {
    let left = at;
    return (child) => {
      this.#stage.recorder.moment = (what) => {
        if (what === on) left -= 1;
        if (left === 0) child.kill("SIGKILL");
      };
    };
  }

  kept(): Pick<Found, "steps" | "folder"> {
    const folder = mkdtempSync(join(tmpdir(), "ivrctl-faults-kept-"));
    cpSync(this.#stage.root, folder, { recursive: true });
    return { steps: [...this.#stage.steps], folder };
  }

  async close(): Promise<void> {
    await this.#stage.close(false);
    rmSync(this.#template, { recursive: true, force: true });
  }
}
