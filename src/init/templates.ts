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
  readonly target: Target;
}

/** What a pipeline applies to, and the environment variables that it needs for that. */
export interface Target {
  readonly environment: string;
  readonly variables: readonly string[];
  readonly secrets: readonly string[];
  /** Of the store that all runs share, as npm installs it; undefined where the state is kept on a branch. */
  readonly driver: string | undefined;
}

/** The files of a forge's pipeline, for the top of the repository, sorted by path. */
export function pipelineTemplate(forge: Forge, marks: Marks): TemplateFile[] {
  const folder = join(packageRoot(), "templates", forge);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => ({
      file: relative(folder, path).split(sep).join("/"),
      text: toldOf(marks, readFileSync(path, "utf8")),
    }));
}

/** The templates are whole files, for those who copy them: their own words are put out for the project's. */
function toldOf({ version, directory, branch, target }: Marks, text: string): string {
  const { environment, secrets } = target;
  const told = text
    .replaceAll("{{version}}", version)
    .replace("branches: [main]", `branches: [${JSON.stringify(branch)}]`)
    .replace(/^( *(?:IVRCTL_CI_ENVIRONMENT|environment): )production\b/gm, `$1${word(environment)}`)
    .replaceAll("group: ivrctl-apply-production", `group: ivrctl-apply-${environment}`)
    .replace(/^( +)env:\n(?:\1 {2}TELEPHONY_\w+: .*\n)+/gm, (_, indent: string) =>
      givenTo(target, indent),
    )
    .replace("TELEPHONY_TOKEN, and ", secrets.length === 0 ? "" : `${secrets.join(", ")}, and `);
  const stored = target.driver === undefined ? told : withStore(told, target.driver);
  if (directory === ".") return stored;
  // GitHub's step takes the folder as an input, GitLab's jobs as a variable; both mean the top unless told.
  return stored
    .replace(/^ +with:\n( +)environment: .*\n/gm, `$&$1directory: ${directory}\n`)
    .replace(/^( +IVRCTL_CI_DIRECTORY: )"\."/gm, `$1"${directory}"`);
}

/** The state is not on a branch: its store is named, its driver installed, and no right to write is needed. */
function withStore(text: string, driver: string): string {
  return text
    .replace(/^( +with:\n( +)environment: .*\n)/gm, "$1$2state: store\n")
    .replace(/^( +)IVRCTL_CI_DIRECTORY: .*\n/gm, "$&$1IVRCTL_CI_STATE: store\n")
    .replace(/^ +- (?:run: )?npm install --no-save .*$/gm, `$& ${driver}`)
    .replace("contents: write # the state's branch", "contents: read")
    .replace("the scopes api and write_repository", "the scope api");
}

/** A step's `env:` on GitHub, which knows no secret of these names but its own token. */
function givenTo({ variables, secrets }: Target, indent: string): string {
  const lines = [
    ...variables.map((name) => [name, `vars.${name}`] as const),
    ...secrets.map((name) => [name, `secrets.${name}`] as const),
  ]
    .filter(([name]) => !/^GITHUB_/i.test(name))
    .map(([name, from]) => `${indent}  ${name}: \${{ ${from} }}\n`);
  return lines.length === 0 ? "" : `${indent}env:\n${lines.join("")}`;
}

/** An environment's name in YAML, where `1.0` is a number and `no` is none. */
function word(name: string): string {
  return /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z][\w-]*$/i.test(name) ? name : `"${name}"`;
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
