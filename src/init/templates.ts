import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { configName, menuFolder } from "../project/files.ts";
import { pathExists, packageRoot, slashed } from "../util/disk.ts";
import { type VendorName, vendorNamed } from "../schema/vendors.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { folderInTheWay, reportUnwritable, writeNew } from "../project/write-file.ts";

/** The platforms with pipeline files. */
export type ForgeName = "github" | "gitlab";

/** A file to write: its path, with `/`, and its text. */
export interface TemplateFile {
  readonly file: string;
  readonly text: string;
}

/**
 * The files of a project, in the order in which they are written. The configuration is the last one, so
 * that a run after an interrupted one writes the rest. A project that has menus gets no example.
 */
export function projectTemplate(root: string, vendor?: VendorName): readonly TemplateFile[] {
  const config = ofProject(configName);
  const hasAddress = vendor !== undefined && vendorNamed(vendor).base_url !== undefined;
  const isNew = !pathExists(join(root, configName)) && !pathExists(join(root, menuFolder));
  return [
    ...(isNew ? [ofProject("agents.lock.json"), ofProject("ivrs/front-desk.yaml")] : []),
    // npm does not pack files called .gitignore.
    { file: ".gitignore", text: read("templates/project/gitignore") },
    { file: ".gitattributes", text: read("templates/project/gitattributes") },
    ofProject("AGENTS.md"),
    vendor === undefined
      ? config
      : {
          ...config,
          text: config.text.replace(
            /^( +)base_url: .*\n/m,
            (line, indent: string) => `${indent}vendor: ${vendor}\n${hasAddress ? "" : line}`,
          ),
        },
  ];
}

/** Where a pipeline works. */
export interface PipelinePlace {
  /** The top of its repository, and the path from there to the project. */
  readonly top: string;
  readonly directory: string;
  /** The default branch. */
  readonly branch: string;
  /** Returns a text with the variables that the configuration uses. */
  readonly named: (text: string) => string;
}

/**
 * The files of a forge's pipeline, for the top of the repository, the one with the settings first. If
 * the pipeline there is for a different project, a second one gets a file of its own.
 */
export function pipelineTemplate(forge: ForgeName, place: PipelinePlace): readonly TemplateFile[] {
  const { directory, branch, named } = place;
  const [settings = ""] = pipelineFiles[forge];
  // A name of a branch is a pattern there. git forbids the other characters of patterns in it.
  const listened = JSON.stringify(branch.replaceAll(/[!+]/g, "\\$&"));
  const template = (file: string) =>
    named(read(`templates/${forge}/${file}`)).replace('["main"]', () => `[${listened}]`);
  const inFolder = (text: string) =>
    text.replace(directoryLine, (_, start: string) => `${start}${JSON.stringify(directory)}`);
  if (!isOfOtherProject(join(place.top, settings), place)) {
    return pipelineFiles[forge].map((file) => ({ file, text: inFolder(template(file)) }));
  }
  const name = `ivrctl-${directory.replaceAll(/[^\w-]+/g, "-")}`;
  if (forge === "github") {
    // GitHub finds a required check by its job's name. With equal names, either project's job would do.
    const text = template(settings)
      .replace(/^name: .*/m, () => `name: ${name}`)
      .replace(/^( +pull-request):$/m, (_, job: string) => `${job}-${name}:`);
    return [{ file: settings.replace("ivrctl", name), text: inFolder(text) }];
  }
  const text = named(read("templates/gitlab-second/ivrctl.yml")).replaceAll("ivrctl-NAME", name);
  return [{ file: `.gitlab/${name}.yml`, text: inFolder(text) }];
}

/** Returns a function that puts the variables of a configuration into a text, instead of those of the templates. */
export function variablesOf(root: string): (text: string) => string {
  const config = join(root, configName);
  const text = pathExists(config) ? readFileSync(config, "utf8").replaceAll(/^ *#.*/gm, "") : "";
  const used = text.matchAll(/\b(base_url|read_token|token): *["']?\$\{([A-Za-z_]\w*)\}/g);
  const names = [...used].map(([, setting = "", name = ""]) => {
    return [`TELEPHONY_${setting.toUpperCase()}`, name] as const;
  });
  // Of several environments, the first.
  const variables = new Map<string, string>(names.toReversed());
  const pattern = /TELEPHONY_(?:BASE_URL|READ_TOKEN|TOKEN)/g;
  return (shown) => shown.replaceAll(pattern, (name) => variables.get(name) ?? name);
}

const pipelineFiles = {
  github: [".github/workflows/ivrctl.yml"],
  gitlab: [".gitlab-ci.yml", ".gitlab/ivrctl.yml"],
} as const;

const directoryLine = /^( *IVRCTL_DIRECTORY: )"([^"\n]*)"/m;

/** Whether a pipeline that exists names the folder of a different project. */
function isOfOtherProject(settings: string, { top, directory }: PipelinePlace): boolean {
  if (!pathExists(settings)) return false;
  const named = directoryLine.exec(readFileSync(settings, "utf8"))?.[2];
  return named !== undefined && named !== directory && pathExists(join(top, named, configName));
}

function ofProject(file: string): TemplateFile {
  return { file, text: read(`templates/project/${file}`) };
}

function read(file: string): string {
  return readFileSync(join(packageRoot(), file), "utf8");
}

/** Paths relative to the project. */
export interface Written {
  readonly created: readonly string[];
  readonly kept: readonly string[];
}

/**
 * Creates files in a folder, each completely or not at all, and keeps those that exist. Reports the
 * first one that cannot be written, and stops there.
 */
export function writeFiles(
  { base, root }: { readonly base: string; readonly root: string },
  files: readonly TemplateFile[],
  diagnostics: Diagnostics,
): Written {
  const hint = "Fix this, then run the same command again to write the remaining files.";
  const created: string[] = [];
  const kept: string[] = [];
  for (const { file, text } of files) {
    const path = slashed(relative(root, join(base, file)));
    // GitHub and GitLab do not follow links.
    const wrong = folderInTheWay(base, file);
    if (wrong !== undefined) reportUnwritable(path, wrong, diagnostics, hint);
    else if (pathExists(join(base, file))) kept.push(path);
    else if (writeNew(root, path, text, diagnostics, hint)) created.push(path);
    if (diagnostics.hasErrors) break;
  }
  return { created, kept };
}
