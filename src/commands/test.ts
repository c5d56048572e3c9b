import { measureCoverage } from "../call/suites.ts";
import type { ResultIn } from "../views/result.ts";
import { projectPrefix } from "../views/diagnostics/project-prefix.ts";
import { reportJson } from "../views/test/test-json.ts";
import { reportJunit } from "../views/test/junit.ts";
import { type TestReport, failedIn, testReport } from "../views/test/test-report.ts";
import { reportText, tallyText } from "../views/test/test-text.ts";
import type { Audience } from "../views/terminal.ts";
import { command } from "../cli/command.ts";
import { snapshotFlags } from "../cli/flags.ts";
import { openSource, sourceFlags } from "../cli/from-source.ts";

const flags = {
  ...snapshotFlags,
  ...sourceFlags,
  coverage: { about: "Show the keys and paths that no test covers" },
} as const;

export default command({
  arguments: { "[PATH..]": "Paths or keys of menus, test files or folders (default: all)" },
  about:
    "Run menu tests, and check the invariants.\n\nTests are in `tests:` of a menu and in *.test.yaml files. Each test is a call through a menu. A failed test shows the path of the call. The `invariants:` of ivrctl.yaml must hold on every path through every menu.\n\nThe service's documentation does not say in which order recordings play. ivrctl assumes the order that `ivrctl call --help` describes.\n\nExits with 1 if a test fails, an invariant is broken, or a menu is invalid.",
  flags,
  formats: ["text", "json", "junit"],
  examples: [
    ["ivrctl test", "all tests in the project"],
    ["ivrctl test ivrs/front-desk.yaml --verbose", "one menu, also show the tests that pass"],
    ["ivrctl test --coverage", "also show what is not covered"],
    ["ivrctl test --from live", "run the tests on the service, and find calls that reach nobody"],
    ["ivrctl test --format junit > junit.xml", "for GitLab, or a reporter on GitHub"],
  ],
  async run(context) {
    const project = await openSource(context, {
      paths: context.args,
      agentsFile: context.flags.agents,
      tests: true,
    });
    const report = testReport(project);
    const menus = project.tests.suites.map(({ menu }) => menu);
    const walks = report.calls.flatMap(({ expected, walk }) => (expected ? walk : []));
    const coverage = context.flags.coverage ? measureCoverage(menus, walks) : undefined;
    const shown = { ...report, coverage, diagnostics: project.diagnostics };
    const hasErrors = project.diagnostics.some(({ severity }) => severity === "error");
    const hasFailed = failedIn(report).length > 0 || hasErrors;
    return { exit: hasFailed ? 1 : 0, ...testResult(shown, context) };
  },
});

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
