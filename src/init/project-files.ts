import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { readInside, reason } from "../project/files.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Ci, type Forge, isThere } from "./forge.ts";
import type { Telling } from "./pipeline.ts";
import { type Survey, exampleFits } from "./survey.ts";
import {
  type Template,
  type TemplateFile,
  pipelineTemplate,
  projectTemplate,
} from "./templates.ts";

/** What is to become of one file; `file` is its path from the project, with `/`. */
export type Step =
  | { readonly kind: "create"; readonly file: string; readonly path: string; readonly text: string }
  /** `text` is all that it holds then. */
  | { readonly kind: "change"; readonly file: string; readonly path: string; readonly text: string }
  /** `text` is what it would have been. */
  | { readonly kind: "keep"; readonly file: string; readonly path: string; readonly text: string };

/** In the order in which they are to be done: half of them done is a project that a second run completes. */
export interface Layout {
  readonly project: readonly Step[];
  readonly pipeline: readonly Step[];
}

/** All that is missing, and nothing else; what is in the way of any file is told. */
export function layOut(found: Survey, ci: Ci, telling: Telling, diagnostics: Diagnostics): Layout {
  const template = projectTemplate();
  return {
    project: projectSteps(found, template, diagnostics),
    pipeline: ci === "none" ? [] : pipelineSteps(found, ci, telling, diagnostics),
  };
}

function projectSteps(found: Survey, template: Template, diagnostics: Diagnostics): Step[] {
  const { root, config, stateInGit } = found;
  const own = (file: TemplateFile) => placed(root, root, file, diagnostics);
  const has = ({ file }: TemplateFile) => isThere(join(root, file));
  const fits = exampleFits(found, template);
  // Only a configuration that leads to the schemas has a use for them.
  const wantsSchemas = template.schemas.some(({ file }) =>
    (config?.source.text ?? template.config.text).includes(file),
  );
  // Menus that are there already lie in the same folder as the example would.
  const hasRoom = isFree(root, root, template.example.file, diagnostics);
  // Editors do follow links.
  const schema = (one: TemplateFile): Step[] =>
    has(one) ? [{ kind: "keep", path: join(root, one.file), ...one }] : own(one);
  return [
    own(template.config),
    // Before the menu: with a menu there, the sandbox's agents would not be added any more.
    fits || has(template.snapshot) ? own(template.snapshot) : [],
    wantsSchemas ? template.schemas.flatMap(schema) : [],
    hasRoom && (fits || has(template.example)) ? own(template.example) : [],
    stateInGit ? [] : withLines(root, template.ignore, ignoresState, diagnostics),
    withLines(root, template.attributes, keepsJournal, diagnostics),
  ].flat();
}

function pipelineSteps(
  { root, top = root }: Survey,
  forge: Forge,
  telling: Telling,
  diagnostics: Diagnostics,
): Step[] {
  if (telling.kind === "untold") {
    diagnostics.addFile(telling.code, telling.file, telling.problem, telling.hint);
    return [];
  }
  return pipelineTemplate(forge, telling.marks).flatMap((file) =>
    placed(root, top, file, diagnostics),
  );
}

/** Whether a pipeline's file that was kept has anything to do with ivrctl. */
export function runsIvrctl({ path, text }: Step): boolean {
  try {
    const now = readFileSync(path, "utf8");
    const ours = /^[^#\n]*(?:node_modules\/ivrctl|\.gitlab\/ivrctl\.yml|uses:.*\bivrctl)/m;
    return now === text || ours.test(now);
  } catch {
    return false;
  }
}

/** A file of its own: made, or left as it is. */
function placed(
  root: string,
  base: string,
  { file, text }: TemplateFile,
  diagnostics: Diagnostics,
): Step[] {
  const path = join(base, file);
  const shown = slashed(relative(root, path));
  if (!isFree(root, base, file, diagnostics)) return [];
  return [{ kind: isThere(path) ? "keep" : "create", file: shown, path, text }];
}

/** Whether all folders on the way to a file are folders, or can become some. */
function isFree(root: string, base: string, file: string, diagnostics: Diagnostics): boolean {
  const parts = file.split("/").slice(0, -1);
  for (const [at] of parts.entries()) {
    const folder = join(base, ...parts.slice(0, at + 1));
    const entry = lstatSync(folder, { throwIfNoEntry: false });
    if (entry === undefined) return true;
    if (entry.isDirectory()) continue;
    const shown = slashed(relative(root, folder));
    const what = entry.isSymbolicLink()
      ? "is a link, which neither ivrctl nor a forge follows"
      : "is not a folder, so nothing can be put there";
    diagnostics.addFile("IVR122", shown, `${shown} ${what}.`, "Put a folder in its place.");
    return false;
  }
  return true;
}

/** A file that is shared with others: made, or completed at its end. */
function withLines(
  root: string,
  template: TemplateFile,
  settles: (line: string) => boolean,
  diagnostics: Diagnostics,
): Step[] {
  const { file, text } = template;
  if (!isThere(join(root, file))) return placed(root, root, template, diagnostics);
  if (readInside(root, file, "yamlFile", diagnostics) === undefined) return [];
  try {
    const path = realpathSync(join(root, file));
    const now = readFileSync(path, "utf8");
    if (now.split(/\r?\n/).some(settles)) return [{ kind: "keep", file, path, text }];
    return [{ kind: "change", file, path, text: appended(now, text) }];
  } catch (error) {
    diagnostics.addFile("IVR123", file, `${file} cannot be read: ${reason(error)}.`);
    return [];
  }
}

/** Somebody has decided already what becomes of the state in git. */
function ignoresState(line: string): boolean {
  return /^\s*[^#\s]/.test(line) && /(?:^|[/!\s])\.ivrctl(?:\/|\s*$)/.test(line);
}

function keepsJournal(line: string): boolean {
  return /^\s*[^#\s]/.test(line) && /\.ivrctl\/\S*\.jsonl\s|\*\.jsonl\s/.test(line);
}

/** With the line ends that are there, and a blank line between. */
function appended(now: string, lines: string): string {
  const end = now.includes("\r\n") ? "\r\n" : "\n";
  const gap = now === "" ? "" : now.endsWith("\n") ? end : end + end;
  return now + gap + lines.replaceAll("\n", end);
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}
