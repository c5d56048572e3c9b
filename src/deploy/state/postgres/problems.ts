import { StoreUnavailable } from "../retry.ts";
import { StateProblem } from "../store.ts";
import type { Hint } from "../../../util/suggest.ts";

/** Returns an error of the driver as a `StateProblem` in the server's words, and any other error unchanged. */
export function databaseProblem(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || error instanceof StateProblem) return error;
  const code = "code" in error ? String(error.code) : "";
  const known = hints.find(([pattern]) => pattern.test(`${code} ${error.message}`))?.[1];
  const isAnswer =
    "severity" in error ? !shutdown.test(code) : /client password/.test(error.message);
  if (!isAnswer) return unreachable(address, error.message, known ?? start);
  const what = `${address} refused the request: ${error.message}.`;
  // After a failover, a standby may be the primary.
  return new (code === readOnly ? StoreUnavailable : StateProblem)("IVR604", what, known);
}

export function unreachable(address: string, reason: string, hint?: Hint): StoreUnavailable {
  return new StoreUnavailable("IVR671", `${address} cannot be reached: ${reason}.`, hint);
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
    "Grant the privileges in docs/state-backends.md, or let the owner of the schema run the command once.",
  ],
  [new RegExp(`^${readOnly}`), "Name the primary in `url:`, and a role that may write."],
  [
    /certificate|self.signed|CERT_|altname|^ERR_SSL|^EPROTO/i,
    "Use a server certificate for this host name, signed by a CA that Node trusts (NODE_EXTRA_CA_CERTS adds one) or by the one in `sslrootcert`.",
  ],
  [
    /does not support SSL/,
    "Turn on `ssl` in the server's postgresql.conf. In a network that you trust, add ?sslmode=disable to `url:`.",
  ],
];
