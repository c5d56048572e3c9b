import type { Pool } from "pg";
import type * as z from "zod/mini";
import { validate } from "../../../schema/validated.ts";
import type { Hint } from "../../../util/suggest.ts";
import { loadDriver } from "../load-driver.ts";
import { StoreUnavailable } from "../retry.ts";
import { StateProblem } from "../lock.ts";
import type { DatabaseSettings } from "./database-settings.ts";

/** Runs statements in a database. The driver connects on first use, and again if a connection was lost. */
export class Database {
  readonly address: string;
  readonly #root: string;
  readonly #settings: DatabaseSettings;
  #pool: Pool | undefined;

  /** `root` is the project folder, where the driver may be installed. */
  constructor(root: string, settings: DatabaseSettings) {
    this.address = settings.address;
    this.#root = root;
    this.#settings = settings;
  }

  /** Runs a statement, which may take `more` milliseconds longer than usual. */
  async run(
    text: string,
    values: readonly unknown[] = [],
    more = 0,
  ): Promise<readonly Record<string, unknown>[]> {
    this.#pool ??= this.#open();
    const query_timeout = this.#settings.statementTimeout + more;
    const statement = { text, values: [...values], query_timeout };
    try {
      return (await this.#pool.query<Record<string, unknown>>(statement)).rows;
    } catch (error) {
      throw databaseProblem(error, this.address);
    }
  }

  /** Returns the rows of a statement, each validated. */
  async rows<S extends z.ZodMiniType>(
    schema: S,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<readonly z.infer<S>[]> {
    return (await this.run(text, values)).map((row) => {
      const read = validate(schema, row);
      if (read.success) return read.data;
      const what = `A row of the state's tables at ${this.address} is invalid: ${read.problem}.`;
      throw new StateProblem("IVR603", what, "Restore the tables from a backup.");
    });
  }

  /** Ends the connection. It is opened again if it is needed. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.end();
  }

  #open(): Pool {
    const driver = loadDriver("pg", this.#root, "A state in PostgreSQL");
    const { url, tls, connectTimeout } = this.#settings;
    const pool = new driver.Pool({
      connectionString: url,
      // What the URL says about TLS takes precedence.
      ...(tls ? { ssl: true } : {}),
      fallback_application_name: "ivrctl",
      connectionTimeoutMillis: connectTimeout,
      idleTimeoutMillis: 0,
      keepAlive: true,
      max: 1,
      // At the end, a server that does not answer must not keep the process.
      allowExitOnIdle: true,
    });
    // An idle connection was lost. Without a listener, the process would end.
    pool.on("error", () => {});
    return pool;
  }
}

/** Returns an error of the driver as a `StateProblem` in the server's words. */
function databaseProblem(error: unknown, address: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  const hint = hints.find(([pattern]) => pattern.test(`${code} ${error.message}`))?.[1];
  const isAnswer =
    "severity" in error ? !shutdown.test(code) : /client password/.test(error.message);
  if (!isAnswer) {
    const what = `${address} cannot be reached: ${error.message}.`;
    return new StoreUnavailable("IVR671", what, hint ?? start);
  }
  const what = `${address} refused the request: ${error.message}.`;
  // After a failover, a standby may be the primary.
  return new (code === readOnly ? StoreUnavailable : StateProblem)(
    "IVR604",
    what,
    hint ?? "Fix this on the server, then run the command again.",
  );
}

/** The server stops, starts, or has no connection to spare. */
const shutdown = /^(?:57P0[1-5]|08\w{3}|53300)$/;

const readOnly = "25006";

const start = "Check the host and port in `url:`, and that the server is running.";

/** What to do, by the SQLSTATE or the code of the system, and the message. */
const hints: readonly (readonly [pattern: RegExp, hint: Hint])[] = [
  [
    /^28|client password/,
    "Check the user and the password (in the variable of `url:` or in PGPASSWORD) and the server's pg_hba.conf.",
  ],
  [/^3D000/, { words: "Correct the database in `url:`, or create it:", command: "createdb NAME" }],
  [
    /^42501/,
    "Grant the privileges that `ivrctl explain state-postgres` lists, or let the owner of the schema run the command once.",
  ],
  [new RegExp(`^${readOnly}`), "Set `url:` to the primary, with a role that may write."],
  [
    /certificate|self.signed|CERT_|altname|^ERR_SSL|^EPROTO/i,
    "Use a server certificate for this host name, signed by a CA that Node trusts (NODE_EXTRA_CA_CERTS adds one) or by the one in `sslrootcert`.",
  ],
  [
    /does not support SSL/,
    "Turn on `ssl` in the server's postgresql.conf. In a network that you trust, add ?sslmode=disable to `url:`.",
  ],
];
