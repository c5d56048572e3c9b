import { coverageOf } from "../call/verdict.ts";
import { Progress } from "../views/progress.ts";
import { sayWatching, showTested } from "../views/test/index.ts";
import { reportOf } from "../views/test/report.ts";
import { type Context, type ExitCode, command } from "../cli/command.ts";
import { snapshotFlags } from "../cli/flags.ts";
import { UsageError } from "../util/usage-error.ts";
import { Interruption } from "../util/interruption.ts";
import { runOnChange } from "../project/watch.ts";
import { loadProject } from "../compile/load-project.ts";

const flags = {
  ...snapshotFlags,
  coverage: { type: "boolean", about: "Show the keys and paths that no test covers" },
  "min-coverage": {
    type: "string",
    value: "PERCENT",
    about: "Exit with 1 if tests cover less than this percentage of paths",
  },
  watch: { type: "boolean", about: "Run again after every change, until Ctrl-C" },
} as const;

export default command({
  takes: "[PATH…]",
  arguments: { "PATH…": "Paths or keys of menus, test files or folders (default: all)" },
  about:
    "Run the tests of menus, and check the invariants.\n\nTests are in `tests:` of a menu and in *.test.yaml files. Each test is a call through a menu. A failed test shows the path of the call. The `invariants:` of ivrctl.yaml must hold on every path through every menu.\n\nThe documentation of the service does not say in which order recordings play. ivrctl assumes the order that `ivrctl call --help` describes.\n\nExits with 1 if a test fails, an invariant is broken, or a menu is invalid.",
  flags,
  formats: ["text", "json", "junit"],
  examples: [
    ["ivrctl test", "all tests of the project"],
    ["ivrctl test ivrs/front-desk.yaml --verbose", "one menu, also show the tests that pass"],
    ["ivrctl test --coverage", "also show what is not covered"],
    ["ivrctl test --watch", "while you write menus"],
    ["ivrctl test --format junit > junit.xml", "for GitLab, or a reporter on GitHub"],
  ],
  async run(context): Promise<ExitCode> {
    const minCoverage = percentOf(context.flags["min-coverage"]);
    if (!context.flags.watch) return runAll(context, minCoverage);
    if (context.format !== "text") {
      throw new UsageError("`--watch` works only with `--format text`.");
    }
    await watchAll(context, minCoverage);
    return 0;
  },
});

/** Runs the tests again after every change, until Ctrl-C or until its output is closed. */
async function watchAll(
  context: Context<typeof flags>,
  minCoverage: number | undefined,
): Promise<void> {
  const { root, globals, terminal, args } = context;
  const interruption = new Interruption(() => {});
  const files = [globals.config, context.flags.agents, ...args].filter(
    (file) => file !== undefined,
  );
  const signal = AbortSignal.any([interruption.halt, terminal.unread]);
  try {
    await runOnChange({ root, files, signal }, async () => {
      await runAll(context, minCoverage);
      sayWatching(terminal);
    });
  } finally {
    interruption.end();
  }
}

async function runAll(
  context: Context<typeof flags>,
  minCoverage: number | undefined,
): Promise<ExitCode> {
  const progress = new Progress({ what: "Reading the menus", noun: "menu file" }, context);
  const project = await loadProject(context, {
    paths: context.args,
    agentsFile: context.flags.agents,
    agentsRequired: true,
    tests: true,
    advice: "none",
    onCompiled: (done, total) => progress.update({ done, total }),
  });
  progress.end();
  const report = reportOf(project.tests);
  const { results, violations } = report;
  const menus = project.tests.suites.map(({ menu }) => menu);
  const coverage =
    context.flags.coverage || minCoverage !== undefined ? coverageOf(menus, results) : undefined;
  const short = coverage !== undefined && coverage.percent < (minCoverage ?? 0);
  await showTested(
    {
      ...report,
      coverage: coverage && { ...coverage, least: minCoverage, short },
      diagnostics: project.diagnostics,
    },
    context,
  );
  const failed = results.some(({ misses }) => misses.length > 0) || violations.length > 0 || short;
  return failed || project.hasErrors ? 1 : 0;
}

function percentOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const percent = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && percent <= 100) return percent;
  throw new UsageError(`\`--min-coverage\` must be a number from 0 to 100, not \`${text}\`.`);
}
