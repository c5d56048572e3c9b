import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { configName, menuFolder } from "../project/files.ts";
import { pathExists, packageRoot, slashed } from "../util/disk.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { folderInTheWay, reportUnwritable, writeNew } from "../project/write-file.ts";

/** The platforms with pipeline files. */
export type Forge = "github" | "gitlab";

/** A file to write: its path, with `/`, and its text. */
export interface TemplateFile {
  readonly file: string;
  readonly text: string;
}

/**
 * The files of a project, in the order in which they are written. The configuration is the last one, so
 * that a run after an interrupted one writes the rest. A project that has menus gets no example.
 */
export function projectTemplate(root: string): readonly TemplateFile[] {
  const isNew = !pathExists(join(root, configName)) && !pathExists(join(root, menuFolder));
  return [
    ...(isNew ? [ofProject("agents.lock.json"), ofProject("ivrs/front-desk.yaml")] : []),
    // npm does not pack files called .gitignore.
    { file: ".gitignore", text: read("templates/project/gitignore") },
    { file: ".gitattributes", text: read("templates/project/gitattributes") },
    ofProject(configName),
  ];
}

/** The files of a forge's pipeline, for the top of the repository, sorted by path. */
export function pipelineTemplate(forge: Forge): readonly TemplateFile[] {
  const folder = join(packageRoot(), "templates", forge);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => slashed(relative(folder, join(parentPath, name))))
    .sort()
    .map((file) => ({ file, text: read(`templates/${forge}/${file}`) }));
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
    const shown = slashed(relative(root, join(base, file)));
    // GitHub and GitLab do not follow links.
    const wrong = folderInTheWay(base, file);
    if (wrong !== undefined) reportUnwritable(shown, wrong, diagnostics, hint);
    else if (pathExists(join(base, file))) kept.push(shown);
    else if (writeNew(root, shown, text, diagnostics, hint)) created.push(shown);
    if (diagnostics.hasErrors) break;
  }
  return { created, kept };
}
