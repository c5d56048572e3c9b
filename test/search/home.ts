import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Cable } from "../support/cable.ts";
import type { Random } from "./random.ts";

/** Where the state of a stage is kept, and how to look at it from outside. */
export interface Home {
  /** Lines of the environment in ivrctl.yaml. */
  readonly settings: readonly string[];
  /** The flags by which `state migrate` knows it. */
  readonly target: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** What is in no output and in no file. */
  readonly secrets: readonly string[];
  /** Called with the project's folder before the first command. */
  prepare?(root: string): void;
  /** Every entry, a line each. The last one may be unfinished. */
  journal(root: string): string;
  close(): Promise<void>;
}

export const inFiles: Home = {
  settings: [],
  target: ["--to", "file"],
  variables: {},
  secrets: [],
  journal: (root) => {
    try {
      return readFileSync(join(root, ".ivrctl/state/e.journal.jsonl"), "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      return "";
    }
  },
  close: async () => {},
};

/** Where a server keeps it, which is reached through a cable that can be cut. */
export abstract class Remote implements Home {
  abstract readonly settings: readonly string[];
  abstract readonly target: readonly string[];
  abstract readonly variables: Readonly<Record<string, string>>;
  abstract readonly secrets: readonly string[];
  /** Milliseconds that the clock of a run may be off. */
  readonly clock: number = 4e9;
  protected readonly cable: Cable;
  #away: Promise<void> | undefined;

  constructor(port: number) {
    this.cable = new Cable(port);
  }

  prepare?(root: string): void;

  /** Not through the cable. */
  abstract journal(): string;

  /** As by a power cut of the machine that it runs on, which is up again at once. */
  abstract kill(): void;

  /** The server is there, and does not do all that it is asked, in the way that is given back. */
  readonly falter: ((random: Random) => string) | undefined;

  async open(): Promise<void> {
    await this.cable.plugIn();
  }

  /** Nothing is done to it any more. */
  async calm(): Promise<void> {
    this.cable.asked = () => "pass";
    this.cable.answered = () => "pass";
    await this.#away;
    await this.cable.plugIn();
  }

  /** At this message of either side, and at every so many from then on. */
  cutAt(at: number, every: number): void {
    let left = at;
    const count = () => {
      left -= 1;
      if (left > 0) return "pass" as const;
      left = every;
      return "cut" as const;
    };
    this.cable.asked = count;
    this.cable.answered = count;
  }

  /** When this message of either side passes. */
  atMessage(at: number, act: () => void): void {
    let left = at;
    const count = () => {
      left -= 1;
      if (left === 0) act();
      return "pass" as const;
    };
    this.cable.asked = count;
    this.cable.answered = count;
  }

  /** For so many milliseconds there is no way to the server. */
  async away(milliseconds: number): Promise<void> {
    this.#away = (async () => {
      await this.cable.unplug();
      await sleep(milliseconds);
      await this.cable.plugIn();
    })();
    await this.#away;
  }

  async close(): Promise<void> {
    await this.#away;
    await this.cable.unplug();
  }
}
