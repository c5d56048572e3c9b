import { coverageOf } from "../call/coverage.ts";
import { verdictOf } from "../call/verdict.ts";
import { sayWatching, showTested } from "../views/test/index.ts";
import { type Context, type ExitCode, UsageError, command } from "./command.ts";
import { Interruption } from "./interruption.ts";
import { loadProject } from "../project/load-project.ts";
import { runOnChange } from "./watch.ts";

const flags = {
  agents: {
    type: "string",
    value: "FILE",
    about: "the agent list: the service's JSON array, or a snapshot (else agents.lock.json)",
  },
  coverage: { type: "boolean", about: "say which keys and ways no test's call has landed by" },
  "min-coverage": {
    type: "string",
    value: "PERCENT",
    about: "fail where fewer ways are tested than this many of a hundred",
  },
  watch: { type: "boolean", about: "run again after every change, until Ctrl-C" },
} as const;

export default command({
  takes: "[PATH…]",
  about:
    "Runs the tests of all menus, or of those in the files and folders named: `tests:` in a menu, and *.test.yaml files. Each is a call, walked through the menu by the call model; one that fails shows the walk it took. The `invariants:` of ivrctl.yaml must hold on every way through every menu. The service's document describes a menu's parts and not the order in which they play, so that order is ivrctl's assumption: first `recording`; at each wrong key `invalid.recording`; at each silence `timeout.retry_recording`, at the last one `timeout.recording`. Exits with 1 when a test fails, an invariant is broken, or a menu is at fault.",
  flags,
  formats: ["text", "json", "junit"],
  examples: [
    ["ivrctl test", "every test of the project"],
    ["ivrctl test ivrs/front-desk.yaml --verbose", "those of one menu, the passed ones too"],
    ["ivrctl test --coverage", "and what they leave untested"],
    ["ivrctl test --watch", "while you write menus"],
    ["ivrctl test --format junit > junit.xml", "for GitLab, or a reporter on GitHub"],
  ],
  async run(context): Promise<ExitCode> {
    const minCoverage = percentOf(context.flags["min-coverage"]);
    if (!context.flags.watch) return runAll(context, minCoverage);
    if (context.format !== "text") {
      throw new UsageError("--watch is for people: it goes with --format text alone.");
    }
    await watchAll(context, minCoverage);
    return 0;
  },
});

/** Ctrl-C is how it is meant to end; without a reader there is no point in going on. */
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
  const project = await loadProject(context, {
    paths: context.args,
    agentsFile: context.flags.agents,
    agentsRequired: true,
    tests: true,
    advice: "none",
  });
  const { suites, notRun, invariants } = project.tests;
  const { results, violations } = verdictOf(suites, invariants);
  const menus = suites.map(({ menu }) => menu);
  const coverage =
    context.flags.coverage || minCoverage !== undefined ? coverageOf(menus, results) : undefined;
  const short = coverage !== undefined && coverage.percent < (minCoverage ?? 0);
  await showTested(
    {
      results,
      invariants: invariants.length,
      violations,
      notRun,
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
  throw new UsageError(`--min-coverage is a number from 0 to 100, not ${text}.`);
}
