import { describeSystemError } from "../util/system-error.ts";
import { UsageError } from "../util/usage-error.ts";

/** The option of a command that is a server. */
export function portFlag(standard: number) {
  return {
    value: "N",
    max: 65_535,
    about: `Listen on this port (default: ${standard}); 0 chooses a free one`,
  } as const;
}

/** The error of a server that did not start. Explains why it cannot listen. */
export function startError(error: unknown, host: string, port: number): unknown {
  const call = error instanceof Error && "syscall" in error ? error.syscall : undefined;
  if (call !== "listen" && call !== "getaddrinfo") return error;
  return new UsageError(
    `Cannot listen on ${host}, port ${port}: ${describeSystemError(error)}. Choose a different port with --port N; 0 chooses a free one.`,
  );
}
