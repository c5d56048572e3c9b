import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { fromRepository } from "../../project/root.ts";
import { version } from "../../util/version.ts";
import { type Audience, type Page } from "../terminal.ts";

/** Returns diagnostics and their number as text. Empty if there are none. */
export async function diagnosticsWithTotal(
  diagnostics: readonly Diagnostic[],
  page: Page,
): Promise<string> {
  if (diagnostics.length === 0) return "";
  const { diagnosticsText, tally } = await import("./text.ts");
  return `${diagnosticsText(diagnostics, page)}${tally(diagnostics)}\n`;
}

/** Returns diagnostics in the formats that other programs read. */
export function machineFormats(
  diagnostics: readonly Diagnostic[],
  audience: Pick<Audience, "root" | "host">,
): Readonly<Record<"github" | "sarif", () => Promise<string>>> {
  return {
    async github() {
      const { diagnosticsGithub } = await import("./github.ts");
      return diagnosticsGithub(diagnostics, projectPrefix(audience));
    },
    async sarif() {
      const { diagnosticsSarif } = await import("./sarif.ts");
      return diagnosticsSarif(diagnostics, projectPrefix(audience), version);
    },
  };
}

/** The path from the root of the repository to the project; empty outside CI. */
export function projectPrefix({ root, host: { env } }: Pick<Audience, "root" | "host">): string {
  const workspace = env["GITHUB_WORKSPACE"] || env["CI_PROJECT_DIR"];
  if (workspace === undefined || workspace === "") return "";
  return fromRepository(workspace, root) ?? "";
}
