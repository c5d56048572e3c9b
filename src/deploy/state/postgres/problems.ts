import { ConnectionLost } from "../persist.ts";
import { StateProblem } from "../store.ts";

/** Turns an error that the driver threw into a message. Returns bugs as they are. */
export function problemOf(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || error instanceof StateProblem) return error;
  const code = "code" in error ? String(error.code) : "";
  const refusal = refusals[code];
  if (refusal !== undefined) return refused(address, refusal);
  if (/^(?:57P0[1-5]|08\w{3}|53300)$/.test(code)) {
    return unreachable(address, `the server says: ${error.message}`);
  }
  if (/^[0-9A-Z]{5}$/.test(code) && "severity" in error) {
    return new StateProblem("IVR672", `${address} refuses: ${error.message} (${code}).`);
  }
  const why = networkReason(error, code);
  return why === undefined ? error : unreachable(address, why.reason, why.hint);
}

export function noPassword(address: string): StateProblem {
  return refused(address, { ...password, what: "it asks for a password, and there is none" });
}

export function invalidRow(address: string, problem: string): StateProblem {
  return new StateProblem(
    "IVR603",
    `A row of the state's tables at ${address} is invalid: ${problem}.`,
    "Restore the tables from a backup.",
  );
}

export function cut(address: string): ConnectionLost {
  return unreachable(address, "the connection was cut");
}

/** Whether a change was refused: by a standby, or by a primary where this role may only read. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "25006";
}

/** In a fail-over it may be the primary a moment later. */
export function standby(address: string): ConnectionLost {
  return new ConnectionLost(refused(address, readsOnly));
}

/** Another host in `url:` may take changes. */
export function readOnly(address: string, role: string, database: string): ConnectionLost {
  const allow = `ALTER ROLE ${role} IN DATABASE ${database} SET default_transaction_read_only = off;`;
  return new ConnectionLost(
    refused(address, {
      what: `it is no standby, but takes no changes from the role ${role}, for which default_transaction_read_only is on`,
      hint: `Name another role in \`url:\`, take the setting out of PGOPTIONS, or let this role write: ${allow}`,
    }),
  );
}

function unreachable(address: string, reason: string, hint?: string): ConnectionLost {
  return new ConnectionLost(
    new StateProblem("IVR671", `${address} cannot be reached: ${reason}.`, hint),
  );
}

interface Refusal {
  readonly what: string;
  readonly hint: string;
}

function refused(address: string, { what, hint }: Refusal): StateProblem {
  return new StateProblem("IVR672", `${address} refuses: ${what}.`, hint);
}

const password: Refusal = {
  what: "the user or the password is wrong, or that user may not connect from here",
  hint: "Check the user and the password in the variable of `url:`, in PGPASSWORD or in the password file, and the server's pg_hba.conf.",
};

const readsOnly: Refusal = {
  what: "it is a standby, which takes no changes",
  hint: "Name the primary in `url:`; with several hosts, add target_session_attrs=read-write.",
};

/** By SQLSTATE. */
const refusals: Readonly<Record<string, Refusal>> = {
  "28P01": password,
  "28000": password,
  "3D000": {
    what: "there is no such database",
    hint: "Correct the database in `url:`, or make it: createdb NAME",
  },
  "42501": {
    what: "the user lacks a privilege on the tables of the state",
    hint: "Grant what docs/state.md lists (again after an upgrade of ivrctl), or let the owner of the schema run the command once.",
  },
  "53100": { what: "its disk is full", hint: "Make room on the server, then run it again." },
  "55P03": {
    what: "somebody else keeps a row of the state locked",
    hint: "Look for a session that was left open in a transaction: SELECT * FROM pg_stat_activity",
  },
};

interface Why {
  readonly reason: string;
  readonly hint?: string;
}

const certificateHint =
  "The server's certificate has to be signed by a CA in `sslrootcert`, and with sslmode=verify-full be made for the host's name.";

function networkReason(error: Error, code: string): Why | undefined {
  const known = network[code];
  if (known !== undefined) return known;
  if (/certificate|self.signed|CERT_|altname/i.test(`${code} ${error.message}`)) {
    return {
      reason: `its certificate is not accepted (${code || error.message})`,
      hint: certificateHint,
    };
  }
  if (code.startsWith("ERR_SSL") || code === "EPROTO") {
    return { reason: "the TLS handshake failed", hint: certificateHint };
  }
  if (error.message.includes("does not support SSL")) {
    return {
      reason: "the server speaks no TLS, and sslmode asks for it",
      hint: "Switch `ssl` on in the server's postgresql.conf; on this machine alone, sslmode=disable will do.",
    };
  }
  if (/timeout|timed out/i.test(error.message)) return { reason: "no answer in time" };
  if (/terminated|Connection ended|not queryable|closed/i.test(error.message)) {
    return { reason: "the connection was cut" };
  }
  return undefined;
}

const start = "Check host and port in `url:`, and whether the server runs.";

const network: Readonly<Record<string, Why>> = {
  ECONNREFUSED: { reason: "the connection was refused", hint: start },
  ENOENT: { reason: "there is no such socket", hint: start },
  ENOTFOUND: { reason: "there is no host of that name", hint: start },
  EAI_AGAIN: { reason: "the host's name cannot be looked up now", hint: start },
  EHOSTUNREACH: { reason: "there is no way to the host", hint: start },
  ENETUNREACH: { reason: "there is no way to the host", hint: start },
  ETIMEDOUT: { reason: "no answer in time", hint: start },
  ECONNRESET: { reason: "the connection was cut" },
  EPIPE: { reason: "the connection was cut" },
};
