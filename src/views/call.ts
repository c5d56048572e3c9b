import { type Call, type CallEnd, type CallMenu, type Walk, aliasOrId } from "../call/model.ts";
import {
  type CallLine,
  callEndLine,
  promptLine,
  reachedJson,
  callRow,
  stepJson,
  stepLine,
  stepLines,
} from "./call-lines.ts";
import { suggest } from "../util/suggest.ts";
import type { Result } from "../cli/result.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { diagnosticsJson } from "./json.ts";
import { type Paint, type Terminal, visible } from "./terminal.ts";
import { wrap } from "./text.ts";

/** A call whose keys came from the command line, in every format. */
export function callResult(
  walk: Walk,
  environment: string,
  diagnostics: readonly Diagnostic[],
): Result {
  const { first, state: end, heard, steps } = walk;
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
          via: end.via,
          reached: reachedJson(end.destination),
          in: walk.in,
          heard: heard.map(aliasOrId),
          steps: steps.map(stepJson),
          unused: walk.unused,
        }),
    },
  };
}

/** How to see the errors that a call ended at; empty if it ended elsewhere. */
function errorHint(
  { menu, state: { destination } }: EndedCall,
  environment: string,
  command: Terminal["command"],
): string {
  if (destination.kind !== "unreachable") return "";
  const key = destination.why === "invalid-menu" ? destination.key : menu.key;
  return `To see the errors of ${visible(key)}, run:\n  ${command(suggest("validate", [key], environment))}\n`;
}

/** The JSON of a call that cannot be made. */
export function noCallJson(key: string): object {
  return { key, via: null, reached: null, in: null, heard: [], steps: [], unused: [] };
}

type EndedCall = Call & { readonly state: CallEnd };

/** Prints a call that a person makes, line by line. */
export class LiveCall {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  begin(call: Call): void {
    this.#menu(call.menu, " Type keys and Enter. Enter alone is silence, q hangs up.");
    this.#line(promptLine(call));
    this.ask();
  }

  /** Prints a menu and its keys. */
  #menu(menu: CallMenu, advice = ""): void {
    const terminal = this.#terminal;
    const keys = menu.options.map(({ key, for: purpose = "" }) => `${key} ${purpose}`.trimEnd());
    terminal.say(`${titleOf(menu, terminal.style)}\n`);
    this.#words(`Keys: ${keys.join(", ")}.${advice}`);
    terminal.say("\n");
  }

  /** Prints the last step, and how the call ended if it did. */
  step(call: Call, environment: string): void {
    const terminal = this.#terminal;
    const { state, steps } = call;
    const last = steps.at(-1);
    if (last) this.#line(stepLine(last));
    if (last?.enters) {
      terminal.say("\n");
      this.#menu(last.enters);
    }
    if (state.at !== "ended") return;
    this.#line(callEndLine({ state, steps }), (text) => terminal.style("bold", text));
    terminal.say(errorHint({ ...call, state }, environment, terminal.command));
  }

  ask(): void {
    this.#terminal.say(this.#terminal.style("dim", "  key? "));
  }

  notAKey(typed: string): void {
    this.#words(`\`${typed}\` is not a key. A phone has 0-9, * and #. Type _ for silence.`);
  }

  hangUp(): void {
    this.#terminal.say("\nYou hung up.\n");
  }

  #line(line: CallLine, look = (text: string) => text): void {
    this.#terminal.say(`${look(row(line, this.#terminal.wordWrap))}\n`);
  }

  #words(text: string): void {
    this.#terminal.say(`${wrap(visible(text), "", this.#terminal.wordWrap)}\n`);
  }
}

function titleOf({ key, name }: CallMenu, style: Paint): string {
  return `${style("bold", visible(key))}  “${visible(name)}”`;
}

/** The width of `presses 9`. It is fixed, because lines are printed one by one. */
const column = 9;

function row(line: CallLine, columns: number): string {
  return callRow(line, { lead: "  ", column, columns });
}
