import type { Client, ClientConfig } from "pg";
import type * as z from "zod/mini";
import { validate } from "../../../schema/validate.ts";
import type { Clock } from "../../../util/host.ts";
import { loadDriver } from "../load-driver.ts";
import { StoreUnavailable } from "../retry.ts";
import { StateProblem } from "../store.ts";
import { databaseProblem, unreachable } from "./problems.ts";
import type { DatabaseSettings } from "./settings.ts";

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
  readonly #settings: DatabaseSettings;
  readonly #clock: Clock;
  /** Called when the connection is lost, but not after `end`. */
  whenLost: (() => void) | undefined;
  #lost: StoreUnavailable | undefined;

  private constructor(client: Client, settings: DatabaseSettings, clock: Clock) {
    this.#client = client;
    this.#settings = settings;
    this.#clock = clock;
    client.on("error", (error) => this.#break(error));
    client.on("end", () => this.#break(new Error("the connection was cut")));
  }

  /** Connects to the database. `root` is the project folder, where the driver may be installed. */
  static async open(root: string, settings: DatabaseSettings, clock: Clock): Promise<Connection> {
    const { Client } = loadDriver("pg", root, "A state in PostgreSQL", isDriver);
    const client = clientFor(Client, settings);
    // `connect` rejects if the connection fails. Without a listener, the process would end.
    client.on("error", () => {});
    try {
      await client.connect();
    } catch (error) {
      await client.end().catch(() => {});
      throw databaseProblem(error, settings.address);
    }
    return new Connection(client, settings, clock);
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Runs a statement. After `timeout` milliseconds without an answer, the connection counts as lost. */
  async run(
    text: string,
    values: readonly unknown[] = [],
    timeout = this.#settings.statementTimeout,
  ): Promise<readonly unknown[]> {
    if (this.#lost !== undefined) throw this.#lost;
    const cancel = this.#clock.after(timeout, () => {
      this.#break(new Error("timed out"));
      this.#client.connection.stream.destroy();
    });
    try {
      const { rows } = await this.#client.query<Record<string, unknown>>(text, [...values]);
      return rows;
    } catch (error) {
      const problem = databaseProblem(error, this.#settings.address);
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
  ): Promise<readonly z.infer<S>[]> {
    return (await this.run(text, values)).map((row) => {
      const found = validate(schema, row);
      if (found.success) return found.data;
      const what = `A row of the state's tables at ${this.#settings.address} is invalid: ${found.problem}.`;
      throw new StateProblem("IVR603", what, "Restore the tables from a backup.");
    });
  }

  /** Ends the connection. Never rejects. */
  async end(): Promise<void> {
    this.whenLost = undefined;
    if (this.isLost) return;
    const gone = this.#client.end().catch(() => {});
    const cancel = this.#clock.after(2000, () => this.#client.connection.stream.destroy());
    await gone;
    cancel();
  }

  #break(error: Error): void {
    this.#lose(unreachable(this.#settings.address, error.message));
  }

  #lose(problem: StoreUnavailable): void {
    if (this.#lost !== undefined) return;
    this.#lost = problem;
    this.whenLost?.();
  }
}

/** The driver reads the URL and the PG* variables. */
function clientFor(Client: Driver["Client"], settings: DatabaseSettings): Client {
  const { url, tls, address, connectTimeout } = settings;
  try {
    return new Client({
      connectionString: url,
      // What the URL says about TLS takes precedence.
      ...(tls ? { ssl: true } : {}),
      fallback_application_name: "ivrctl",
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
    });
  } catch (error) {
    // The URL, or a certificate file in it.
    const what = `${address} cannot be used: ${error instanceof Error ? error.message : String(error)}.`;
    throw new StateProblem("IVR671", what, "Correct `url:`.");
  }
}
