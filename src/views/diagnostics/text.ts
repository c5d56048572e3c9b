import type { Diagnostic, Severity } from "../../diagnostics/diagnostic.ts";
import { type Terminal, visible } from "../terminal.ts";
import { wrap } from "../wrap.ts";
import { type Framer, loadFramer } from "./frame.ts";
import { placeOf } from "./place.ts";
import { titleOf } from "./title.ts";

const styles = { error: "red", warning: "yellow", info: "cyan" } as const;

/** Each with its source line, and a caret under the very characters at fault. */
export async function sayDiagnostics(
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): Promise<void> {
  const framer = await loadFramer(diagnostics);
  for (const diagnostic of diagnostics) terminal.say(`${render(diagnostic, terminal, framer)}\n`);
}

/** "2 errors, 1 warning"; nothing where there is nothing. */
export function tally(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Severity, word: string) => {
    const number = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return number === 0 ? [] : [`${number} ${word}${number === 1 ? "" : "s"}`];
  };
  return [
    ...count("error", "error"),
    ...count("warning", "warning"),
    ...count("info", "note"),
  ].join(", ");
}

function render(diagnostic: Diagnostic, terminal: Terminal, frameOf: Framer): string {
  const { severity, message, line, hint } = diagnostic;
  const style = styles[severity];
  const margin = " ".repeat(String(line).length);
  const dim = (text: string) => terminal.style("dim", text);
  const head = `${severity}[${visible(titleOf(diagnostic))}]: `;
  const words = wrap(visible(message), "", terminal.wordWrap, head.length);
  const rows = [
    `${terminal.style(["bold", style], head.trimEnd())} ${words}`,
    `${margin}${dim("-->")} ${visible(placeOf(diagnostic))}`,
  ];
  const frame = frameOf(diagnostic, Math.max(terminal.columns - margin.length - 3, 20));
  if (frame !== undefined) {
    rows.push(
      `${dim(`${line} |`)} ${frame.line}`,
      `${dim(`${margin} |`)} ${frame.indent}${terminal.style(style, frame.carets)}`,
    );
  }
  if (hint !== undefined) {
    const advice = wrap(visible(hint), `${margin}   `, terminal.wordWrap).trimStart();
    rows.push(`${margin} ${dim("=")} ${advice}`);
  }
  return `${rows.join("\n")}\n`;
}
