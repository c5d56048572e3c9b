import type { Audience } from "../audience.ts";
import { relative, sep } from "node:path";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { version } from "../../util/version.ts";
import type { Terminal } from "../terminal.ts";

/**
 * In the format asked for: machine formats as the result, text to the person.
 * `beside` is what JSON tells beside them.
 */
export async function showDiagnostics(
  diagnostics: readonly Diagnostic[],
  audience: Audience,
  beside: object = {},
): Promise<void> {
  const { terminal, format } = audience;
  switch (format) {
    case "json":
      terminal.out((await import("./json.ts")).diagnosticsJson(diagnostics, beside));
      break;
    case "github":
      terminal.out(
        (await import("./github.ts")).diagnosticsGithub(diagnostics, prefixOf(audience)),
      );
      break;
    case "sarif":
      terminal.out(
        (await import("./sarif.ts")).diagnosticsSarif(diagnostics, prefixOf(audience), version),
      );
      break;
    default:
      await sayInWords(diagnostics, terminal);
  }
}

/** For a person, whatever format the result has. */
export async function sayInWords(
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
): Promise<void> {
  if (diagnostics.length === 0) return;
  const { sayDiagnostics, tally } = await import("./text.ts");
  await sayDiagnostics(diagnostics, terminal);
  terminal.say(`${tally(diagnostics)}\n`);
}

/** From the repository's root, where the forge says what that is, to the project's. */
export function prefixOf({ root, variables }: Pick<Audience, "root" | "variables">): string {
  const workspace = variables["GITHUB_WORKSPACE"] || variables["CI_PROJECT_DIR"];
  if (workspace === undefined || workspace === "") return "";
  const path = relative(workspace, root).split(sep).join("/");
  return path === "" || path.startsWith("..") ? "" : `${path}/`;
}
