import type { SandboxRequest } from "../sandbox/http.ts";
import { clockTime } from "../util/time.ts";
import { visible } from "../util/visible.ts";
import type { Paint } from "./terminal.ts";

export function requestText(request: SandboxRequest, style: Paint): string {
  const { at, method, path, name, status, outcome, fault } = request;
  const good = status !== null && status < 300;
  const parts = [
    clockTime(at),
    method,
    shortened(path),
    style(good ? "green" : "red", status === null ? "no answer" : String(status)),
    ...(name === null ? [] : [shortened(name)]),
    style(
      "dim",
      `(${shortened(outcome)}${fault === undefined ? "" : `; fault ${visible(fault)}`})`,
    ),
  ];
  return `${parts.join("  ")}\n`;
}

function shortened(text: string): string {
  const shown = visible(text);
  return shown.length > 200 ? `${shown.slice(0, 199)}…` : shown;
}
