import { UsageError } from "../util/usage-error.ts";

export const highestPort = 65_535;

/** A flag's value as a whole number. */
export function whole(flag: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new UsageError(`${flag} is a whole number from 0 to ${most}, not ${text}.`);
}

/** Why nothing can listen there; undefined where something else went wrong. */
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
