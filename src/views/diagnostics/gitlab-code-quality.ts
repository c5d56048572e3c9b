import { createHash } from "node:crypto";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";

const severities = { error: "major", warning: "minor", info: "info" } as const;

/**
 * The diagnostics as a code quality report, which GitLab shows at the changed lines. `prefix` is
 * the path from the root of the repository to the project.
 */
export function diagnosticsGitlab(diagnostics: readonly Diagnostic[], prefix: string): string {
  const seen = new Map<string, number>();
  const report = diagnostics.map(({ code, message, file, line, severity }) => {
    const words = `${code}: ${message}`;
    const count = seen.get(file + words) ?? 0;
    seen.set(file + words, count + 1);
    return {
      description: words,
      check_name: code,
      // Does not contain the line, so that it stays the same when lines move.
      fingerprint: createHash("sha256").update(`${file}\n${words}\n${count}`).digest("hex"),
      severity: severities[severity],
      location: { path: prefix + file, lines: { begin: line ?? 1 } },
    };
  });
  return `${JSON.stringify(report, null, 2)}\n`;
}
