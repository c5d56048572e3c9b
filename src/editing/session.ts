import type { ResolvedMenu } from "../compile/compiled-menu.ts";
import { Diagnostics, type FilePlace } from "../diagnostics/diagnostic.ts";
import { type Span, fileAndLine } from "../diagnostics/source.ts";
import { findSnapshot } from "../project/agents-lock.ts";
import { type FileChanges, changeFiles, undoUnfinished } from "../project/change-files.ts";
import { DiskFiles, type Files } from "../project/files.ts";
import { readRevision } from "../project/revision.ts";
import { TextFiles } from "../project/text-files.ts";
import { EditProblem } from "../references/edits.ts";
import type { Conflict, EditAnswer, EditRequest } from "../schema/edit-request.ts";
import { type LoadedProject, loadProject } from "../workspace/load-project.ts";
import type { ProjectPlace } from "../workspace/open-project.ts";
import { saveBranch } from "./branch.ts";
import { changedLines, draftsOf } from "./drafts.ts";
import { changesOf, edit, loaderOf } from "./edit.ts";
import { suggestedGreeting } from "./greeting.ts";
import { sharedIn } from "./shared.ts";
import { repairsIn } from "./test-edits.ts";

/** Loads what the page shows, from a project that is loaded if there is one. */
type OnChange = (project: LoadedProject | undefined) => Promise<LoadedProject | undefined>;

/** What a person edits on the page, step by step. Each step is written to the files at once. */
export class EditSession {
  readonly #place: ProjectPlace;
  readonly #onChange: OnChange;
  /** The project as the page shows it. If a file has changed since then, it is not written. */
  #known: LoadedProject | undefined;
  /** What the drafts are compared with, if it is no revision. */
  #start: Files | undefined;
  #steps: readonly FileChanges[] = [];
  #queue: Promise<unknown> = Promise.resolve();

  /** `onChange` runs after every change, before its answer, and may return the project that it loaded. */
  constructor(place: ProjectPlace, onChange: OnChange) {
    undoUnfinished(place.root);
    this.#place = place;
    this.#onChange = onChange;
  }

  know(project: LoadedProject | undefined): void {
    this.#known = project;
  }

  /** Whether the files still have the texts of the project that the page shows. */
  isCurrent(): boolean {
    const { files } = this.#place;
    const opened = this.#known?.opened;
    if (files === undefined || opened === undefined) return false;
    const all = [opened.source ?? [], opened.menus, opened.folders, opened.tests].flat();
    const isRead = new Set(all.map(({ file }) => file));
    const unread = new Diagnostics();
    const listed = files.list(unread).filter((file) => file.endsWith(".yaml"));
    return (
      listed.every((file) => isRead.has(file)) &&
      all.every(
        ({ file, text }) => files.has(file) && files.read(file, "yamlFile", unread)?.text === text,
      )
    );
  }

  /** Compares the drafts with the files of a project, because git has no revision. Returns these files. */
  compareWithStart({ opened, environment }: LoadedProject): Files {
    const list = findSnapshot(opened.files, environment?.name);
    const snapshot = list && opened.files.read(list, "agentList", new Diagnostics());
    const agentList = snapshot ? [snapshot] : [];
    const all = [opened.source ?? [], opened.menus, opened.folders, opened.tests, agentList].flat();
    const texts = all.map(({ file, text }) => [file, text]);
    this.#start = new TextFiles({}, new TextFiles(Object.fromEntries(texts)));
    return this.#start;
  }

  /** Does what the page asks for, one request after the other. */
  async act(request: EditRequest): Promise<EditAnswer> {
    const next = this.#queue.then(() => this.#act(request));
    this.#queue = next.catch(() => {});
    try {
      return await next;
    } catch (error) {
      if (!(error instanceof EditProblem)) throw error;
      const conflicts = error instanceof ConflictProblem ? { conflicts: error.conflicts } : {};
      return { refused: error.message, place: shownPlace(error.place), ...conflicts };
    }
  }

