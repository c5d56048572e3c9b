import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { readProjectFile } from "../project/files.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Ci, Forge } from "./forge.ts";
import type { Pipeline } from "./pipeline.ts";
import { type Survey, exampleFits } from "./survey.ts";
import {
  type Template,
  type TemplateFile,
  pipelineTemplate,
  projectTemplate,
} from "./templates.ts";
import { pathExists } from "../util/disk.ts";
import { describeSystemError } from "../util/system-error.ts";
import { slashed } from "../util/slashed.ts";

/** What init does with a file. */
export interface Step {
  readonly kind: "create" | "change" | "keep";
  /** Its path relative to the project, with `/`. */
  readonly file: string;
  readonly path: string;
  /** The new content or, if the file is kept, what init would have written. */
  readonly text: string;
}

/** The steps in the order in which files are written. If init stops halfway, a second run writes the rest. */
interface Layout {
  readonly project: readonly Step[];
  readonly pipeline: readonly Step[];
}

/** Decides what to do with every file. Reports what prevents a file from being written. */
export function layOut(
  found: Survey,
  ci: Ci,
  pipeline: Pipeline,
  diagnostics: Diagnostics,
): Layout {
  const template = projectTemplate(ci !== "none");
  return {
    project: projectSteps(found, template, diagnostics),
    pipeline: ci === "none" ? [] : pipelineSteps(found, ci, pipeline, diagnostics),
  };
}

function projectSteps(found: Survey, template: Template, diagnostics: Diagnostics): Step[] {
  const { root, config, stateInGit } = found;
  const own = (file: TemplateFile) => placed(root, root, file, diagnostics);
  const has = ({ file }: TemplateFile) => pathExists(join(root, file));
  const fits = exampleFits(found, template);
  // Only a configuration that refers to the schemas needs them.
  const wantsSchemas = template.schemas.some(({ file }) =>
    (config?.source.text ?? template.config.text).includes(file),
  );
  // The folder of the example is also the folder of existing menus, so check it in any case.
  const hasRoom = isFree(root, root, template.example.file, diagnostics);
  // A schema may be a link: editors follow links.
  const schema = (one: TemplateFile): Step[] =>
    has(one) ? [{ kind: "keep", path: join(root, one.file), ...one }] : own(one);
  return [
    own(template.config),
    // Before the menu: if there is a menu already, init does not add the agents of the sandbox.
    fits || has(template.snapshot) ? own(template.snapshot) : [],
    wantsSchemas ? template.schemas.flatMap(schema) : [],
    hasRoom && (fits || has(template.example)) ? own(template.example) : [],
    stateInGit ? [] : withLines(root, template.ignore, ignoresState, diagnostics),
    withLines(root, template.attributes, keepsState, diagnostics),
  ].flat();
}

function pipelineSteps(
  { root, top = root }: Survey,
  forge: Forge,
  pipeline: Pipeline,
  diagnostics: Diagnostics,
): Step[] {
  if (pipeline.kind === "impossible") {
    diagnostics.addFile(pipeline.code, pipeline.file, pipeline.problem, pipeline.hint);
    return [];
  }
  return pipelineTemplate(forge, pipeline.settings).flatMap((file) =>
    placed(root, top, file, diagnostics),
  );
}

/** Whether a file of the pipeline that was kept runs ivrctl. */
export function runsIvrctl({ path, text }: Step): boolean {
  try {
    const now = readFileSync(path, "utf8");
    const ours =
      /^[^#\n]*(?:node_modules\/ivrctl|\.gitlab\/ivrctl\.yml|uses:.*\bivrctl|ivrctl ci )/m;
    return now === text || ours.test(now);
  } catch {
    return false;
  }
}

/** A file that belongs to ivrctl alone: created, or kept as it is. */
function placed(
  root: string,
  base: string,
  { file, text }: TemplateFile,
  diagnostics: Diagnostics,
): Step[] {
  const path = join(base, file);
  const shown = slashed(relative(root, path));
  if (!isFree(root, base, file, diagnostics)) return [];
  return [{ kind: pathExists(path) ? "keep" : "create", file: shown, path, text }];
}

/** Whether the folders above a file are folders, or do not exist yet. */
function isFree(root: string, base: string, file: string, diagnostics: Diagnostics): boolean {
  const parts = file.split("/").slice(0, -1);
  for (const [at] of parts.entries()) {
    const folder = join(base, ...parts.slice(0, at + 1));
    const entry = lstatSync(folder, { throwIfNoEntry: false });
    if (entry === undefined) return true;
    if (entry.isDirectory()) continue;
    const shown = slashed(relative(root, folder));
    const what = entry.isSymbolicLink()
      ? "is a symbolic link, which ivrctl, GitHub and GitLab do not follow"
      : "is not a folder, so no file can be written into it";
    diagnostics.addFile("IVR121", shown, `${shown} ${what}.`, "Replace it with a folder.");
    return false;
  }
  return true;
}

/** A file that others write to as well: created, or extended at its end. */
function withLines(
  root: string,
  template: TemplateFile,
  isDecided: (line: string) => boolean,
  diagnostics: Diagnostics,
): Step[] {
  const { file, text } = template;
  if (!pathExists(join(root, file))) return placed(root, root, template, diagnostics);
  if (readProjectFile(root, file, "yamlFile", diagnostics) === undefined) return [];
  try {
    const path = realpathSync(join(root, file));
    const now = readFileSync(path, "utf8");
    if (now.split(/\r?\n/).some(isDecided)) return [{ kind: "keep", file, path, text }];
    return [{ kind: "change", file, path, text: appended(now, text) }];
  } catch (error) {
    diagnostics.addFile("IVR121", file, `${file} cannot be read: ${describeSystemError(error)}.`);
    return [];
  }
}

/** Whether a line of .gitignore already decides what git does with the state. */
function ignoresState(line: string): boolean {
  return /^\s*[^#\s]/.test(line) && /(?:^|[/!\s])\.ivrctl(?:\/|\s*$)/.test(line);
}

/** Whether a line of .gitattributes already decides how git treats the state. */
function keepsState(line: string): boolean {
  return /^\s*[^#\s]/.test(line) && /\.ivrctl\/\S*\s|\*\.jsonl\s/.test(line);
}

/** Appends lines after a blank line, with the line endings of the file. */
function appended(now: string, lines: string): string {
  const end = now.includes("\r\n") ? "\r\n" : "\n";
  const gap = now === "" ? "" : now.endsWith("\n") ? end : end + end;
  return now + gap + lines.replaceAll("\n", end);
}
