import { UsageError } from "../util/usage-error.ts";

const highestPort = 65_535;

/** The value of `--port`. */
export function portNumber(given: string): number {
  const port = Number(given);
  if (/^\d+$/.test(given) && port <= highestPort) return port;
  throw new UsageError(
    `\`--port\` must be a whole number from 0 to ${highestPort}, not \`${given}\`.`,
  );
}

/** The error of a server that did not start. Explains why a port cannot be opened. */
export function startError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const call = error instanceof Error && "syscall" in error ? error.syscall : undefined;
  if (call !== "listen" && call !== "getaddrinfo") return error;
  switch (code) {
    case "EADDRINUSE":
      return new UsageError(
        `Port ${port} on ${host} is in use. Choose a different one with --port N, or use --port 0 for a free one.`,
      );
    case "EACCES":
      return new UsageError(
        `You do not have permission to use port ${port}. Choose one above 1023 with --port N.`,
      );
    default:
      return new UsageError(
        `Cannot listen on ${host}: it is not an address of this machine (${String(code)}).`,
      );
  }
}
