import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Menus } from "./menus.ts";
import type { Harm } from "./process.ts";
import { Random } from "./random.ts";
import { type Found, type Searched, hasStateCommands, maxFound } from "./search.ts";
import { Finding, Stage, Tally, shownOf } from "./stage.ts";

const deaths = ["kill-after", "power-cut", "kill-half", "kill-before"] as const;

/**
 * Kills an apply at every change that it makes to the files of the state: before it, after
 * it, in the middle of it, and with the loss of everything that was not synced. `all` tries
 * all four at each change; otherwise they take turns.
 */
export async function killAtEveryWrite(
  seed: number,
  all: boolean,
  which: Which,
): Promise<Searched> {
  const tally = new Tally();
  const found: Found[] = [];
  const withState = await hasStateCommands();
  const offsets = all ? [0, 1, 2, 3] : [seed];
  let done = false;
  let next = 1;
  const worker = async () => {
    const scene = new Scene(tally, withState, all, which);
    let story = "before the first kill";
    try {
      await scene.begin();
      while (!done && found.length < maxFound) {
        const at = next;
        next += 1;
        for (const offset of offsets) {
          const mode = deaths[(at + offset) % deaths.length] ?? "kill-after";
          story = `${mode} at ${at}`;
          if (!(await scene.play({ mode, at }))) done = true;
        }
      }
    } catch (error) {
      const what = error instanceof Finding ? error.message : String((error as Error).stack);
      found.push({ what, round: story, ...scene.kept() });
    }
    await scene.close();
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker));
  tally.rounds = next;
  return { tally, found };
}

/** The apply that is killed: the first one of a state, or a later one. */
export type Which = "first" | "later";

/** Applies some menus, then changes, renames, removes and adds some; the next apply is killed. */
class Scene {
  readonly #stage: Stage;
  readonly #template = mkdtempSync(join(tmpdir(), "ivrctl-faults-"));
  readonly #withState: boolean;
  readonly #thorough: boolean;
  readonly #which: Which;
  #wanted = 0;

  constructor(tally: Tally, withState: boolean, thorough: boolean, which: Which) {
    this.#stage = new Stage(tally, "secret/every+write=");
    this.#withState = withState;
    this.#thorough = thorough;
    this.#which = which;
  }

  async begin(): Promise<void> {
    const stage = this.#stage;
    await stage.open();
    stage.configure(2, 300);
    const menus = new Menus(stage.root, new Random(5), 4);
    if (this.#which === "later") {
      await stage.apply();
      menus.story();
    }
    this.#wanted = menus.keys.length;
    cpSync(stage.root, this.#template, { recursive: true });
  }

  /** Returns false if the run ended before it was killed. */
  async play(harm: Harm): Promise<boolean> {
    const stage = this.#stage;
    await stage.again(this.#template);
    const ran = await stage.apply({ harm });
    if (ran.signal === null) return false;
    if (this.#thorough) await stage.plan();
    const pending = [...stage.ledger().pending.keys()];
    const second = await stage.apply();
    const expected = pending.length > 0 ? 3 : 0;
    if (second.exit !== expected) {
      throw new Finding(
        `(5) the next apply exits with ${second.exit}, not ${expected}${shownOf(second)}`,
      );
    }
    if (!this.#thorough || !this.#withState) return true;
    for (const key of pending) {
      const intent = stage.ledger().pending.get(key);
      const there = intent !== undefined && stage.isDone(intent);
      await stage.command(["state", "resolve", key, there ? "--created" : "--absent"]);
    }
    const third = await stage.apply();
    if (third.exit !== 0)
      throw new Finding(`(5) the last apply exits with ${third.exit}${shownOf(third)}`);
    const current = stage.ledger().current.size;
    const sent = [...new Set(stage.tap.writes.map(({ digest }) => digest))];
    const twice = sent.filter((digest) => stage.made(digest) !== 1);
    if (twice.length > 0 || current !== this.#wanted) {
      throw new Finding(
        `(2) ${current} current of ${this.#wanted}, ${twice.length} not there exactly once`,
      );
    }
    return true;
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
