import type { Client, ClientConfig } from "pg";
import type * as z from "zod/mini";
import { validate } from "../../../schema/validate.ts";
import { loadDriver } from "../load-driver.ts";
import { StoreUnavailable } from "../retry.ts";
import {
  cut,
  invalidRow,
  isReadOnly,
  databaseProblem,
  readOnly,
  standby,
  unusable,
} from "./problems.ts";
import type { DatabaseSettings } from "./settings.ts";
import type { Clock } from "../../../util/host.ts";

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
  readonly #clock: Clock;
  readonly #whenLost: (() => void)[] = [];
  #lost: StoreUnavailable | undefined;

  private constructor(
    client: Client,
    { address, statementTimeout }: DatabaseSettings,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.#client = client;
    this.#address = address;
    this.#timeout = statementTimeout;
    client.on("error", (error) => this.#break(error));
    client.on("end", () => this.#break(new Error("Connection terminated")));
  }

  /** `root` is the project folder, where the driver may be installed. */
  static async open(
    root: string,
    settings: DatabaseSettings,
    clock: Clock,
    maxWait = settings.connectTimeout,
  ): Promise<Connection> {
    const driver = loadDriver("pg", root, "A state in PostgreSQL", isDriver);
    return new Connection(await connected(driver, settings, maxWait), settings, clock);
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
    const cancel = this.#clock.after(timeout, () => {
      this.#break(Object.assign(new Error("timed out"), { code: "ETIMEDOUT" }));
      this.#client.connection.stream.destroy();
    });
    try {
      const { rows } = await this.#client.query<Record<string, unknown>>(text, [...values]);
      return rows;
    } catch (error) {
      const problem = isReadOnly(error)
        ? await this.#whyReadOnly()
        : databaseProblem(error, this.#address);
      if (problem instanceof StoreUnavailable) this.#lose(problem);
      throw problem;
    } finally {
      cancel();
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
    const cancel = this.#clock.after(2000, () => this.#client.connection.stream.destroy());
    await gone;
    cancel();
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
    const problem = databaseProblem(error, this.#address);
    this.#lose(problem instanceof StoreUnavailable ? problem : cut(this.#address));
  }

  #lose(problem: StoreUnavailable): void {
    if (this.#lost !== undefined) return;
    this.#lost = problem;
    for (const lost of this.#whenLost) lost();
  }
}

/** Connects to the database. The driver reads the URL and the PG* variables. */
async function connected(
  { Client }: Driver,
  { url, tls, address }: DatabaseSettings,
  maxWait: number,
): Promise<Client> {
  let client: Client;
  try {
    client = new Client({
      connectionString: url,
      // What the URL says about TLS takes precedence.
      ...(tls ? { ssl: true } : {}),
      fallback_application_name: "ivrctl",
      connectionTimeoutMillis: maxWait,
      keepAlive: true,
    });
  } catch (error) {
    throw unusable(address, error);
  }
  // `connect` rejects if the connection fails. Without a listener, the process would end.
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw databaseProblem(error, address);
  }
}
