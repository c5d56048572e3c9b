export const highestPort = 65_535;

/** Explains why the port cannot be opened. Returns undefined for any other error. */
export function whyNotListening(error: unknown, host: string, port: number): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const call = error instanceof Error && "syscall" in error ? error.syscall : undefined;
  if (call !== "listen" && call !== "getaddrinfo") return undefined;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use. Choose a different one with --port N, or use --port 0 for a free one.`;
    case "EACCES":
      return `You do not have permission to use port ${port}. Choose one above 1023 with --port N.`;
    default:
      return `Cannot listen on ${host}: it is not an address of this machine (${String(code)}).`;
  }
}
