const trustCodes =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERROR_IN_C|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH_EXCEEDED|UNSPECIFIED|EPROTO)/;

/** Whether TLS failed, for example because of the certificate. */
export function isTlsError(error: unknown): boolean {
  return codesOf(error).some((code) => trustCodes.test(code));
}

const unknownAuthority = "the certificate authority is unknown";

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection closed",
  ENOTFOUND: "unknown host name",
  EAI_AGAIN: "DNS lookup failed",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "timed out",
  UND_ERR_CONNECT_TIMEOUT: "timed out",
  UND_ERR_SOCKET: "the server closed the connection",
  // undici asserts that no answer switches to a different protocol.
  ERR_ASSERTION: "the server did not follow the HTTP protocol",
  CERT_HAS_EXPIRED: "the certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for a different host name",
  EPROTO: "the server does not use TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not use TLS",
};

const closedCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** Whether the server closed an open connection. */
export function isClosed(error: unknown): boolean {
  return codesOf(error).some((code) => closedCodes.has(code));
}

/** The cause of a failed connection, with the code that people search for. */
export function reason(error: unknown): string {
  const codes = codesOf(error);
  const knownCode = codes.find((code) => reasons[code] !== undefined);
  const words = knownCode === undefined ? undefined : reasons[knownCode];
  if (words !== undefined) return `${words} (${knownCode})`;
  return error instanceof Error ? error.message : String(error);
}

function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const codes = "code" in error && typeof error.code === "string" ? [error.code] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : [];
  return [...codes, ...inner, ...codesOf(error.cause)];
}