  async #act(request: EditRequest): Promise<EditAnswer> {
    if (request.do === "look") return this.#look();
    if (request.do === "save") {
      const saved = await saveBranch(this.#place, await this.#drafts(), request);
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
    const load = loaderOf(project, { agentsRequired: true });
    const { texts, menus, project: after } = await edit(project, request, load);
    this.#steps = [...this.#steps, this.#replace(changesOf(project, texts))];
    // The files now have these texts.
    await this.#changed({ ...after, opened: { ...after.opened, files: project.opened.files } });
    return { menus };
  }

  async #project(): Promise<LoadedProject> {
    const asked = { paths: [], agentsRequired: true, advice: "all", tests: true } as const;
    this.#known ??= await loadProject(this.#place, asked);
    return this.#known;
  }

  async #changed(project?: LoadedProject): Promise<void> {
    this.#known = undefined;
    this.#known = await this.#onChange(project);
  }

  async #look(): Promise<EditAnswer> {
    const project = await this.#project();
    const { agents, environment, menus } = project;
    const revision = this.#start ? undefined : await this.#revision();
    const byKey = <T>(valueOf: (menu: ResolvedMenu) => T | undefined): Record<string, T> =>
      Object.fromEntries(
        menus.flatMap((menu) => {
          const value = valueOf(menu);
          return menu.key === undefined || value === undefined ? [] : [[menu.key, value]];
        }),
      );
    return {
      agents: agents?.list.flatMap(({ eid, name, team, departments, intercom, blocked }) =>
        eid === null ? [] : { eid, name, team, departments, intercom, blocked },
      ),
      destinations: [...(environment?.destinations ?? [])].flatMap(([alias, { kind, id }]) =>
        kind === undefined || id === undefined ? [] : { alias, kind, id },
      ),
      shared: sharedIn(project),
      recordings: [...(environment?.recordings ?? [])].flatMap(([alias, { id, named, says }]) =>
        id === undefined && named === undefined ? [] : { alias, says: says?.value },
      ),
      smsTemplates: environment?.smsTemplatesEnabled ? [...environment.smsTemplates.keys()] : [],
      vars: byKey(({ vars, usedVars }) => Object.fromEntries(vars.valuesOf(usedVars))),
      greetings: byKey(suggestedGreeting),
      repairs: repairsIn(project),
      drafts: await this.#drafts(),
      hasGit: revision !== undefined,
      canUndo: this.#steps.length > 0,
    };
  }

  async #revision() {
    const { root, host } = this.#place;
    const environment = (await this.#project()).environment?.name ?? "";
    const asked = { root, host, ref: "HEAD", environment, tests: true };
    return readRevision(asked, new Diagnostics());
  }

  async #drafts() {
    const past = this.#start ?? (await this.#revision())?.files;
    return past === undefined ? [] : draftsOf(this.#place.root, past);
  }

  /** Writes all files or none. A file that somebody changed since it was read stays as it is. */
  #replace(step: FileChanges): FileChanges {
    const { root } = this.#place;
    const problems = new Diagnostics();
    const changed = changeFiles(root, step, problems);
    if (changed !== undefined) return changed;
    const [problem] = problems.sorted();
    const { message = "The files cannot be written." } = problem ?? {};
    const now = new DiskFiles(root);
    const conflicts = [...step].flatMap(([file, { before, after }]): Conflict[] => {
      const text = now.has(file) ? now.read(file, "yamlFile", new Diagnostics())?.text : undefined;
      if (text === before?.replace(/^\uFEFF/, "")) return [];
      const theirs = changedLines(file, before, text);
      return [{ file, theirs, yours: changedLines(file, before, after) }];
    });
    throw new ConflictProblem(message, problem ?? { file: "" }, conflicts);
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

/** Files that somebody else changed, so that nothing is written. */
class ConflictProblem extends EditProblem {
  readonly conflicts: readonly Conflict[];

  constructor(message: string, place: Span | FilePlace, conflicts: readonly Conflict[]) {
    super(message, place);
    this.conflicts = conflicts;
  }
}

function shownPlace(place: Span | FilePlace): string {
  if ("source" in place) return fileAndLine(place);
  return place.line === undefined ? place.file : `${place.file}:${place.line}`;
}
