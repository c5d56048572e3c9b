import { snapshotFlags, sourceFlags } from "../cli/flags.ts";
import { measureCoverage } from "../call/suites.ts";
import { failedIn, testReport } from "../views/test/test-report.ts";
import { command } from "../cli/command.ts";
import { openSource } from "../operations/opened-source.ts";
import { testResult } from "../views/test/test-result.ts";

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
      from: context.flags.from,
      paths: context.args,
      agentsFile: context.flags.agents,
      tests: true,
    });
    const report = testReport(project);
    const menus = project.tests.suites.map(({ menu }) => menu);
    const walks = report.calls.flatMap(({ expected, walk }) => (expected ? walk : []));
    const coverage = context.flags.coverage ? measureCoverage(menus, walks) : undefined;
    const document = { ...report, coverage, diagnostics: project.diagnostics };
    const hasErrors = project.diagnostics.some(({ severity }) => severity === "error");
    const hasFailed = failedIn(report).length > 0 || hasErrors;
    return { exit: hasFailed ? 1 : 0, ...testResult(document, context) };
  },
});
