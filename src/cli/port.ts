export const highestPort = 65_535;

/** Why the port cannot be opened; undefined for any other error. */
export function whyNotListening(error: unknown, host: string, port: number): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const call = error instanceof Error && "syscall" in error ? error.syscall : undefined;
  if (call !== "listen" && call !== "getaddrinfo") return undefined;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use: choose another with --port N, or --port 0 for a free one.`;
    case "EACCES":
      return `Port ${port} is not for this user: choose one above 1023 with --port N.`;
    default:
      return `${host} is no address of this machine (${String(code)}).`;
  }
}
