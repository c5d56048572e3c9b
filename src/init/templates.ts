import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { configName, menuFolder } from "../project/files.ts";
import { pathExists, packageRoot, slashed } from "../util/disk.ts";

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
