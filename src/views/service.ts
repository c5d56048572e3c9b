import type { Audience } from "./terminal.ts";
import type { ServiceWatcher } from "../deploy/service/connect.ts";
import type { Trace } from "../deploy/service/service.ts";
import { type Terminal, visible } from "./terminal.ts";
import { wrap } from "./text.ts";

/** Prints the service that requests are sent to and, with --verbose, every request. */
export function serviceWatcher({
  globals: { verbose },
  terminal,
}: Pick<Audience, "globals" | "terminal">): ServiceWatcher {
  return {
    connected: (environment, address) => noteConnected(environment, address, terminal),
    ...(verbose && { exchanged: (trace) => sayTrace(trace, terminal) }),
  };
}

function noteConnected(environment: string, address: string, terminal: Terminal): void {
  const words = `Environment ${environment}: ${visible(address)}`;
  terminal.note(`${wrap(words, "", terminal.wordWrap)}\n`);
}

function sayTrace(trace: Trace, terminal: Terminal): void {
  const { method, path, key, result, milliseconds } = trace;
  const menu = key === null ? "" : ` ${visible(key)}`;
  terminal.say(
    `${terminal.style("dim", `${method} ${visible(path)}${menu}: ${results[result] ?? result}, ${milliseconds} ms`)}\n`,
  );
}

/** How an exchange without a status ended. */
const results: Readonly<Record<string, string>> = {
  unconnected: "no connection",
  withheld: "not sent",
  insecure: "no secure connection",
  begun: "no complete answer",
};

/** Warns that the service has deprecated its agent list. */
export function noteDeprecated(terminal: Terminal): void {
  const words =
    "The service has deprecated its agent list and names no replacement. Keep the file of the list in git, so that you have a copy.";
  terminal.note(`${wrap(words, "", terminal.wordWrap)}\n`);
}
