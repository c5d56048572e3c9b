import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Forge } from "./forge.ts";

/** A file to be: its path from the folder it belongs to, with `/`, and its text. */
export interface TemplateFile {
  readonly file: string;
  readonly text: string;
}

/** A whole project, as it comes with ivrctl. */
export interface Template {
  readonly config: TemplateFile;
  /** The sandbox's agents. */
  readonly snapshot: TemplateFile;
  readonly example: TemplateFile;
  readonly schemas: readonly TemplateFile[];
  readonly ignore: TemplateFile;
  readonly attributes: TemplateFile;
}

export function projectTemplate(): Template {
  return {
    config: ofProject("ivrctl.yaml"),
    snapshot: ofProject("agents.lock.json"),
    example: ofProject("ivrs/front-desk.yaml"),
    schemas: readdirSync(join(packageRoot(), "schema"))
      .sort()
      .map((name) => ({ file: `schema/${name}`, text: read(`schema/${name}`) })),
    // npm packs no file called .gitignore.
    ignore: { file: ".gitignore", text: read("templates/project/gitignore") },
    attributes: { file: ".gitattributes", text: read("templates/project/gitattributes") },
  };
}

/** What a pipeline's files have to be told. */
export interface Marks {
  readonly version: string;
  /** From the top of the repository to the project; `.` where that is the same. */
  readonly directory: string;
  /** What changes are merged into. */
  readonly branch: string;
}

/**
 * The files of a forge's pipeline, for the top of the repository, sorted by path.
 * Nothing where they cannot be told of a project that is not at the top.
 */
export function pipelineTemplate(
  forge: Forge,
  { version, directory, branch }: Marks,
): TemplateFile[] | undefined {
  const folder = join(packageRoot(), "templates", forge);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => ({
      file: relative(folder, path).split(sep).join("/"),
      text: readFileSync(path, "utf8")
        .replaceAll("{{version}}", version)
        .replace("branches: [main]", `branches: [${JSON.stringify(branch)}]`),
    }));
  if (directory === ".") return files;
  const told = files.map(({ file, text }) => ({ file, text: toldOf(directory, text) }));
  return told.some(({ text }, at) => text !== files[at]?.text) ? told : undefined;
}

/** GitHub's step takes the folder as an input, GitLab's jobs as a variable; both mean the top unless told. */
function toldOf(directory: string, text: string): string {
  return text
    .replace(/^ +with:\n( +)environment: .*\n/gm, `$&$1directory: ${directory}\n`)
    .replace(/^( +IVRCTL_CI_DIRECTORY: )"\."/gm, `$1"${directory}"`);
}

function ofProject(file: string): TemplateFile {
  return { file, text: read(`templates/project/${file}`) };
}

function read(file: string): string {
  return readFileSync(join(packageRoot(), file), "utf8");
}

/** Where this package lies: as a bundle it is another number of folders away. */
function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) {
    if (dirname(folder) === folder) throw new Error("ivrctl's own package.json is gone");
    folder = dirname(folder);
  }
  return folder;
}
