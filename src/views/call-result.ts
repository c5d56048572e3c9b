import type { Call, CallEnd, Walk } from "../call/simulated-call.ts";
import {
  type CallLine,
  callEndLine,
  promptLine,
  callRow,
  stepLine,
  stepLines,
  callJson,
} from "./call-lines.ts";
import { suggest } from "../util/suggest.ts";
import type { ResultIn } from "./result.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { diagnosticsJson } from "./json.ts";
import { type Paint, type Terminal, visible } from "./terminal.ts";
import { wrap } from "./text.ts";
import type { CallMenu } from "../model/call-menu.ts";

/** A call whose keys came from the command line, in every format. */
export function callResult(
  walk: Walk,
  environment: string | undefined,
  diagnostics: readonly Diagnostic[],
): ResultIn<"text" | "json"> {
  const { first } = walk;
  const unused = visible(walk.unused.join(","));
  return {
    text: ({ style, wordWrap }) => {
      const lines = [...stepLines(walk), callEndLine(walk)];
      const rows = lines.map((line) => `${row(line, wordWrap)}\n`);
      return `${titleOf(first, style)}\n${rows.join("")}`;
    },
    notes: unused === "" ? "" : `The call ended before these keys were pressed: ${unused}\n`,
    next: ({ command }) => errorHint(walk, environment, command),
    formats: {
      json: () =>
        diagnosticsJson(diagnostics, {
          key: first.key,
          ...callJson(walk),
        }),
    },
  };
}

/** How to see the errors that a call ended at; empty if it ended elsewhere. */
function errorHint(
  { menu, state: { destination } }: EndedCall,
  environment: string | undefined,
  command: Terminal["command"],
): string {
  if (environment === undefined || destination.kind !== "unreachable") return "";
  const key = destination.why === "invalid-menu" ? destination.key : menu.key;
  return `To see the errors of ${visible(key)}, run:\n  ${command(suggest("validate", [key], environment))}\n`;
}

/** The JSON of a call that cannot be made. */
export function noCallJson(key: string): object {
  return { key, via: null, reached: null, in: null, heard: [], steps: 0, unused: [], walk: [] };
}

type EndedCall = Call & { readonly state: CallEnd };

/** The start of a call that a person makes. */
export function beginText(call: Call, terminal: Terminal): string {
  const advice = "Type keys and Enter. Enter alone is silence, q hangs up.";
  return `${menuText(call.menu, terminal, advice)}${row(promptLine(call), terminal.wordWrap)}\n`;
}

/** The last step, and how the call ended if it did. */
export function stepText(call: Call, environment: string | undefined, terminal: Terminal): string {
  const { state, steps } = call;
  const { style, wordWrap, command } = terminal;
  const last = steps.at(-1);
  const step = last ? `${row(stepLine(last), wordWrap)}\n` : "";
  const entered = last?.enters ? `\n${menuText(last.enters, terminal)}` : "";
  if (state.at !== "ended") return step + entered;
  const end = style("bold", row(callEndLine({ state, steps }), wordWrap));
  return `${step}${end}\n${errorHint({ ...call, state }, environment, command)}`;
}

export function notAKeyText(typed: string, { wordWrap }: Terminal): string {
  const words = `\`${typed}\` is not a key. A phone has 0-9, * and #. Type _ for silence.`;
  return `${wrap(visible(words), "", wordWrap)}\n`;
}

function menuText(menu: CallMenu, { style, wordWrap }: Terminal, advice = ""): string {
  const keys = menu.options.map(({ key, for: purpose = "" }) => `${key} ${purpose}`.trimEnd());
  const words = `Keys: ${keys.join(", ")}. ${advice}`.trimEnd();
  return `${titleOf(menu, style)}\n${wrap(visible(words), "", wordWrap)}\n\n`;
}

function titleOf({ key, name }: CallMenu, style: Paint): string {
  return `${style("bold", visible(key))}  “${visible(name)}”`;
}

function row(line: CallLine, columns: number): string {
  return callRow(line, "  ", columns);
}
