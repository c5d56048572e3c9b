import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { PublishDiagnosticsParams } from "vscode-languageserver";
import { type LoadedProject, loadProject } from "../compile/load-project.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import {
  fileKind,
  DiskFiles,
  configName,
  isFolder,
  leadsOutside,
  menuFolder,
} from "../project/files.ts";
import type { ProjectPlace } from "../project/open-project.ts";
import { projectRoot } from "../project/root.ts";
import { TextFiles } from "../project/text-files.ts";
import type { Subject } from "../schema/json-schema.ts";
import { pathExists, slashed } from "../util/disk.ts";
import { groupBy } from "../util/group-by.ts";
import { toProtocol } from "./convert.ts";
import type { OpenFile } from "./place.ts";

/** The options of the command line. */
export interface Settings extends Pick<ProjectPlace, "globals" | "host"> {
  /** The only project. If undefined, each file belongs to the nearest project. */
  readonly root: string | undefined;
}

/** What the workspace needs from the connection with the editor. */
export interface Editor {
  publish(params: PublishDiagnosticsParams): void;
  report(error: unknown): void;
}

/** A project with open files, as far as it has been checked. */
interface OpenProject {
  readonly root: string;
  readonly texts: TextFiles;
  loaded?: LoadedProject;
  /** The addresses of the files that the editor shows problems in. */
  published: ReadonlySet<string>;
}

/** The open files, and the projects that they belong to. */
export class Workspace {
  readonly #settings: Settings;
  readonly #editor: Editor;
  readonly #projects = new Map<string, OpenProject>();
  /** By the addresses of the files, as the editor writes them. */
  readonly #files = new Map<string, { readonly project: OpenProject; readonly file: string }>();
  #checking: Promise<void> | undefined;
  #isStale = false;

  constructor(settings: Settings, editor: Editor) {
    this.#settings = settings;
    this.#editor = editor;
  }

  /** Takes over the text of a file and checks its project again. */
  change(uri: string, path: string, text: string): void {
    const root = this.#rootOf(path);
    if (this.#files.get(uri)?.project.root !== root) this.close(uri);
    if (root === undefined) return;
    const texts = new TextFiles({}, new DiskFiles(root));
    const project = this.#projects.get(root) ?? { root, texts, published: new Set() };
    this.#projects.set(root, project);
    const file = slashed(relative(root, path));
    this.#files.set(uri, { project, file });
    project.texts.set(file, text);
    this.recheck();
  }

  close(uri: string): void {
    const known = this.#files.get(uri);
    this.#files.delete(uri);
    known?.project.texts.set(known.file, undefined);
    this.recheck();
  }

  /** Checks all projects again, because an open file or a file on disk may have changed. */
  recheck(): void {
    this.#isStale = true;
    this.#checking ??= this.#check();
  }

  /** An open file, when its last change has been checked. Undefined if ivrctl has no answers for it. */
  async find(uri: string): Promise<OpenFile | undefined> {
    const known = this.#files.get(uri);
    const subject = known && subjectOf(known.file);
    await this.#checking;
    const source = known?.project.texts.open(known.file);
    const { loaded } = known?.project ?? {};
    if (!known || !subject || !loaded || !source) return undefined;
    const uriOf = (file: string) => this.#uriOf(known.project, file);
    return { project: loaded, source, subject, uriOf };
  }

  #rootOf(path: string): string | undefined {
    const { root = projectRoot(dirname(path), this.#settings.host) } = this.#settings;
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
      for (const project of this.#projects.values()) await this.#checkProject(project);
    }
    this.#checking = undefined;
  }

  async #checkProject(project: OpenProject): Promise<void> {
    const { root, texts } = project;
    // Without an open file, the editor forgets all problems.
    if (![...this.#files.values()].some((own) => own.project === project)) {
      this.#projects.delete(root);
      return this.#publish(project, []);
    }
    const { globals, host } = this.#settings;
    try {
      project.loaded = await loadProject(
        { root, globals, host, files: texts },
        { paths: [], agentsRequired: false, advice: "all", tests: true },
      );
      if (!this.#isStale) this.#publish(project, project.loaded.diagnostics);
    } catch (error) {
      this.#editor.report(error);
    }
  }

  #publish(project: OpenProject, diagnostics: readonly Diagnostic[]): void {
    const uriOf = (file: string) => this.#uriOf(project, file);
    const byFile = groupBy(diagnostics, ({ file }) => uriOf(this.#shownIn(project, file)));
    for (const uri of new Set([...project.published, ...byFile.keys()])) {
      const own = byFile.get(uri) ?? [];
      this.#editor.publish({ uri, diagnostics: own.map((one) => toProtocol(one, uriOf)) });
    }
    project.published = new Set(byFile.keys());
  }

  /** The address of the file, as the editor writes it if it is open. */
  #uriOf(project: OpenProject, file: string): string {
    const open = [...this.#files].find(([, own]) => own.project === project && own.file === file);
    return open?.[0] ?? pathToFileURL(resolve(project.root, file)).href;
  }

  /** The file to show a problem in. Editors do not show problems of folders and of missing files. */
  #shownIn({ root, texts }: OpenProject, file: string): string {
    const path = join(root, file);
    const isFile = texts.open(file) !== undefined || (pathExists(path) && !isFolder(path));
    return isFile ? file : configName;
  }
}

/** What a file of a project contains, by its path. */
function subjectOf(file: string): Subject | undefined {
  if (file === configName) return "config";
  if (!file.startsWith(`${menuFolder}/`) || !file.endsWith(".yaml")) return undefined;
  const kind = fileKind(file);
  return kind === "hidden" ? undefined : kind;
}
