import type { Trace } from "../deploy/service.ts";
import { type Terminal, visible } from "./terminal.ts";

/** Before anything is asked of a service: which one. */
export function sayTouching(environment: string, address: string, terminal: Terminal): void {
  terminal.say(`Environment ${environment}: ${visible(address)}\n`);
}

export function sayTrace(trace: Trace, terminal: Terminal): void {
  const { method, path, key, result, milliseconds } = trace;
  const menu = key === null ? "" : ` ${visible(key)}`;
  terminal.say(
    `${terminal.style("dim", `${method} ${visible(path)}${menu}: ${result}, ${milliseconds} ms`)}\n`,
  );
}

/** The list of agents is deprecated; said where the list itself is asked for. */
export function sayDeprecated(terminal: Terminal): void {
  terminal.say(
    "The service marks its agent list as deprecated and names no replacement: keep a snapshot (`ivrctl agents pull`).\n",
  );
}
