import type { SandboxRequest } from "../sandbox/http.ts";
import { type Paint, visible } from "./terminal.ts";
import { clockTime } from "../util/time.ts";
import { many } from "../util/many.ts";

interface Ready {
  /** The file that menus are stored in; undefined if they are only in memory. */
  readonly dataFile: string | undefined;
  readonly menus: number;
  readonly operations: readonly string[];
  readonly faults: readonly string[];
}

/** How to use the sandbox that has started. */
export function readyText(ready: Ready): string {
  const { dataFile, menus, operations, faults } = ready;
  const stored =
    dataFile === undefined
      ? "only in memory; they are lost when the sandbox stops"
      : `${visible(dataFile)} (${many(menus, "menu")})`;
  const simulated = faults.length === 0 ? "" : `  faults   ${visible(faults.join("; "))}\n`;
  const offered = operations.length === 0 ? "" : `  offers   ${operations.join(", ")}\n`;
  return `The sandbox is running, and has a page at this address.\n  menus    ${stored}\n${offered}${simulated}  token    any, in the header authorization: Bearer TOKEN\nPress Ctrl-C to stop it.\n`;
}

export function reachableText(host: string, style: Paint): string {
  return `${style("yellow", "warning")}: with --host ${visible(host)}, others on your network can open this sandbox and create menus in it. It accepts any token.\n`;
}

/** A line of the request log. */
export function requestText(request: SandboxRequest, style: Paint): string {
  const { at, method, path, name, status, outcome, fault } = request;
  const good = status !== null && status < 300;
  const parts = [
    clockTime(at),
    method,
    cleaned(path),
    style(good ? "green" : "red", status === null ? "no answer" : String(status)),
    ...(name === null ? [] : [cleaned(name)]),
    style("dim", `(${cleaned(outcome)}${fault === null ? "" : `; fault ${visible(fault)}`})`),
  ];
  return `${parts.join("  ")}\n`;
}

function cleaned(text: string): string {
  const shown = visible(text);
  return shown.length > 200 ? `${shown.slice(0, 199)}…` : shown;
}
