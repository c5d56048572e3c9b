import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { packageRoot } from "../util/package-root.ts";
import type { Forge } from "./forge.ts";
import { slashed } from "../util/slashed.ts";

/** A file to write: its path, with `/`, and its text. */
export interface TemplateFile {
  readonly file: string;
  readonly text: string;
}

/** The project that comes with ivrctl. */
export interface Template {
  readonly config: TemplateFile;
  /** The sandbox's agents. */
  readonly snapshot: TemplateFile;
  readonly example: TemplateFile;
  readonly schemas: readonly TemplateFile[];
  readonly ignore: TemplateFile;
  readonly attributes: TemplateFile;
}

/** Returns the project. With a pipeline, its state is on a branch of the repository. */
export function projectTemplate(hasPipeline: boolean): Template {
  const { file, text } = ofProject("ivrctl.yaml");
  return {
    config: { file, text: hasPipeline ? text.replace("# state: {", "state: {") : text },
    snapshot: ofProject("agents.lock.json"),
    example: ofProject("ivrs/front-desk.yaml"),
    schemas: readdirSync(join(packageRoot(), "schema"))
      // Editors need the schemas of files, not those of what commands print.
      .filter((name) => name.endsWith(".schema.json") && !name.endsWith("-output.schema.json"))
      .sort()
      .map((name) => ({ file: `schema/${name}`, text: read(`schema/${name}`) })),
    // npm does not pack files called .gitignore.
    ignore: { file: ".gitignore", text: read("templates/project/gitignore") },
    attributes: { file: ".gitattributes", text: read("templates/project/gitattributes") },
  };
}

/** The settings of a pipeline that differ between projects. */
export interface PipelineSettings {
  /** The path from the top of the repository to the project; `.` if they are the same. */
  readonly directory: string;
  /** The path from the top of the repository to the folder with package-lock.json; `.` for the top. */
  readonly install: string;
  /** The branch that changes are merged into. */
  readonly branch: string;
  readonly target: Target;
}

/** The environment that a pipeline applies to, and the variables that it needs. */
export interface Target {
  readonly environment: string;
  readonly variables: readonly string[];
  readonly secrets: readonly string[];
  /** Whether the state is on a branch, so that an apply pushes to the repository. */
  readonly pushes: boolean;
}

/** The files of a forge's pipeline, for the top of the repository, sorted by path. */
export function pipelineTemplate(forge: Forge, settings: PipelineSettings): TemplateFile[] {
  const folder = join(packageRoot(), "templates", forge);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => ({
      file: slashed(relative(folder, path)),
      text: adapted(readFileSync(path, "utf8"), settings),
    }));
}

/** Replaces the example values of a template. Templates are complete files that people can also copy. */
function adapted(text: string, { directory, install, branch, target }: PipelineSettings): string {
  const { environment, secrets, pushes } = target;
  const own = text
    .replace("branches: [main]", `branches: [${JSON.stringify(branch)}]`)
    .replace(/^( *(?:IVRCTL_ENVIRONMENT|environment): )production\b/gm, `$1${word(environment)}`)
    .replace(/^( +)env:\n(?:\1 {2}TELEPHONY_\w+: .*\n)+/gm, (_, indent: string) =>
      envOf(target, indent),
    )
    .replace("TELEPHONY_TOKEN, and ", secrets.length === 0 ? "" : `${secrets.join(", ")}, and `)
    // The step of GitHub takes the folder as an input, the jobs of GitLab as a variable.
    .replace(/^ +with:\n( +)environment: .*\n/gm, (step, indent: string) =>
      directory === "." ? step : `${step}${indent}directory: ${directory}\n`,
    )
    .replace(/^( +IVRCTL_DIRECTORY: )"\."/gm, `$1"${directory}"`)
    .replace(/^( +IVRCTL_INSTALL: )"\."/gm, `$1"${install}"`);
  const installed =
    install === "."
      ? own
      : own
          .replaceAll("- run: npm ci\n", `- run: npm ci --prefix ${install}\n`)
          .replaceAll("./node_modules/ivrctl", `./${install}/node_modules/ivrctl`);
  return pushes
    ? installed
    : installed
        .replace("contents: write # push the branch with the state", "contents: read")
        .replace("the scopes api and write_repository", "the scope api");
}

/** The `env:` of a step on GitHub, which reserves names that start with GITHUB_. */
function envOf({ variables, secrets }: Target, indent: string): string {
  const lines = [
    ...variables.map((name) => [name, `vars.${name}`] as const),
    ...secrets.map((name) => [name, `secrets.${name}`] as const),
  ]
    .filter(([name]) => !/^GITHUB_/i.test(name))
    .map(([name, from]) => `${indent}  ${name}: \${{ ${from} }}\n`);
  return lines.length === 0 ? "" : `${indent}env:\n${lines.join("")}`;
}

/** The name of an environment in YAML, in quotes if it could be read as a number or a boolean. */
function word(name: string): string {
  return /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z][\w-]*$/i.test(name) ? name : `"${name}"`;
}

function ofProject(file: string): TemplateFile {
  return { file, text: read(`templates/project/${file}`) };
}

function read(file: string): string {
  return readFileSync(join(packageRoot(), file), "utf8");
}
