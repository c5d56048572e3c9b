import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Postgres } from "../../scripts/postgres.mjs";
import { Cable } from "../support/cable.ts";

/** Where the state of a stage is kept, and how to look at it from outside. */
export interface Home {
  /** Lines of the environment in ivrctl.yaml. */
  readonly settings: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Every entry, a line each. The last one may be unfinished. */
  journal(root: string): string;
  close(): Promise<void>;
}

export const inFiles: Home = {
  settings: [],
  variables: {},
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

let schemas = 0;

/** In a database that is reached through a cable, which can be cut. */
export class InDatabase implements Home {
  readonly settings: readonly string[];
  readonly server: Postgres;
  readonly cable: Cable;
  readonly #schema: string;
  #there = false;
  #away: Promise<void> | undefined;

  constructor(server: Postgres) {
    schemas += 1;
    this.server = server;
    this.cable = new Cable(server.port);
    this.#schema = `f${process.pid}_${schemas}`;
    this.settings = [`    state: { backend: postgres, url: "\${S}", schema: ${this.#schema} }`];
  }

  async open(): Promise<void> {
    await this.cable.mend();
  }

  get variables(): Readonly<Record<string, string>> {
    return { S: `postgresql://postgres:hunter2@127.0.0.1:${this.cable.port}/postgres` };
  }

  /** Not through the cable. */
  journal(): string {
    const name = this.#schema;
    this.#there ||= this.server.sql(`SELECT to_regclass('${name}.history')`) !== "";
    return this.#there ? this.server.sql(`SELECT entry FROM ${name}.history ORDER BY seq`) : "";
  }

  /** Nothing is done to it any more. */
  async calm(): Promise<void> {
    this.cable.asked = () => "pass";
    this.cable.answered = () => "pass";
    await this.#away;
    await this.cable.mend();
    await this.#quiet();
  }

  /** Until the server knows that the runs before are gone: a lock is held as long as it does not. */
  async #quiet(): Promise<void> {
    const ports = [...this.cable.clientPorts];
    this.cable.clientPorts.clear();
    if (ports.length === 0) return;
    const left = `SELECT count(*) FROM pg_stat_activity WHERE client_port IN (${ports.join(", ")})`;
    while (this.server.sql(left) !== "0") await sleep(10);
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

  /** For so many milliseconds there is no way to the server. */
  async away(milliseconds: number): Promise<void> {
    this.#away = (async () => {
      await this.cable.unplug();
      await sleep(milliseconds);
      await this.cable.mend();
    })();
    await this.#away;
  }

  /** As by a power cut of the machine that it runs on, which is up again at once. */
  kill(): void {
    this.server.stop("immediate");
    this.server.start();
  }

  async close(): Promise<void> {
    await this.#away;
    await this.cable.unplug();
    this.server.sql(`DROP SCHEMA IF EXISTS ${this.#schema} CASCADE`);
  }
}
