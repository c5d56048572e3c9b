import type { ResultIn } from "../result.ts";
import { projectPrefix } from "../diagnostics/project-prefix.ts";
import { reportJson } from "./test-json.ts";
import { reportJunit } from "./junit.ts";
import { type TestReport } from "./test-report.ts";
import { reportText, tallyText } from "./test-text.ts";
import type { Audience } from "../terminal.ts";

/** What the tests found, in every format. */
export function testResult(
  report: TestReport,
  audience: Pick<Audience, "root" | "host">,
): ResultIn<"json" | "junit"> {
  return {
    // The problems of menus and tests are part of the report.
    diagnostics: report.diagnostics,
    diagnosticsAreText: true,
    text: (page) => reportText(report, page),
    summary: tallyText(report),
    formats: {
      json: () => reportJson(report),
      junit: () => reportJunit(report, projectPrefix(audience)),
    },
  };
}
