import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { PublishDiagnosticsParams } from "vscode-languageserver";
import { type LoadedProject, loadProject } from "../compile/load-project.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { fileKind } from "../project/file-kind.ts";
import { DiskFiles, configName, isFolder, leadsOutside, menuFolder } from "../project/files.ts";
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

/** The open files, and the projects that they belong to. */
export class Workspace {
  readonly #settings: Settings;
  readonly #editor: Editor;
  readonly #projects = new Map<string, OpenProject>();
  readonly #files = new Map<string, { readonly project: OpenProject; readonly file: string }>();

  constructor(settings: Settings, editor: Editor) {
    this.#settings = settings;
    this.#editor = editor;
  }

  /** Takes over the text of a file and checks its project again. */
  change(uri: string, path: string, text: string): void {
    const root = this.#rootOf(path);
    const known = this.#files.get(uri)?.project;
    if (known !== undefined && known.root !== root) this.close(uri);
    if (root === undefined) return;
    const project = this.#projects.get(root) ?? new OpenProject(root, this.#settings, this.#editor);
    this.#projects.set(root, project);
    const file = slashed(relative(root, path));
    this.#files.set(uri, { project, file });
    project.open(file, uri, text);
  }

  close(uri: string): void {
    const known = this.#files.get(uri);
    if (known === undefined) return;
    this.#files.delete(uri);
    if (!known.project.close(known.file)) this.#projects.delete(known.project.root);
  }

  /** Checks all projects again, because a file on disk may have changed. */
  recheck(): void {
    for (const project of this.#projects.values()) project.check();
  }

  /** An open file, when its last change has been checked. Undefined if ivrctl has no answers for it. */
  async find(uri: string): Promise<OpenFile | undefined> {
    const known = this.#files.get(uri);
    return known?.project.find(known.file);
  }

  #rootOf(path: string): string | undefined {
    const { root = projectRoot(dirname(path), this.#settings.host) } = this.#settings;
    const isProject = pathExists(resolve(root, configName));
    return isProject && !leadsOutside(relative(root, path)) ? root : undefined;
  }
}

/** A project with an open file. */
class OpenProject {
  readonly root: string;
  readonly #settings: Settings;
  readonly #editor: Editor;
  readonly #texts: TextFiles;
  /** The addresses of the open files, as the editor writes them. */
  readonly #uris = new Map<string, string>();
  #published: ReadonlySet<string> = new Set();
  #loaded: LoadedProject | undefined;
  #checking: Promise<void> | undefined;
  #isStale = false;

  constructor(root: string, settings: Settings, editor: Editor) {
    this.root = root;
    this.#texts = new TextFiles({}, new DiskFiles(root));
    this.#settings = settings;
    this.#editor = editor;
  }

  open(file: string, uri: string, text: string): void {
    this.#uris.set(file, uri);
    this.#texts.set(file, text);
    this.check();
  }

  /** Closes a file. Returns whether another file is open. If not, the editor forgets all problems. */
  close(file: string): boolean {
    this.#uris.delete(file);
    this.#texts.set(file, undefined);
    this.check();
    return this.#uris.size > 0;
  }

  /** Starts a check, or another one after the current one. */
  check(): void {
    this.#isStale = true;
    this.#checking ??= this.#check();
  }

  /** An open file, after its last change has been checked. Undefined if ivrctl failed. */
  async find(file: string): Promise<OpenFile | undefined> {
    const subject = subjectOf(file);
    await this.#checking;
    const source = this.#texts.open(file);
    if (subject === undefined || this.#loaded === undefined || source === undefined)
      return undefined;
    return { project: this.#loaded, source, subject, uriOf: this.#uriOf };
  }

  readonly #uriOf = (file: string): string =>
    this.#uris.get(file) ?? pathToFileURL(resolve(this.root, file)).href;

  async #check(): Promise<void> {
    while (this.#isStale) {
      // Changes that arrived during the last check are checked together. The connection delivers them one by one.
      do {
        this.#isStale = false;
        await this.#settings.host.clock.sleep(10);
      } while (this.#isStale);
      try {
        this.#loaded = await this.#load();
        if (!this.#isStale) this.#publish(this.#uris.size > 0 ? this.#loaded.diagnostics : []);
      } catch (error) {
        this.#editor.report(error);
      }
    }
    this.#checking = undefined;
  }

  async #load(): Promise<LoadedProject> {
    const { globals, host } = this.#settings;
    return loadProject(
      { root: this.root, globals, host, files: this.#texts },
      { paths: [], agentsRequired: false, advice: "all", tests: true },
    );
  }

  #publish(diagnostics: readonly Diagnostic[]): void {
    const byFile = groupBy(diagnostics, ({ file }) => this.#uriOf(this.#shownIn(file)));
    for (const [uri, own] of byFile) {
      this.#editor.publish({ uri, diagnostics: own.map((one) => toProtocol(one, this.#uriOf)) });
    }
    for (const uri of this.#published) {
      if (!byFile.has(uri)) this.#editor.publish({ uri, diagnostics: [] });
    }
    this.#published = new Set(byFile.keys());
  }

  /** The file to show a problem in. Editors do not show problems of folders and of missing files. */
  #shownIn(file: string): string {
    const path = join(this.root, file);
    const isFile = this.#uris.has(file) || (pathExists(path) && !isFolder(path));
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
