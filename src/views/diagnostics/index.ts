import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { fromRepository } from "../../project/root.ts";
import { version } from "../../util/version.ts";
import { diagnosticsJson } from "../json.ts";
import {
  type Audience,
  type Stream,
  type Terminal,
  messageStream,
  resultStream,
} from "../terminal.ts";

/** Prints diagnostics to stdout in the requested format. */
export async function showDiagnostics(
  diagnostics: readonly Diagnostic[],
  audience: Audience,
): Promise<void> {
  const { terminal, format } = audience;
  if (format === "json") terminal.out(diagnosticsJson(diagnostics));
  else if (format === "github") {
    const { diagnosticsGithub } = await import("./github.ts");
    terminal.out(diagnosticsGithub(diagnostics, prefixOf(audience)));
  } else if (format === "sarif") {
    const { diagnosticsSarif } = await import("./sarif.ts");
    terminal.out(diagnosticsSarif(diagnostics, prefixOf(audience), version));
  } else await printInWords(diagnostics, resultStream(terminal));
}

/** Prints diagnostics as text to stderr, whatever the format of the result. */
export async function sayInWords(
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): Promise<void> {
  await printInWords(diagnostics, messageStream(terminal));
}

/** Prints diagnostics and their number as text. */
export async function printInWords(
  diagnostics: readonly Diagnostic[],
  stream: Stream,
): Promise<void> {
  if (diagnostics.length === 0) return;
  const { printDiagnostics, tally } = await import("./text.ts");
  printDiagnostics(diagnostics, stream);
  stream.write(`${tally(diagnostics)}\n`);
}

/**
 * Prints the diagnostics as text to stderr and, if the format is JSON, `content` and the diagnostics
 * to stdout. Returns whether it printed JSON.
 */
export async function showJson(
  content: object,
  diagnostics: readonly Diagnostic[],
  { format, terminal }: Pick<Audience, "format" | "terminal">,
): Promise<boolean> {
  await sayInWords(diagnostics, terminal);
  if (format === "json") terminal.out(diagnosticsJson(diagnostics, content));
  return format === "json";
}

/** The path from the root of the repository to the project; empty outside CI. */
export function prefixOf({ root, host: { env } }: Pick<Audience, "root" | "host">): string {
  const workspace = env["GITHUB_WORKSPACE"] || env["CI_PROJECT_DIR"];
  if (workspace === undefined || workspace === "") return "";
  return fromRepository(workspace, root) ?? "";
}
