import type { Trace } from "../deploy/service/service.ts";
import { type Terminal, visible } from "./terminal.ts";
import { wrap } from "./text.ts";

/** Before anything is asked of a service: which one. */
export function sayTouching(environment: string, address: string, terminal: Terminal): void {
  const words = `Environment ${environment}: ${visible(address)}`;
  terminal.say(`${wrap(words, "", terminal.wordWrap)}\n`);
}

export function sayTrace(trace: Trace, terminal: Terminal): void {
  const { method, path, key, result, milliseconds } = trace;
  const menu = key === null ? "" : ` ${visible(key)}`;
  terminal.say(
    `${terminal.style("dim", `${method} ${visible(path)}${menu}: ${result}, ${milliseconds} ms`)}\n`,
  );
}

/** The endpoint for agents is deprecated; commands that are about the agent list say so. */
export function sayDeprecated(terminal: Terminal): void {
  const words =
    "The service marks its agent list as deprecated and names no replacement: keep a snapshot (`ivrctl agents pull`).";
  terminal.say(`${wrap(words, "", terminal.wordWrap)}\n`);
}
