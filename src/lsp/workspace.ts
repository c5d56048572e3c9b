import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { PublishDiagnosticsParams, TextDocuments } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { type LoadedProject, loadProject } from "../workspace/load-project.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import {
  fileKind,
  DiskFiles,
  configName,
  isFolder,
  leadsOutside,
  menuFolder,
} from "../project/files.ts";
import type { ProjectPlace } from "../workspace/open-project.ts";
import { projectRoot } from "../project/root.ts";
import { TextFiles } from "../project/text-files.ts";
import type { SchemaSubject } from "../workspace/file-schemas.ts";
import { pathExists, slashed } from "../util/disk.ts";
import { groupBy } from "../util/group-by.ts";
import { type FileUri, toProtocol } from "./convert.ts";
import type { OpenFile } from "./place.ts";

/** The options of the command line. */
export interface Settings extends Pick<ProjectPlace, "globals" | "host"> {
  /** The only project. If undefined, each file belongs to the nearest project. */
  readonly root: string | undefined;
}

/** What the workspace needs from the connection with the editor. */
export interface Editor {
  readonly documents: Pick<TextDocuments<TextDocument>, "all">;
  publish(params: PublishDiagnosticsParams): void;
  report(error: unknown): void;
}

/** A project with open files, as far as it has been checked. */
interface OpenProject {
  readonly root: string;
  readonly texts: TextFiles;
  /** The open files by their addresses, as the editor writes them. */
  files: ReadonlyMap<string, string>;
  loaded?: LoadedProject;
  /** The addresses of the files that the editor shows problems in. */
  published: ReadonlySet<string>;
}

/** The projects that the open files belong to. */
export class Workspace {
  readonly #settings: Settings;
  readonly #editor: Editor;
  readonly #projects = new Map<string, OpenProject>();
  #checking: Promise<void> | undefined;
  #isStale = false;

  constructor(settings: Settings, editor: Editor) {
    this.#settings = settings;
    this.#editor = editor;
  }

  /** Checks all projects again, because an open file or a file on disk may have changed. */
  recheck(): void {
    this.#isStale = true;
    this.#checking ??= this.#check();
  }

  /** An open file, when its last change has been checked. Undefined if ivrctl has no answers for it. */
  async find(uri: string): Promise<OpenFile | undefined> {
    await this.#checking;
    const project = [...this.#projects.values()].find(({ files }) => files.has(uri));
    const file = project?.files.get(uri) ?? "";
    const [subject, source, loaded] = [subjectOf(file), project?.texts.open(file), project?.loaded];
    if (!project || !subject || !source || !loaded) return undefined;
    return { project: loaded, source, subject, uriOf: (other) => uriOf(project, other) };
  }

  /** The projects with open files, when their last change has been checked. */
  async projects(): Promise<
    readonly { readonly project: LoadedProject; readonly uriOf: FileUri }[]
  > {
    await this.#checking;
    return [...this.#projects.values()].flatMap((open) =>
      open.loaded ? { project: open.loaded, uriOf: (file) => uriOf(open, file) } : [],
    );
  }

  #rootOf(uri: string): string | undefined {
    const path = pathOf(uri);
    if (path === undefined) return undefined;
    const { root = projectRoot(dirname(path)) } = this.#settings;
    const isProject = pathExists(resolve(root, configName));
    return isProject && !leadsOutside(relative(root, path)) ? root : undefined;
  }

  async #check(): Promise<void> {
    while (this.#isStale) {
      // Changes that arrived during the last check are checked together. The connection delivers them one by one.
      do {
        this.#isStale = false;
        await this.#settings.host.clock.sleep(10);
      } while (this.#isStale);
      const open = groupBy(this.#editor.documents.all(), ({ uri }) => this.#rootOf(uri));
      for (const root of new Set([...open.keys(), ...this.#projects.keys()])) {
        if (root !== undefined) await this.#checkProject(root, open.get(root) ?? []);
      }
    }
    this.#checking = undefined;
  }

  async #checkProject(root: string, open: readonly TextDocument[]): Promise<void> {
    const texts = new TextFiles({}, new DiskFiles(root));
    const opened = this.#projects.get(root);
    const project: OpenProject = opened ?? { root, texts, files: new Map(), published: new Set() };
    // Without an open file, the editor forgets all problems.
    if (open.length === 0) {
      this.#projects.delete(root);
      return this.#publish(project, []);
    }
    this.#projects.set(root, project);
    const fileOf = ({ uri }: TextDocument) => slashed(relative(root, pathOf(uri) ?? ""));
    project.files = new Map(open.map((document) => [document.uri, fileOf(document)]));
    project.texts.replace(new Map(open.map((document) => [fileOf(document), document.getText()])));
    const { globals, host } = this.#settings;
    try {
      project.loaded = await loadProject(
        { root, globals, host, files: project.texts },
        { paths: [], agentsRequired: false, advice: "all", tests: true },
      );
      if (!this.#isStale) this.#publish(project, project.loaded.diagnostics);
    } catch (error) {
      this.#editor.report(error);
    }
  }

  #publish(project: OpenProject, diagnostics: readonly Diagnostic[]): void {
    const byFile = groupBy(diagnostics, ({ file }) => uriOf(project, shownIn(project, file)));
    for (const uri of new Set([...project.published, ...byFile.keys()])) {
      const problems = byFile.get(uri) ?? [];
      const reported = problems.map((problem) =>
        toProtocol(problem, (file) => uriOf(project, file)),
      );
      this.#editor.publish({ uri, diagnostics: reported });
    }
    project.published = new Set(byFile.keys());
  }
}

/** The address of the file, as the editor writes it if it is open. */
function uriOf({ root, files }: OpenProject, file: string): string {
  const open = [...files].find(([, path]) => path === file);
  return open?.[0] ?? pathToFileURL(resolve(root, file)).href;
}

/** The path of a file on disk. Editors also open texts that have none. */
function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

/** The file to show a problem in. Editors do not show problems of folders and of missing files. */
function shownIn({ root, texts }: OpenProject, file: string): string {
  const path = join(root, file);
  const isFile = texts.open(file) !== undefined || (pathExists(path) && !isFolder(path));
  return isFile ? file : configName;
}

/** What a file of a project contains, by its path. */
function subjectOf(file: string): SchemaSubject | undefined {
  if (file === configName) return "config";
  if (!file.startsWith(`${menuFolder}/`) || !file.endsWith(".yaml")) return undefined;
  const kind = fileKind(file);
  return kind === "hidden" ? undefined : kind;
}
