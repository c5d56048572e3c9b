import type { SandboxRequest } from "../sandbox/request.ts";
import { type Audience, type Terminal, visible } from "./terminal.ts";
import { clockTime } from "../util/time.ts";
import { many } from "../util/many.ts";

interface Ready {
  readonly url: string;
  /** The file that menus are stored in; undefined if they are only in memory. */
  readonly dataFile: string | undefined;
  readonly menus: number;
  readonly operations: readonly string[];
  readonly faults: readonly string[];
  readonly seed: number;
}

export function showReady(ready: Ready, { globals, terminal }: Audience): void {
  const { url, dataFile, menus, operations, faults, seed } = ready;
  terminal.out(`${url}\n`);
  if (globals.quiet) return;
  const stored =
    dataFile === undefined
      ? "only in memory; they are lost when the sandbox stops"
      : `${visible(dataFile)} (${many(menus, "menu")})`;
  const simulated =
    faults.length === 0 ? "" : `  faults   ${visible(faults.join("; "))} (seed ${seed})\n`;
  const offered = operations.length === 0 ? "" : `  offers   ${operations.join(", ")}\n`;
  terminal.say(
    `The sandbox is running, and has a page at this address.\n  menus    ${stored}\n${offered}${simulated}  token    any, in the header authorization: Bearer TOKEN\nPress Ctrl-C to stop it.\n`,
  );
}

export function warnReachable(host: string, terminal: Terminal): void {
  terminal.say(
    `${terminal.style("yellow", "warning")}: with --host ${visible(host)}, others on your network can open this sandbox and create menus in it. It accepts any token.\n`,
  );
}

/** Prints a line of the request log. */
export function sayRequest(request: SandboxRequest, terminal: Terminal): void {
  const { at, method, path, name, status, outcome, fault } = request;
  const good = status !== null && status < 300;
  const parts = [
    clockTime(at),
    method,
    cleaned(path),
    terminal.style(good ? "green" : "red", status === null ? "no answer" : String(status)),
    ...(name === null ? [] : [cleaned(name)]),
    terminal.style(
      "dim",
      `(${cleaned(outcome)}${fault === null ? "" : `; simulated fault: ${fault}`})`,
    ),
  ];
  terminal.say(`${parts.join("  ")}\n`);
}

export function sayNotStarted(message: string, terminal: Terminal): void {
  terminal.say(`ivrctl: ${visible(message)}\n`);
}

export function sayEnded(terminal: Terminal): void {
  terminal.say("The sandbox has stopped.\n");
}

function cleaned(text: string): string {
  const shown = visible(text);
  return shown.length > 200 ? `${shown.slice(0, 199)}…` : shown;
}
