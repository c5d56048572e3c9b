import { describeSystemError } from "../util/system-error.ts";
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

/** The error of a server that did not start. Explains why it cannot listen. */
export function startError(error: unknown, host: string, port: number): unknown {
  const call = error instanceof Error && "syscall" in error ? error.syscall : undefined;
  if (call !== "listen" && call !== "getaddrinfo") return error;
  return new UsageError(
    `Cannot listen on ${host}, port ${port}: ${describeSystemError(error)}. Choose a different port with --port N; 0 chooses a free one.`,
  );
}
