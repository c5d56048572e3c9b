import { type Audience, type Terminal, visible } from "./terminal.ts";
import type { ServiceWatcher } from "../deploy/service/connect.ts";
import type { Trace } from "../deploy/service/http-service.ts";
import { wrap } from "./text.ts";

/** Prints the service that requests are sent to and, with --verbose, every request. */
export function serviceWatcher({
  globals: { verbose },
  terminal,
}: Pick<Audience, "globals" | "terminal">): ServiceWatcher {
  return {
    connected(environment, address) {
      const words = `Environment ${environment}: ${visible(address)}`;
      terminal.note(`${wrap(words, "", terminal.wordWrap)}\n`);
    },
    ...(verbose && { exchanged: (trace) => sayTrace(trace, terminal) }),
  };
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
