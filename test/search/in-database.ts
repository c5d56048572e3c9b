import type { Postgres } from "../../scripts/postgres.mjs";
import { Remote } from "./store-under-test.ts";

let schemas = 0;

export class InDatabase extends Remote {
  readonly settings: string;
  readonly #server: Postgres;
  readonly #schema: string;
  #there = false;

  constructor(server: Postgres) {
    super(server.port);
    schemas += 1;
    this.#server = server;
    this.#schema = `f${process.pid}_${schemas}`;
    this.settings = `backend: postgres, url: "\${S}", schema: ${this.#schema}`;
  }

  get variables(): Readonly<Record<string, string>> {
    return { S: `postgresql://postgres:hunter2@127.0.0.1:${this.tcpProxy.port}/postgres` };
  }

  get secrets(): readonly string[] {
    return [...Object.values(this.variables), "hunter2"];
  }

  override events(_root: string, id: string): string {
    const name = this.#schema;
    this.#there ||= this.#server.sql(`SELECT to_regclass('${name}.blocks')`) !== "";
    if (!this.#there) return "";
    const where = `state = 'e/${id}'`;
    const log = this.#server.sql(
      `SELECT content FROM ${name}.blocks WHERE ${where} ORDER BY number`,
    );
    return log
      .split("\n")
      .filter((line) => /^\{"sum":"\w+",/.test(line))
      .join("\n");
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
