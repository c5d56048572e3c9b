import { join } from "node:path";
import { snapshotName } from "../compile/read/files.ts";
import { didYouMean, nearest } from "../compile/nearest.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { choose } from "../views/ask.ts";
import { sayNothingMade, showMade } from "../views/init.ts";
import { type Context, UsageError, command } from "./command.ts";
import { carryOut } from "./init/carry-out.ts";
import { type Ci, ciChoices, isThere, likelyForge } from "./init/forge.ts";
import { layOut, runsIvrctl } from "./init/project-files.ts";
import { type Telling, tellingOf } from "./init/pipeline.ts";
import { type Survey, survey } from "./init/survey.ts";
import { Interruption } from "./interruption.ts";

const flags = {
  ci: {
    type: "string",
    value: ciChoices.join("|"),
    completes: ciChoices,
    about:
      "whose pipeline files to write; else the forge that the repository lives on, which is asked at a terminal",
  },
} as const;

export default command({
  about:
    "Makes a project that works at once on the embedded sandbox: ivrctl.yaml, a menu with tests, the agent list, the schemas for editors, .gitignore, .gitattributes and the files of a pipeline. In a project that is there already it adds only what is missing: no file is overwritten, and no example is put beside menus. Lines that .gitignore and .gitattributes lack are added at their end. A folder named with -C is made where there is none. Pipeline files go to the top of the git repository, because forges look for them only there.",
  flags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl init", "in this folder; at a terminal it asks which forge runs the pipeline"],
    [
      "ivrctl init -C phones --ci none",
      "in a folder that need not be there yet, without a pipeline",
    ],
    [
      "ivrctl init --ci github --env production",
      "with GitHub's workflow, for this environment of several; later, too, in the same project",
    ],
  ],
  async run(context) {
    const { root, args, globals } = context;
    const [extra] = args;
    if (extra !== undefined) {
      throw new UsageError(`init takes no argument; for another folder: ivrctl init -C ${extra}`);
    }
    if (globals.config !== undefined) {
      throw new UsageError(
        "init makes ivrctl.yaml and nothing of another name: leave --config out.",
      );
    }
    const asked = ciOf(context.flags.ci);
    const diagnostics = new Diagnostics();
    const found = await survey(root, diagnostics);
    const telling = found && tellingOf(found, globals.env);
    const ci = found && telling && (asked ?? (await chooseCi(context, found, telling)));
    if (found !== undefined && ci === undefined) {
      sayNothingMade(context);
      return 130;
    }
    const layout = found && telling && ci && layOut(found, ci, telling, diagnostics);
    const { project = [], pipeline = [] } = layout ?? {};
    // What is in the way of one file is mended before any is written.
    const steps = diagnostics.hasErrors ? [] : [...project, ...pipeline];
    const done = carryOut(steps, diagnostics);
    await showMade(
      {
        ...done,
        ci: ci ?? "none",
        pipeline: pipeline.map((step) => ({
          file: step.file,
          text: step.text,
          runs: runsIvrctl(step),
        })),
        telling,
        sandbox: done.created.includes("ivrctl.yaml"),
        hasAgents: isThere(join(root, snapshotName)),
      },
      diagnostics.sorted(),
      context,
    );
    return diagnostics.hasErrors ? 1 : 0;
  },
});

function ciOf(word: string | undefined): Ci | undefined {
  if (word === undefined) return undefined;
  const ci = ciChoices.find((known) => known === word);
  if (ci !== undefined) return ci;
  const near = didYouMean(nearest(word, ciChoices));
  throw new UsageError(
    `--ci is one of ${ciChoices.join(", ")}; ${word} is not.${near === undefined ? "" : ` ${near}`}`,
  );
}

/** What is likely; a person is asked. Nothing where the person went away. */
async function chooseCi(
  { root, terminal, format, globals }: Context,
  { top = root }: Survey,
  telling: Telling,
): Promise<Ci | undefined> {
  // Where nobody asked for a pipeline, the project does not fail for want of one.
  const likely = (telling.kind === "told" ? await likelyForge(top) : undefined) ?? "none";
  if (!terminal.interactive || format !== "text" || globals.quiet) return likely;
  const interruption = new Interruption(() => {});
  try {
    const question = "Which forge runs the pipeline?";
    const options = { words: ciChoices, standard: likely } as const;
    return await choose(question, options, terminal, interruption.halt);
  } finally {
    interruption.end();
  }
}
