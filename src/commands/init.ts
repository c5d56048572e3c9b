import { dirname, join, relative } from "node:path";
import { command } from "../cli/command.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import {
  type ForgeName,
  pipelineTemplate,
  projectTemplate,
  variablesOf,
  writeFiles,
} from "../init/templates.ts";
import { snapshotName } from "../project/agents-lock.ts";
import { configName, isFolder } from "../project/files.ts";
import { defaultBranch } from "../project/git.ts";
import { projectAbove } from "../project/root.ts";
import { vendorNames } from "../schema/vendors.ts";
import { pathExists, slashed } from "../util/disk.ts";
import type { Host } from "../util/host.ts";
import { UsageError } from "../util/usage-error.ts";
import { madeText, nextText } from "../views/next-steps.ts";

const ciChoices = ["github", "gitlab", "none"] as const;

export default command({
  createsProject: true,
  about:
    "Create a project, or add missing files to one.\n\nA new project works at once on the embedded sandbox. Writes ivrctl.yaml, a menu with tests, the agent list, .gitignore and .gitattributes, and with --ci the files of a pipeline. Keeps every file that exists, and adds no example to existing menus. Creates the folder of -C if it does not exist.\n\nPipeline files go to the top folder of the git repository, where GitHub and GitLab look for them. A second project of the repository gets a pipeline file of its own.",
  flags: {
    vendor: {
      value: "NAME",
      choices: vendorNames,
      about: "Use the profile of this vendor for the environment production",
    },
    ci: {
      value: "PLATFORM",
      choices: ciChoices,
      about: "Also write the pipeline files for this platform (default: none)",
    },
  },
  examples: [
    ["ivrctl init", "in this folder"],
    ["ivrctl init -C phones", "in the folder phones"],
    ["ivrctl init --vendor smartflo", "for an account with this vendor"],
    ["ivrctl init --ci github", "with a GitHub workflow, or add it later"],
  ],
  async run(context) {
    const { root, host, flags } = context;
    const forge = (["github", "gitlab"] as const).find((known) => known === flags.ci);
    const vendor = vendorNames.find((known) => known === flags.vendor);
    if (vendor && pathExists(join(root, configName))) {
      throw new UsageError(
        `${configName} exists, and init keeps it. Write \`vendor: ${vendor}\` under \`service:\` there.`,
      );
    }
    const diagnostics = new Diagnostics();
    refuseWrongPlace(root, host, diagnostics);
    if (diagnostics.hasErrors) return { diagnostics: diagnostics.sorted() };
    const project = writeFiles({ base: root, root }, projectTemplate(root, vendor), diagnostics);
    const pipeline =
      diagnostics.hasErrors || !forge ? undefined : await writeCi(root, forge, host, diagnostics);
    const made = {
      project,
      pipeline,
      isNew: project.created.includes(configName),
      hasAgents: pathExists(join(root, snapshotName)),
    };
    return {
      summary: (page) => madeText(made, page),
      diagnostics: diagnostics.sorted(),
      next: (page) => (diagnostics.hasErrors ? "" : nextText(made, page)),
    };
  },
});

async function writeCi(root: string, forge: ForgeName, host: Host, diagnostics: Diagnostics) {
  const top = repositoryTop(root) ?? root;
  const directory = slashed(relative(top, root)) || ".";
  const known = await defaultBranch({ root: top, host });
  const branch = known ?? "main";
  const named = variablesOf(root);
  const files = pipelineTemplate(forge, { top, directory, branch, named });
  return {
    forge,
    named,
    ...writeFiles({ base: top, root }, files, diagnostics),
    settings: slashed(relative(root, join(top, files[0]?.file ?? ""))),
    directory,
    guessed: known === undefined ? branch : undefined,
  };
}

/** The top of the git repository that a folder is in, or will be in. */
function repositoryTop(folder: string): string | undefined {
  if (pathExists(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? undefined : repositoryTop(dirname(folder));
}

function refuseWrongPlace(root: string, host: Host, diagnostics: Diagnostics): void {
  if (pathExists(root) && !isFolder(root)) {
    diagnostics.addFile("IVR660", configName, `${root} is not a folder.`);
    return;
  }
  if (pathExists(join(root, configName))) return;
  if (pathExists(join(root, "ivrctl.yml"))) {
    diagnostics.addFile(
      "IVR124",
      "ivrctl.yml",
      "ivrctl does not read ivrctl.yml. The configuration must be called ivrctl.yaml.",
      "Rename ivrctl.yml to ivrctl.yaml.",
    );
  }
  const outer = projectAbove(root);
  if (outer === undefined) return;
  diagnostics.addFile(
    "IVR660",
    configName,
    `${root} is inside the project at ${outer}.`,
    // The path is relative to the current folder, which may differ from the root.
    {
      words: "Choose a different folder with -C, or add missing files to that project:",
      argv: ["init", "-C", relative(host.cwd, outer) || "."],
    },
  );
}
