import { join } from "node:path";
import { snapshotName } from "../project/agents-lock.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { choose } from "../views/ask.ts";
import { madeText, nextText } from "../views/init.ts";
import { type Context, command } from "../cli/command.ts";
import { pathExists } from "../util/disk.ts";
import { carryOut } from "../init/carry-out.ts";
import { type Ci, ciChoices, likelyForge } from "../init/forge.ts";
import { layOut, runsIvrctl } from "../init/project-files.ts";
import { type Pipeline, pipelineOf } from "../init/pipeline.ts";
import { type Survey, survey } from "../init/survey.ts";
import { Interruption } from "../util/interruption.ts";

const flags = {
  ci: {
    type: "string",
    value: ciChoices.join("|"),
    choices: ciChoices,
    about: "Write pipeline files for this platform (default: ask, or use the git remote)",
  },
} as const;

export default command({
  createsProject: true,
  about:
    "Create a project that works at once on the embedded sandbox, or add missing files to one.\n\nWrites ivrctl.yaml, a menu with tests, the agent list, the schemas for editors, .gitignore, .gitattributes and pipeline files. Overwrites no file, and adds no example to existing menus. Appends missing lines to .gitignore and .gitattributes. Creates the folder of -C if it does not exist.\n\nPipeline files go to the top folder of the git repository, where GitHub and GitLab look for them.",
  flags,
  formats: ["text"],
  examples: [
    ["ivrctl init", "in this folder; asks which pipeline you use"],
    ["ivrctl init -C phones --ci none", "in the folder phones, without a pipeline"],
    [
      "ivrctl init --ci github --env production",
      "write or add a GitHub workflow for this environment",
    ],
  ],
  async run(context) {
    const { root, globals } = context;
    const asked = ciChoices.find((known) => known === context.flags.ci);
    const diagnostics = new Diagnostics();
    const found = await survey(root, context.host, diagnostics);
    const pipeline = found && pipelineOf(found, globals.env);
    const ci = found && pipeline && (asked ?? (await chooseCi(context, found, pipeline)));
    if (found !== undefined && ci === undefined) {
      return { exit: 130, notes: "Nothing was written.\n" };
    }
    const layout = found && pipeline && ci && layOut(found, ci, pipeline, diagnostics);
    const { project = [], pipeline: files = [] } = layout ?? {};
    // If one file cannot be written, init writes no file.
    const steps = diagnostics.hasErrors ? [] : [...project, ...files];
    const done = carryOut(steps, diagnostics);
    const made = {
      ...done,
      ci: ci ?? "none",
      declined: asked === "none",
      files: files.map((step) => ({
        file: step.file,
        text: step.text,
        runs: runsIvrctl(step),
      })),
      pipeline,
      sandbox: done.created.includes("ivrctl.yaml"),
      hasAgents: pathExists(join(root, snapshotName)),
    };
    const problems = diagnostics.sorted();
    return {
      exit: diagnostics.hasErrors ? 1 : 0,
      summary: (page) => madeText(made, page),
      diagnostics: problems,
      next: (page) => (problems.length > 0 ? "" : nextText(made, page, context)),
    };
  },
});

/** The likely platform, or the one that the user chooses. Undefined if the user gave no answer. */
async function chooseCi(
  { root, host, terminal, globals }: Context,
  { top = root }: Survey,
  pipeline: Pipeline,
): Promise<Ci | undefined> {
  // Without --ci, it is not an error if a pipeline is impossible.
  const likely =
    (pipeline.kind === "possible" ? await likelyForge(top, host) : undefined) ?? "none";
  if (!terminal.interactive || globals.quiet) return likely;
  const interruption = new Interruption(host, () => {});
  try {
    const question = "Which platform runs your pipeline?";
    const options = { words: ciChoices, standard: likely } as const;
    return await choose(question, options, { host, terminal }, interruption.halt);
  } finally {
    interruption.end();
  }
}
