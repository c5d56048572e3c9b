import type { Postgres } from "../../scripts/postgres.mjs";
import { Remote } from "./home.ts";

let schemas = 0;

export class InDatabase extends Remote {
  readonly settings: readonly string[];
  readonly #server: Postgres;
  readonly #schema: string;
  #there = false;

  constructor(server: Postgres) {
    super(server.port);
    schemas += 1;
    this.#server = server;
    this.#schema = `f${process.pid}_${schemas}`;
    this.settings = [`    state: { backend: postgres, url: "\${S}", schema: ${this.#schema} }`];
  }

  get variables(): Readonly<Record<string, string>> {
    return { S: `postgresql://postgres:hunter2@127.0.0.1:${this.cable.port}/postgres` };
  }

  get secrets(): readonly string[] {
    return [...Object.values(this.variables), "hunter2"];
  }

  override journal(): string {
    const name = this.#schema;
    this.#there ||= this.#server.sql(`SELECT to_regclass('${name}.history')`) !== "";
    return this.#there ? this.#server.sql(`SELECT entry FROM ${name}.history ORDER BY seq`) : "";
  }

  override kill(): void {
    this.#server.stop("immediate");
    this.#server.start();
  }

  override async close(): Promise<void> {
    await super.close();
    this.#server.sql(`DROP SCHEMA IF EXISTS ${this.#schema} CASCADE`);
  }
}
