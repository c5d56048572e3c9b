import { setTimeout as sleep } from "node:timers/promises";
import { Cable } from "../support/cable.ts";
import { eventsIn } from "../support/file-log.ts";
import type { Random } from "./random.ts";

/** The store of a stage's state, and how the search reads it without ivrctl. */
export interface Home {
  /** Its settings in ivrctl.yaml: the inside of a mapping in braces. */
  readonly settings: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Texts that must not be in any output or file. */
  readonly secrets: readonly string[];
  /** Called with the project's folder before the first command. */
  prepare?(root: string): void;
  /** Every entry of the state with this id, one on each line. */
  journal(root: string, id: string): string;
  /** Whether somebody has deleted the state, until `calm` restores it. */
  readonly isLost?: boolean;
  close(): Promise<void>;
}

export const inFiles: Home = {
  settings: "backend: file",
  variables: {},
  secrets: [],
  journal: (root) => eventsIn(root, "e"),
  close: async () => {},
};

/** A store on a server, behind a cable that can be cut. */
export abstract class Remote implements Home {
  abstract readonly settings: string;
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

  /** Reads without the cable. */
  abstract journal(root: string, id: string): string;

  /** Kills the server as a power cut does, and starts it again at once. */
  abstract kill(): void;

  /** Makes the server fail some requests. Returns a description. */
  readonly falter: ((random: Random) => string) | undefined;

  async open(): Promise<void> {
    await this.cable.plugIn();
  }

  /** Ends all disturbances. */
  async calm(): Promise<void> {
    this.cable.asked = () => "pass";
    this.cable.answered = () => "pass";
    await this.#away;
    await this.cable.plugIn();
  }

  /** Cuts the connection at message number `at`, and then at every `every`th message. */
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

  /** Calls `act` at message number `at`. */
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

  /** Makes the server unreachable for some milliseconds. */
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
