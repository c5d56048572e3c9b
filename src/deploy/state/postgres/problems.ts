import { StoreUnavailable } from "../retry.ts";
import { StateProblem } from "../store.ts";
import type { Hint } from "../../../util/suggest.ts";

/** Returns an error of the driver as a `StateProblem` or `StoreUnavailable`, and any other error unchanged. */
export function databaseProblem(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || error instanceof StateProblem) return error;
  const code = "code" in error ? String(error.code) : "";
  const refusal = refusals[code];
  if (refusal !== undefined) return refused(address, refusal);
  if (/^(?:57P0[1-5]|08\w{3}|53300)$/.test(code)) {
    return unreachable(address, `the server reports: ${error.message}`);
  }
  if (/^[0-9A-Z]{5}$/.test(code) && "severity" in error) {
    return new StateProblem(
      "IVR604",
      `${address} refused the request: ${error.message} (${code}).`,
    );
  }
  if (error.message.includes("client password must be")) {
    return refused(address, { ...password, what: "it requires a password, but none is set" });
  }
  const why = networkReason(error, code);
  return why === undefined ? error : unreachable(address, why.reason, why.hint);
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

export function cut(address: string): StoreUnavailable {
  return unreachable(address, "the connection was cut");
}

/** Whether a change was refused by a standby, or by a primary where this role may only read. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "25006";
}

/** The problem of a standby. After a failover it may be the primary, so a later attempt may succeed. */
export function standby(address: string): StoreUnavailable {
  return new StoreUnavailable(refused(address, readsOnly));
}

/** The problem of a role that may only read. */
export function readOnly(address: string, role: string, database: string): StoreUnavailable {
  const allow = `ALTER ROLE ${role} IN DATABASE ${database} SET default_transaction_read_only = off;`;
  return new StoreUnavailable(
    refused(address, {
      what: `the role ${role} has read-only access here (default_transaction_read_only is on)`,
      hint: {
        words:
          "Name a different role in `url:`, remove the setting from PGOPTIONS, or let this role write:",
        command: allow,
      },
    }),
  );
}

function unreachable(address: string, reason: string, hint?: string): StoreUnavailable {
  return new StoreUnavailable(
    new StateProblem("IVR671", `${address} cannot be reached: ${reason}.`, hint),
  );
}

interface Refusal {
  readonly what: string;
  readonly hint: Hint;
}

function refused(address: string, { what, hint }: Refusal): StateProblem {
  return new StateProblem("IVR604", `${address} refused the request: ${what}.`, hint);
}

const password: Refusal = {
  what: "the user or the password is wrong, or this user is not allowed to connect from this machine",
  hint: "Check the user and the password (in the variable of `url:` or in PGPASSWORD) and the server's pg_hba.conf.",
};

const readsOnly: Refusal = {
  what: "it is a standby, which accepts no changes",
  hint: "Name the primary in `url:`.",
};

/** The reasons for a refusal, by SQLSTATE. */
const refusals: Readonly<Record<string, Refusal>> = {
  "28P01": password,
  "28000": password,
  "3D000": {
    what: "the database does not exist",
    hint: { words: "Correct the database in `url:`, or create it:", command: "createdb NAME" },
  },
  "42501": {
    what: "the user lacks a privilege on the tables of the state",
    hint: "Grant the privileges in docs/state-backends.md, or let the owner of the schema run the command once.",
  },
  "53100": {
    what: "its disk is full",
    hint: "Free space on the server, then run the command again.",
  },
  "55P03": {
    what: "another session holds a lock on a row of the state",
    hint: "Look for a session with an open transaction: SELECT * FROM pg_stat_activity",
  },
};

interface Why {
  readonly reason: string;
  readonly hint?: string;
}

const certificateHint =
  "Use a server certificate for this host name, signed by a CA that Node trusts (NODE_EXTRA_CA_CERTS adds one) or by the one in `sslrootcert`.";

function networkReason(error: Error, code: string): Why | undefined {
  const known = network[code];
  if (known !== undefined) return known;
  if (/certificate|self.signed|CERT_|altname/i.test(`${code} ${error.message}`)) {
    return {
      reason: `its certificate is not trusted (${code || error.message})`,
      hint: certificateHint,
    };
  }
  if (code.startsWith("ERR_SSL") || code === "EPROTO") {
    return { reason: "the TLS handshake failed", hint: certificateHint };
  }
  if (error.message.includes("does not support SSL")) {
    return {
      reason: "the server does not support TLS",
      hint: "Turn on `ssl` in the server's postgresql.conf. In a network that you trust, add ?sslmode=disable to `url:`.",
    };
  }
  if (/timeout|timed out/i.test(error.message)) return { reason: "it did not answer in time" };
  if (/terminated|Connection ended|not queryable|closed/i.test(error.message)) {
    return { reason: "the connection was cut" };
  }
  return undefined;
}

const start = "Check the host and port in `url:`, and that the server is running.";

const network: Readonly<Record<string, Why>> = {
  ECONNREFUSED: { reason: "the connection was refused", hint: start },
  ENOENT: { reason: "the socket does not exist", hint: start },
  ENOTFOUND: { reason: "the host name is unknown", hint: start },
  EAI_AGAIN: { reason: "the host name cannot be resolved at the moment", hint: start },
  EHOSTUNREACH: { reason: "there is no route to the host", hint: start },
  ENETUNREACH: { reason: "there is no route to the host", hint: start },
  ETIMEDOUT: { reason: "it did not answer in time", hint: start },
  ECONNRESET: { reason: "the connection was cut" },
  EPIPE: { reason: "the connection was cut" },
};
