import { Diagnostics, type FilePlace } from "../diagnostics/diagnostic.ts";
import { type Span, fileAndLine } from "../diagnostics/source.ts";
import { type FileChanges, changeFiles, undoUnfinished } from "../project/change-files.ts";
import { EditProblem } from "../references/edits.ts";
import type { EditAnswer, EditRequest } from "../schema/edit-request.ts";
import { type LoadedProject, loadProject } from "../workspace/load-project.ts";
import type { ProjectPlace } from "../workspace/open-project.ts";
import { saveBranch } from "./branch.ts";
import { draftsOf } from "./drafts.ts";
import { changesOf, edit } from "./edit.ts";
import { sharedIn } from "./shared.ts";

/** What a person edits on the page, step by step. Each step is written to the files at once. */
export class EditSession {
  readonly #place: ProjectPlace;
  readonly #onChange: () => Promise<LoadedProject | undefined>;
  /** The project as the page shows it. If a file has changed since then, it is not written. */
  #known: LoadedProject | undefined;
  #steps: readonly FileChanges[] = [];
  #queue: Promise<unknown> = Promise.resolve();

  /** `onChange` runs after every change, before its answer, and may return the project that it loaded. */
  constructor(place: ProjectPlace, onChange: () => Promise<LoadedProject | undefined>) {
    undoUnfinished(place.root);
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
    const { texts, menus } = await edit(project, request);
    this.#write(changesOf(project, texts));
    await this.#changed();
    return { menus };
  }

  async #project(): Promise<LoadedProject> {
    const asked = { paths: [], agentsRequired: true, advice: "all", tests: true } as const;
    return this.#known ?? loadProject(this.#place, asked);
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

  /** Writes all files or none. A file that somebody changed since it was read stays as it is. */
  #write(changes: FileChanges): void {
    this.#replace(changes);
    this.#steps = [...this.#steps, changes];
  }

  #replace(step: FileChanges): void {
    const found = new Diagnostics();
    if (changeFiles(this.#place.root, step, found)) return;
    const [problem] = found.sorted();
    const { message = "The files cannot be written." } = problem ?? {};
    throw new EditProblem(message, problem ?? { file: "" });
  }

  /** Takes the last step back, if its files still have the texts that it wrote. */
  #undo(): void {
    const step = this.#steps.at(-1);
    if (step === undefined) throw new EditProblem("There is nothing to undo.", { file: "ivrs" });
    this.#replace(
      new Map(
        Array.from(step, ([file, { before, after }]) => [file, { before: after, after: before }]),
      ),
    );
    this.#steps = this.#steps.slice(0, -1);
  }
}

function shownPlace(place: Span | FilePlace): string {
  if ("source" in place) return fileAndLine(place);
  return place.line === undefined ? place.file : `${place.file}:${place.line}`;
}
