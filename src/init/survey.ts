import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { type Config, readConfig } from "../project/config.ts";
import { chooseEnvironment } from "../project/environment.ts";
import { compileTexts } from "../compile/compile-project.ts";
import { findSnapshot, readSnapshot } from "../project/agents-lock.ts";
import { configName, menuFolder, readConfigFile } from "../project/files.ts";
import { runGit } from "../project/git.ts";
import { readService } from "../project/service-settings.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { projectAbove } from "../project/root.ts";
import { failedWith, pathExists } from "../util/disk.ts";
import { defaultBranch, repositoryTop } from "./forge.ts";
import type { Template, TemplateFile } from "./templates.ts";
import { describeSystemError } from "../util/system-error.ts";
import type { Host } from "../util/host.ts";

/** What exists of a project before init writes anything. */
export interface Survey {
  readonly root: string;
  /** The top of the git repository, if there is one. */
  readonly top: string | undefined;
  /** The branch that changes are merged into, if git knows it. */
  readonly branch: string | undefined;
  readonly config: Config | undefined;
  readonly hasMenus: boolean;
  /** Whether git tracks the state. Then git must not ignore it. */
  readonly stateInGit: boolean;
}

/** Looks at the folder. Returns undefined and reports why if no project can be created here. */
export async function survey(
  root: string,
  host: Host,
  diagnostics: Diagnostics,
): Promise<Survey | undefined> {
  const top = repositoryTop(root);
  const found = new Diagnostics();
  if (isFolderOrNothing(root, found)) refuseWrongPlace(root, host, found);
  const has = !found.hasErrors && pathExists(join(root, configName));
  const source = has ? readConfigFile(root, found) : undefined;
  const config = source && readConfig(source, found);
  const hasMenus = !found.hasErrors && findMenus(root, found);
  if (found.hasErrors) {
    diagnostics.addAll(found);
    return undefined;
  }
  const branch = top === undefined ? undefined : await defaultBranch(top, host);
  return { root, top, branch, config, hasMenus, stateInGit: await isStateInGit(root, host) };
}

/** Whether the example menu compiles in this project, on the sandbox, without any problem. */
export function exampleFits({ root, config, hasMenus }: Survey, template: Template): boolean {
  if (hasMenus) return false;
  const found = new Diagnostics();
  const own = config ?? readConfig(sourceOf(template.config), found);
  const environment = own && chooseEnvironment(own, undefined, {}, found);
  const agents =
    findSnapshot(root, environment?.name) === undefined
      ? sourceOf(template.snapshot)
      : readSnapshot(root, environment?.name, found);
  const service = environment && readService(own, environment.name, {}, found);
  const compiled = compileTexts({
    config: own?.source,
    menus: [sourceOf(template.example)],
    folders: [],
    agents,
    environment: environment?.name,
    variables: {},
    // Plugins are not run, and aliases without a menu are fine.
    rules: { plugins: { rules: [], complete: false }, notes: true, allMenus: false },
  });
  found.addAll(compiled.diagnostics);
  return service?.kind === "sandbox" && found.sorted().length === 0;
}

function sourceOf({ file, text }: TemplateFile): Source {
  return new Source(file, text);
}

function isFolderOrNothing(root: string, diagnostics: Diagnostics): boolean {
  try {
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== false) return true;
    diagnostics.addFile("IVR660", configName, `${root} is not a folder.`);
  } catch (error) {
    diagnostics.addFile(
      "IVR660",
      configName,
      `${root} cannot be used as a folder: ${describeSystemError(error)}.`,
    );
  }
  return false;
}

function refuseWrongPlace(root: string, host: Host, diagnostics: Diagnostics): void {
  if (pathExists(join(root, configName))) return;
  if (pathExists(join(root, "ivrctl.yml"))) {
    diagnostics.addFile(
      "IVR124",
      "ivrctl.yml",
      "ivrctl does not read ivrctl.yml. The configuration must be called ivrctl.yaml.",
      "Rename ivrctl.yml to ivrctl.yaml.",
    );
  }
  const outer = projectAbove(root, host);
  if (outer === undefined) return;
  diagnostics.addFile(
    "IVR660",
    configName,
    `${root} is inside the project at ${outer}.`,
    // The path is relative to the current folder, which may differ from the root.
    {
      words: "Choose another folder with -C, or add missing files to that project:",
      argv: ["init", "-C", relative(host.cwd, outer) || "."],
    },
  );
}

/** Whether there is a menu or a test under ivrs/, or a file that was meant as one. */
function findMenus(root: string, diagnostics: Diagnostics): boolean {
  try {
    const names = readdirSync(join(root, menuFolder), { recursive: true, encoding: "utf8" });
    return names.some((name) => /\.ya?ml$/i.test(name));
  } catch (error) {
    if (!failedWith(error, "ENOENT", "ENOTDIR")) {
      diagnostics.addFile(
        "IVR121",
        menuFolder,
        `${menuFolder} cannot be read: ${describeSystemError(error)}.`,
      );
    }
    return false;
  }
}

async function isStateInGit(root: string, host: Host): Promise<boolean> {
  const ran = await runGit(root, ["ls-files", "--", ".ivrctl/state"], host);
  return ran.kind === "done" && ran.stdout.length > 0;
}
