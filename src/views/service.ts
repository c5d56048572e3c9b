import type { Trace } from "../deploy/service/service.ts";
import { describeLock } from "../deploy/state/describe-lock.ts";
import type { Lock } from "../deploy/state/store.ts";
import { type Audience, type Terminal, visible } from "./terminal.ts";
import { wrap } from "./text.ts";

/** Names the service before the first request. */
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

/** Says who holds the lock, and how long ivrctl waits for it at most. */
export function sayLockWaitedFor(
  environment: string,
  lock: Lock,
  seconds: number,
  { globals, terminal }: Pick<Audience, "globals" | "terminal">,
): void {
  if (globals.quiet) return;
  const who = visible(describeLock(lock));
  terminal.say(
    `The state of ${environment} is locked by ${who}. It is waited for, up to ${seconds} s.\n`,
  );
}
