import { StoreUnavailable } from "../retry.ts";
import { StateProblem } from "../store.ts";
import type { Hint } from "../../../util/suggest.ts";

/** Returns an error of the driver as a `StateProblem` or `StoreUnavailable`, and any other error unchanged. */
export function databaseProblem(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || error instanceof StateProblem) return error;
  const code = "code" in error ? String(error.code) : "";
  if ("severity" in error) {
    if (/^(?:57P0[1-5]|08\w{3}|53300)$/.test(code)) {
      return unreachable(address, `the server reports: ${error.message}`);
    }
    const [what, hint] = refusals[code] ?? [`${error.message} (${code})`];
    const problem = refused(address, what, hint);
    // After a failover, a standby may be the primary.
    return code === readOnly ? new StoreUnavailable(problem) : problem;
  }
  const text = `${code} ${error.message}`;
  if (text.includes("client password must be")) {
    return refused(address, "it requires a password, but none is set", passwordHint);
  }
  const [, reason, hint] = failures.find(([pattern]) => pattern.test(text)) ?? [];
  return unreachable(address, reason ?? error.message, hint);
}

/** The problem of a URL, or of a certificate file in it, that the driver cannot read. */
export function unusable(address: string, error: unknown): StateProblem {
  const why = error instanceof Error ? error.message : String(error);
  return new StateProblem("IVR671", `${address} cannot be used: ${why}.`, "Correct `url:`.");
}

export function invalidRow(address: string, problem: string): StateProblem {
  return new StateProblem(
    "IVR603",
    `A row of the state's tables at ${address} is invalid: ${problem}.`,
    "Restore the tables from a backup.",
  );
}

export function unreachable(address: string, reason: string, hint?: string): StoreUnavailable {
  return new StoreUnavailable(
    new StateProblem("IVR671", `${address} cannot be reached: ${reason}.`, hint),
  );
}

function refused(address: string, what: string, hint?: Hint): StateProblem {
  return new StateProblem("IVR604", `${address} refused the request: ${what}.`, hint);
}

const passwordHint =
  "Check the user and the password (in the variable of `url:` or in PGPASSWORD) and the server's pg_hba.conf.";
const login = [
  "the user or the password is wrong, or this user is not allowed to connect from this machine",
  passwordHint,
] as const;

const readOnly = "25006";

/** Why a server refuses a request and what to do, by SQLSTATE. */
const refusals: Readonly<Record<string, readonly [what: string, hint: Hint]>> = {
  "28P01": login,
  "28000": login,
  "3D000": [
    "the database does not exist",
    { words: "Correct the database in `url:`, or create it:", command: "createdb NAME" },
  ],
  "42501": [
    "the user lacks a privilege on the tables of the state",
    "Grant the privileges in docs/state-backends.md, or let the owner of the schema run the command once.",
  ],
  [readOnly]: [
    "it accepts no changes, because it is a standby, or because this role may only read (default_transaction_read_only)",
    "Name the primary in `url:`, and a role that may write.",
  ],
};

const start = "Check the host and port in `url:`, and that the server is running.";

/** Why there is no answer and what to do, by the code and message of the error. */
const failures: readonly (readonly [pattern: RegExp, reason: string, hint: string])[] = [
  [/^ECONNREFUSED/, "the connection was refused", start],
  [/^ENOENT/, "the socket does not exist", start],
  [/^(?:ENOTFOUND|EAI_AGAIN)/, "the host name cannot be resolved", start],
  [/timeout|timed out/i, "it did not answer in time", start],
  [
    /certificate|self.signed|CERT_|altname|^ERR_SSL|^EPROTO/i,
    "its certificate is not trusted",
    "Use a server certificate for this host name, signed by a CA that Node trusts (NODE_EXTRA_CA_CERTS adds one) or by the one in `sslrootcert`.",
  ],
  [
    /does not support SSL/,
    "the server does not support TLS",
    "Turn on `ssl` in the server's postgresql.conf. In a network that you trust, add ?sslmode=disable to `url:`.",
  ],
];
