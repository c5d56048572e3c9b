import {
  type CallMenu,
  type CallRecording,
  type CallEnd,
  type Step,
  type Walk,
  aliasOrId,
} from "../call/model.ts";
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
import { type Terminal, visible } from "./terminal.ts";
import { wrap } from "./text.ts";

/** A call whose keys came from the command line, in every format. */
export function callResult(
  { key, name }: CallMenu,
  walk: Walk,
  environment: string,
  diagnostics: readonly Diagnostic[],
): Result {
  const { end, heard, steps } = walk;
  const unused = visible(walk.unused.join(","));
  return {
    text: ({ style, wordWrap }) => {
      const lines = [...stepLines(walk), callEndLine(walk)];
      const rows = lines.map((line) => `${row(line, wordWrap)}\n`);
      return `${style("bold", visible(key))}  “${visible(name)}”\n${rows.join("")}`;
    },
    notes: unused === "" ? "" : `The call ended before these keys were pressed: ${unused}\n`,
    next: ({ command }) => errorHint(end, walk.in, environment, command),
    formats: {
      json: () =>
        diagnosticsJson(diagnostics, {
          key,
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
  { destination }: CallEnd,
  inMenu: string,
  environment: string,
  command: Terminal["command"],
): string {
  if (destination.kind !== "unreachable") return "";
  const key = destination.why === "invalid-menu" ? destination.key : inMenu;
  return `To see the errors of ${visible(key)}, run:\n  ${command(suggest("validate", [key], environment))}\n`;
}

/** The JSON of a call that cannot be made. */
export function noCallJson(key: string): object {
  return { key, via: null, reached: null, in: null, heard: [], steps: [], unused: [] };
}

/** A call that a person makes, printed line by line. */
export class LiveCall {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  begin(menu: CallMenu, heard: readonly CallRecording[]): void {
    this.#menu(menu, "Type keys and Enter. Enter alone is silence, q hangs up.");
    this.#line(promptLine(heard));
    this.ask();
  }

  /** Prints a menu and its keys. */
  #menu(menu: CallMenu, advice: string): void {
    const terminal = this.#terminal;
    const keys = menu.options.map(({ key, for: purpose }) =>
      purpose === undefined ? key : `${key} ${purpose}`,
    );
    terminal.say(`${terminal.style("bold", visible(menu.key))}  “${visible(menu.name)}”\n`);
    this.#words(`Keys: ${keys.join(", ")}. ${advice}`.trimEnd());
    terminal.say("\n");
  }

  step(step: Step): void {
    this.#line(stepLine(step));
    if (step.enters) {
      this.#terminal.say("\n");
      this.#menu(step.enters, "");
    }
  }

  ask(): void {
    this.#terminal.say(this.#terminal.style("dim", "  key? "));
  }

  notAKey(typed: string): void {
    this.#words(`\`${typed}\` is not a key. A phone has 0-9, * and #. Type _ for silence.`);
  }

  end(end: CallEnd, steps: readonly Step[], environment: string): void {
    this.#line(callEndLine({ end, steps }), true);
    this.#terminal.say(errorHint(end, steps.at(-1)?.in ?? "", environment, this.#terminal.command));
  }

  hangUp(): void {
    this.#terminal.say("\nYou hung up.\n");
  }

  #line(line: CallLine, last = false): void {
    const { style, wordWrap } = this.#terminal;
    const text = row(line, wordWrap);
    this.#terminal.say(`${last ? style("bold", text) : text}\n`);
  }

  #words(text: string): void {
    this.#terminal.say(`${wrap(visible(text), "", this.#terminal.wordWrap)}\n`);
  }
}

/** The width of `presses 9`. It is fixed, because lines are printed one by one. */
const column = 9;

function row(line: CallLine, columns: number): string {
  return callRow(line, { lead: "  ", column, columns });
}
