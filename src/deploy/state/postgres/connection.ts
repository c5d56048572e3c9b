import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import type { Client, ClientConfig } from "pg";
import type * as z from "zod/mini";
import { validate } from "../../../schema/validate.ts";
import { loadDriver } from "../load-driver.ts";
import { StoreUnavailable } from "../retry.ts";
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

/** One connection to the database. If it is lost, the caller has to open a new one. */
export class Connection {
  readonly #client: Client;
  readonly #address: string;
  readonly #timeout: number;
  readonly #whenLost: (() => void)[] = [];
  #lost: StoreUnavailable | undefined;

  private constructor(client: Client, { address, statementTimeout }: DatabaseSettings) {
    this.#client = client;
    this.#address = address;
    this.#timeout = statementTimeout;
    client.on("error", (error) => this.#break(error));
    client.on("end", () => this.#break(new Error("Connection terminated")));
  }

  /**
   * Connects to the first host that answers. Waits up to `maxWait` milliseconds for each
   * host. `root` is the project folder, where the driver may be installed.
   */
  static async open(
    root: string,
    settings: DatabaseSettings,
    maxWait = settings.connectTimeout,
  ): Promise<Connection> {
    const driver = loadDriver("pg", root, "A state in PostgreSQL", isDriver);
    let last: unknown;
    for (const host of settings.hosts) {
      try {
        return await Connection.#to(driver, settings, host, maxWait);
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
    maxWait: number,
  ): Promise<Connection> {
    const client = await clientFor(driver, settings, host, maxWait).catch((error: unknown) => {
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

  /** Why the connection was lost. Undefined if it is open. */
  get lost(): StoreUnavailable | undefined {
    return this.#lost;
  }

  /** Registers a function to call when the connection is lost. It is not called after `end`. */
  whenLost(lost: () => void): void {
    this.#whenLost.push(lost);
  }

  /** Runs a statement. After `timeout` milliseconds without an answer, the connection counts as lost. */
  async run(
    text: string,
    values: readonly unknown[] = [],
    timeout = this.#timeout,
  ): Promise<readonly unknown[]> {
    if (this.#lost !== undefined) throw this.#lost;
    const timer = setTimeout(() => {
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
      if (problem instanceof StoreUnavailable) this.#lose(problem);
      throw problem;
    } finally {
      clearTimeout(timer);
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

  /** Ends the connection. Never rejects. */
  async end(): Promise<void> {
    this.#whenLost.length = 0;
    if (this.#lost !== undefined) return;
    const gone = this.#client.end().catch(() => {});
    const timer = setTimeout(() => this.#client.connection.stream.destroy(), 2000);
    await gone;
    clearTimeout(timer);
  }

  async #refuseStandby(): Promise<void> {
    const rows = await this.run("SELECT 1 WHERE pg_is_in_recovery()");
    if (rows.length > 0) throw standby(this.#address);
  }

  /** Finds out whether the server is a standby or the role may only read: both give the same error. */
  async #whyReadOnly(): Promise<StoreUnavailable> {
    try {
      // End the refused transaction, so that the server accepts statements again.
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
    this.#lose(problem instanceof StoreUnavailable ? problem : cut(this.#address));
  }

  #lose(problem: StoreUnavailable): void {
    if (this.#lost !== undefined) return;
    this.#lost = problem;
    for (const lost of this.#whenLost) lost();
  }
}

/** Connects with TLS. Tries without TLS only if `sslmode` allows it and the server has no TLS. */
async function clientFor(
  driver: Driver,
  settings: DatabaseSettings,
  host: Host,
  maxWait: number,
): Promise<Client> {
  const [first, second] = tlsChoices(settings.tls, host.name);
  try {
    return await connected(driver, settings, host, first, maxWait);
  } catch (error) {
    const isPlainOnly = error instanceof Error && error.message.includes("does not support SSL");
    if (second === undefined || !isPlainOnly) throw error;
    return connected(driver, settings, host, second, maxWait);
  }
}

async function connected(
  { Client }: Driver,
  settings: DatabaseSettings,
  { name, port }: Host,
  ssl: ConnectionOptions | false,
  maxWait: number,
): Promise<Client> {
  const { address, user, password, passwordFile, database, applicationName, options } = settings;
  const config: ClientConfig = {
    host: name,
    port,
    user,
    database,
    ssl,
    application_name: applicationName,
    connectionTimeoutMillis: maxWait,
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
  // `connect` rejects if the connection fails. Without a listener, the process would end.
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

/** Returns the TLS options to try one after the other, as libpq does for each `sslmode`. */
function tlsChoices(tls: TlsSettings, host: string): Choices {
  const { mode } = tls;
  if (mode === "disable" || host.startsWith("/")) return [false];
  const own = {
    ...fileOption("cert", tls.certificate),
    ...fileOption("key", tls.key),
  };
  const unverified: ConnectionOptions = { ...own, rejectUnauthorized: false };
  if (mode === "allow" || mode === "prefer") return [unverified, false];
  const ca = rootCertificate(tls);
  if (mode === "require" && ca === undefined) return [unverified];
  const verified: ConnectionOptions = {
    ...own,
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: true,
    checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
  };
  // Without `sslrootcert` every public CA is accepted, so the host name has to match.
  if (mode === "verify-full" || ca === undefined) return [verified];
  return [{ ...verified, checkServerIdentity: () => undefined }];
}

/** Returns the named file or libpq's default file. Undefined: the certificates that Node trusts. */
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
