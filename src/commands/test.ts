import { runTest } from "../call/run.ts";
import { showTested } from "../views/test/index.ts";
import { type ExitCode, command } from "./command.ts";
import { loadProject } from "./project.ts";

export default command({
  takes: "[PATH…]",
  about:
    "Runs the tests of all menus, or of those named: each is a call, walked through the menu by the call model, and fails with the walk that it took. The service's document describes a menu's parts and not the order in which they play, so that order is ivrctl's assumption: the prompt, then for each wrong key `invalid.recording`, for each silence `timeout.retry_recording`, at the last one `timeout.recording`. Exits with 1 when a test fails or a menu is at fault.",
  flags: {
    agents: {
      type: "string",
      value: "FILE",
      about: "the agent list: the service's JSON array, or a snapshot (else agents.lock.json)",
    },
  },
  formats: ["text", "json", "junit"],
  examples: [
    ["ivrctl test", "every test of the project"],
    ["ivrctl test ivrs/front-desk.yaml --verbose", "those of one menu, the passed ones too"],
    ["ivrctl test --format junit > junit.xml", "for GitLab, or a reporter on GitHub"],
  ],
  async run(context): Promise<ExitCode> {
    const project = await loadProject(context, {
      paths: context.args,
      agentsFile: context.flags.agents,
      agentsRequired: true,
      live: false,
      tests: true,
    });
    const results = project.suites.flatMap(({ menu, tests }) =>
      tests.map((test) => runTest(menu, test)),
    );
    const { diagnostics, notRun } = project;
    await showTested({ results, notRun, diagnostics }, context);
    const failed = results.some(({ misses }) => misses.length > 0);
    return failed || project.hasErrors ? 1 : 0;
  },
});
