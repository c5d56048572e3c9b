import { lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Diagnostics, type FilePlace } from "../diagnostics/diagnostic.ts";
import { Source, type Span, fileAndLine } from "../diagnostics/source.ts";
import { DiskFiles } from "../project/files.ts";
import { TextFiles } from "../project/text-files.ts";
import { folderInTheWay, rewriteAll, writeNew } from "../project/write-file.ts";
import { EditProblem } from "../references/edits.ts";
import type { EditAnswer, EditRequest } from "../schema/edit-request.ts";
import { type LoadedProject, loadProject } from "../workspace/load-project.ts";
import type { ProjectPlace } from "../workspace/open-project.ts";
import { saveBranch } from "./branch.ts";
import { draftsOf } from "./drafts.ts";
import { type Load, edit } from "./edit.ts";
import { sharedIn } from "./shared.ts";
import type { Texts } from "./at.ts";

/** The texts of files before and after an edit. A file that did not exist has no text before. */
type Step = ReadonlyMap<string, { readonly before: string | undefined; readonly after: string }>;

/** What a person edits on the page, step by step. Each step is written to the files at once. */
export class EditSession {
  readonly #place: ProjectPlace;
  readonly #onChange: () => Promise<LoadedProject | undefined>;
  /** The project as the page shows it. If a file has changed since then, it is not written. */
  #known: LoadedProject | undefined;
  #steps: readonly Step[] = [];
  #queue: Promise<unknown> = Promise.resolve();

  /** `onChange` runs after every change, before its answer, and may return the project that it loaded. */
  constructor(place: ProjectPlace, onChange: () => Promise<LoadedProject | undefined>) {
    this.#place = place;
    this.#onChange = onChange;
  }

  /** Remembers the project that was loaded last. */
  know(project: LoadedProject | undefined): void {
    this.#known = project;
  }

  /** Does what the page asks for, one request after the other. */
  async act(request: EditRequest): Promise<EditAnswer> {
    const next = this.#queue.then(() => this.#act(request));
    this.#queue = next.catch(() => {});
    try {
      return await next;
    } catch (error) {
      if (!(error instanceof EditProblem)) throw error;
      return { refused: error.message, place: shownPlace(error.place) };
    }
  }

  async #act(request: EditRequest): Promise<EditAnswer> {
    if (request.do === "look") return this.#look();
    if (request.do === "save") {
      const saved = await saveBranch(this.#place, await draftsOf(this.#place), request);
      // What is committed is undone with git.
      this.#steps = [];
      await this.#changed();
      return saved;
    }
    if (request.do === "undo") {
      this.#undo();
      await this.#changed();
      return {};
    }
    const project = await this.#project();
    const { texts, menus } = await edit(project, request, this.#load);
    this.#write(texts, project);
    await this.#changed();
    return { menus };
  }

  async #project(): Promise<LoadedProject> {
    return this.#known ?? this.#load(new Map());
  }

  async #changed(): Promise<void> {
    this.#known = undefined;
    this.#known = await this.#onChange();
  }

  async #look(): Promise<EditAnswer> {
    const project = await this.#project();
    const { agents } = project;
    return {
      agents: agents?.list.flatMap(({ eid, name, team, departments, intercom, blocked }) =>
        eid === null ? [] : { eid, name, team, departments, intercom, blocked },
      ),
      shared: Object.fromEntries(
        Array.from(sharedIn(project), ([key, paths]) => [
          key,
          Object.fromEntries(
            Array.from(paths, ([path, { file, menus }]) => [path, { file, count: menus.length }]),
          ),
        ]),
      ),
      drafts: await draftsOf(this.#place),
      canUndo: this.#steps.length > 0,
    };
  }

  readonly #load: Load = (texts: Texts): Promise<LoadedProject> =>
    loadProject(
      {
        ...this.#place,
        files: new TextFiles(Object.fromEntries(texts), new DiskFiles(this.#place.root)),
      },
      { paths: [], agentsRequired: true, advice: "all", tests: true },
    );

  /** Writes all files or none. A file that somebody changed since it was read stays as it is. */
  #write(texts: Texts, { opened }: LoadedProject): void {
    const { root } = this.#place;
    const sources = [opened.source ?? [], opened.menus, opened.folders, opened.tests].flat();
    const step: Step = new Map(
      Array.from(texts, ([file, after]) => {
        const wrong = folderInTheWay(root, file);
        if (wrong !== undefined) throw new EditProblem(`${wrong}.`, { file });
        return [file, { before: sources.find((one) => one.file === file)?.text, after }];
      }),
    );
    this.#replace(step, new Diagnostics());
    this.#steps = [...this.#steps, step];
  }

  #replace(step: Step, found: Diagnostics): void {
    const { root } = this.#place;
    const known = new Map<Source, string>();
    for (const [file, { before, after }] of step) {
      if (before !== undefined) known.set(new Source(file, before), after);
    }
    const isWritten =
      rewriteAll(root, known, found) &&
      [...step].every(
        ([file, { before, after }]) => before !== undefined || writeNew(root, file, after, found),
      );
    if (isWritten) return;
    const [problem] = found.sorted();
    throw new EditProblem(
      problem?.message ?? "The files cannot be written.",
      problem ?? { file: "" },
    );
  }

  /** Takes the last step back, if its files still have the texts that it wrote. */
  #undo(): void {
    const { root } = this.#place;
    const step = this.#steps.at(-1);
    if (step === undefined) throw new EditProblem("There is nothing to undo.", { file: "ivrs" });
    for (const [file, { after }] of step) {
      const path = join(root, file);
      const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
      if (isFile && readFileSync(path, "utf8").replace(/^\uFEFF/, "") === after) continue;
      const message = `${file} was changed by somebody else since. Undo it by hand.`;
      throw new EditProblem(message, { file });
    }
    const back: Step = new Map(
      [...step].flatMap(([file, { before, after }]) =>
        before === undefined ? [] : [[file, { before: after, after: before }]],
      ),
    );
    this.#replace(back, new Diagnostics());
    for (const [file, { before }] of step) if (before === undefined) rmSync(join(root, file));
    this.#steps = this.#steps.slice(0, -1);
  }
}

function shownPlace(place: Span | FilePlace): string {
  if ("source" in place) return fileAndLine(place);
  return place.line === undefined ? place.file : `${place.file}:${place.line}`;
}
