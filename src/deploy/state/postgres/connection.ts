import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import type { Client, ClientConfig } from "pg";
import type * as z from "zod/mini";
import { validate } from "../../../schema/validate.ts";
import { loadDriver } from "../load-driver.ts";
import { ConnectionLost } from "../persist.ts";
import { StateProblem } from "../store.ts";
import { passwordFromFile } from "./password-file.ts";
import {
  cut,
  invalidRow,
  isReadOnly,
  noPassword,
  problemOf,
  readOnly,
  standby,
} from "./problems.ts";
import type { DatabaseSettings, Host, TlsSettings } from "./settings.ts";

/** The part of the package `pg` that ivrctl uses. */
interface Driver {
  readonly Client: new (config: ClientConfig) => Client;
}

function isDriver(value: unknown): value is Driver {
  return (
    typeof value === "object" &&
    value !== null &&
    "Client" in value &&
    typeof value.Client === "function"
  );
}

/** One connection to the database, which nothing replaces silently. */
export class Connection {
  readonly #client: Client;
  readonly #address: string;
  readonly #timeout: number;
  readonly #whenLost: (() => void)[] = [];
  #lost: ConnectionLost | undefined;

  private constructor(client: Client, { address, statementTimeout }: DatabaseSettings) {
    this.#client = client;
    this.#address = address;
    this.#timeout = statementTimeout;
    client.on("error", (error) => this.#break(error));
    client.on("end", () => this.#break(new Error("Connection terminated")));
  }

  /**
   * Connects to the first host that answers, and waits for each up to `patience`
   * milliseconds. `root` is the project's folder, where the driver may be installed.
   */
  static async open(
    root: string,
    settings: DatabaseSettings,
    patience = settings.connectTimeout,
  ): Promise<Connection> {
    const driver = loadDriver("pg", root, "A state in PostgreSQL", isDriver);
    let last: unknown;
    for (const host of settings.hosts) {
      try {
        return await Connection.#to(driver, settings, host, patience);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }

  static async #to(
    driver: Driver,
    settings: DatabaseSettings,
    host: Host,
    patience: number,
  ): Promise<Connection> {
    const client = await clientFor(driver, settings, host, patience).catch((error: unknown) => {
      throw problemOf(error, settings.address);
    });
    const connection = new Connection(client, settings);
    try {
      if (settings.writable) await connection.#refuseStandby();
      return connection;
    } catch (error) {
      await connection.end();
      throw error;
    }
  }

  /** Why the connection is gone, if it is. */
  get lost(): ConnectionLost | undefined {
    return this.#lost;
  }

  /** Calls this once when the connection is lost, but not when it is ended. */
  whenLost(lost: () => void): void {
    this.#whenLost.push(lost);
  }

  /** After `timeout` milliseconds without an answer, the connection counts as lost. */
  async run(
    text: string,
    values: readonly unknown[] = [],
    timeout = this.#timeout,
  ): Promise<readonly unknown[]> {
    if (this.#lost !== undefined) throw this.#lost;
    const patience = setTimeout(() => {
      this.#break(Object.assign(new Error("timed out"), { code: "ETIMEDOUT" }));
      this.#client.connection.stream.destroy();
    }, timeout);
    try {
      const { rows } = await this.#client.query<Record<string, unknown>>(text, [...values]);
      return rows;
    } catch (error) {
      const problem = isReadOnly(error)
        ? await this.#whyReadOnly()
        : problemOf(error, this.#address);
      if (problem instanceof ConnectionLost) this.#lose(problem);
      throw problem;
    } finally {
      clearTimeout(patience);
    }
  }

  /** Returns the rows of a statement, each validated. */
  async rows<S extends z.ZodMiniType>(
    schema: S,
    text: string,
    values: readonly unknown[] = [],
    timeout = this.#timeout,
  ): Promise<readonly z.infer<S>[]> {
    return (await this.run(text, values, timeout)).map((row) => {
      const found = validate(schema, row);
      if (found.success) return found.data;
      throw invalidRow(this.#address, found.problem);
    });
  }

  /** Never rejects. */
  async end(): Promise<void> {
    this.#whenLost.length = 0;
    if (this.#lost !== undefined) return;
    const gone = this.#client.end().catch(() => {});
    const patience = setTimeout(() => this.#client.connection.stream.destroy(), 2000);
    await gone;
    clearTimeout(patience);
  }

  async #refuseStandby(): Promise<void> {
    const rows = await this.run("SELECT 1 WHERE pg_is_in_recovery()");
    if (rows.length > 0) throw standby(this.#address);
  }

  /** A standby refuses changes with the same error as a primary where this role may only read. */
  async #whyReadOnly(): Promise<ConnectionLost> {
    try {
      // The refused transaction has to end before the server answers again.
      await this.#client.query("ROLLBACK");
      const { rows } = await this.#client.query<Record<string, unknown>>(
        `SELECT pg_is_in_recovery() AS standby, quote_ident(current_user) AS role,
                quote_ident(current_database()) AS database`,
      );
      const { standby: isStandby, role, database } = rows[0] ?? {};
      if (isStandby === true) return standby(this.#address);
      return readOnly(this.#address, String(role), String(database));
    } catch {
      return cut(this.#address);
    }
  }

  #break(error: Error): void {
    const problem = problemOf(error, this.#address);
    this.#lose(problem instanceof ConnectionLost ? problem : cut(this.#address));
  }

  #lose(problem: ConnectionLost): void {
    if (this.#lost !== undefined) return;
    this.#lost = problem;
    for (const lost of this.#whenLost) lost();
  }
}

/** Tries without TLS only if `sslmode` allows it and the server has no TLS. */
async function clientFor(
  driver: Driver,
  settings: DatabaseSettings,
  host: Host,
  patience: number,
): Promise<Client> {
  const [first, second] = tlsChoices(settings.tls, host.name);
  try {
    return await connected(driver, settings, host, first, patience);
  } catch (error) {
    const isPlainOnly = error instanceof Error && error.message.includes("does not support SSL");
    if (second === undefined || !isPlainOnly) throw error;
    return connected(driver, settings, host, second, patience);
  }
}

async function connected(
  { Client }: Driver,
  settings: DatabaseSettings,
  { name, port }: Host,
  ssl: ConnectionOptions | false,
  patience: number,
): Promise<Client> {
  const { address, user, password, passwordFile, database, applicationName, options } = settings;
  const config: ClientConfig = {
    host: name,
    port,
    user,
    database,
    ssl,
    application_name: applicationName,
    connectionTimeoutMillis: patience,
    keepAlive: true,
    // The driver ignores the password file if PGPASSWORD is set and empty.
    password: () => {
      const found =
        password ?? passwordFromFile(passwordFile, { host: name, port, database, user });
      if (found === undefined) throw noPassword(address);
      return found;
    },
    ...(options === undefined ? {} : { options }),
  };
  const client = new Client(config);
  // `connect` reports errors until the connection is there.
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

type Choices = readonly [ConnectionOptions | false, ...false[]];

/** What to try one after the other, by libpq's `sslmode`. */
function tlsChoices(tls: TlsSettings, host: string): Choices {
  const { mode } = tls;
  if (mode === "disable" || host.startsWith("/")) return [false];
  const own = {
    ...fileOption("cert", tls.certificate),
    ...fileOption("key", tls.key),
  };
  const blind: ConnectionOptions = { ...own, rejectUnauthorized: false };
  if (mode === "allow" || mode === "prefer") return [blind, false];
  const ca = rootCertificate(tls);
  if (mode === "require" && ca === undefined) return [blind];
  const verified: ConnectionOptions = {
    ...own,
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: true,
    checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
  };
  // Without a CA of its own any public CA is accepted, so at least the name has to match.
  if (mode === "verify-full" || ca === undefined) return [verified];
  return [{ ...verified, checkServerIdentity: () => undefined }];
}

/** The named file, or libpq's default. Undefined: the certificates that Node knows. */
function rootCertificate({ rootCertificate: file }: TlsSettings): Buffer | undefined {
  if (file === "system") return undefined;
  if (file !== undefined) return certificateFile(file);
  try {
    return readFileSync(join(homedir(), ".postgresql/root.crt"));
  } catch {
    return undefined;
  }
}

function fileOption(name: "cert" | "key", file: string | undefined): ConnectionOptions {
  return file === undefined ? {} : { [name]: certificateFile(file) };
}

function certificateFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new StateProblem("IVR671", `The TLS file ${file} cannot be read (${why}).`);
  }
}
