import type { SandboxRequest } from "../sandbox/request.ts";
import { type Audience, type Terminal, visible } from "./terminal.ts";
import { many } from "../util/many.ts";

interface Ready {
  readonly url: string;
  /** Where the records are kept; undefined if only in memory. */
  readonly dataFile: string | undefined;
  readonly menus: number;
  readonly faults: readonly string[];
  readonly seed: number;
}

export function showReady(ready: Ready, { format, globals, terminal }: Audience): void {
  const { url, dataFile, menus, faults, seed } = ready;
  // One line, so that a script can read it while the sandbox runs.
  if (format === "json") terminal.out(`${JSON.stringify({ url, data: dataFile ?? null })}\n`);
  if (globals.quiet) return;
  const kept =
    dataFile === undefined
      ? "in memory, until it ends"
      : `${visible(dataFile)} (${many(menus, "menu")} so far)`;
  const played =
    faults.length === 0 ? "" : `  faults   ${visible(faults.join("; "))} (seed ${seed})\n`;
  terminal.say(
    `The sandbox is at ${terminal.style("bold", url)}\n  page     ${url}/\n  menus    ${kept}\n${played}  token    any: authorization: Bearer TOKEN\nCtrl-C ends it.\n`,
  );
}

export function warnReachable(host: string, terminal: Terminal): void {
  terminal.say(
    `${terminal.style("yellow", "warning")}: with --host ${visible(host)} others on the network can reach this sandbox, see its menus and create some: any token is accepted.\n`,
  );
}

export function sayRequest(request: SandboxRequest, terminal: Terminal): void {
  const { at, method, path, name, status, outcome, fault } = request;
  const good = status !== null && status < 300;
  const parts = [
    // In local time.
    new Date(at).toTimeString().slice(0, 8),
    method,
    cleaned(path),
    terminal.style(good ? "green" : "red", status === null ? "no answer" : String(status)),
    ...(name === null ? [] : [cleaned(name)]),
    terminal.style("dim", `(${cleaned(outcome)}${fault === null ? "" : `; fault: ${fault}`})`),
  ];
  terminal.say(`${parts.join("  ")}\n`);
}

export function sayNotStarted(message: string, terminal: Terminal): void {
  terminal.say(`ivrctl: ${visible(message)}\n`);
}

export function sayEnded(terminal: Terminal): void {
  terminal.say("The sandbox has ended.\n");
}

function cleaned(text: string): string {
  const shown = visible(text);
  return shown.length > 200 ? `${shown.slice(0, 199)}…` : shown;
}
