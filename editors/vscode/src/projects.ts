import { basename, relative } from "node:path";
import * as vscode from "vscode";
import { type Installed, type Ran, execute, findInstalled } from "./installed.ts";
import { projectOf } from "./project.ts";

/** A project in a trusted workspace, and the ivrctl that works on it. */
export interface Project {
  readonly root: string;
  readonly folder: vscode.WorkspaceFolder;
  /** For people: the folder as they see it in the explorer. */
  readonly name: string;
}

/** Returns the project that a file of the workspace belongs to. */
export function projectAt(uri: vscode.Uri | undefined): Project | undefined {
  const folder = uri?.scheme === "file" ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
  if (uri === undefined || folder === undefined) return undefined;
  const root = projectOf(uri.fsPath, folder.uri.fsPath);
  if (root === undefined) return undefined;
  const below = relative(folder.uri.fsPath, root);
  return { root, folder, name: below === "" ? folder.name : below };
}

/** Returns all projects in the workspace, sorted by folder. */
export async function allProjects(): Promise<readonly Project[]> {
  const configs = await vscode.workspace.findFiles("**/ivrctl.yaml", "**/node_modules/**");
  return configs
    .flatMap((uri) => projectAt(uri) ?? [])
    .toSorted((a, b) => (a.root < b.root ? -1 : 1));
}

/** Returns the project of the active file, or else the only one, or else the one that the user picks. */
export async function chooseProject(): Promise<Project | undefined> {
  const active = projectAt(vscode.window.activeTextEditor?.document.uri);
  if (active) return active;
  const projects = await allProjects();
  if (projects.length === 0) {
    void vscode.window.showErrorMessage(
      "This workspace has no ivrctl project. Open a folder that has ivrctl.yaml, or run `ivrctl init` in an empty one.",
    );
  }
  if (projects.length <= 1) return projects[0];
  const items = projects.map((project) => ({ label: project.name, project }));
  const picked = await vscode.window.showQuickPick(items, { placeHolder: "Choose a project" });
  return picked?.project;
}

/** Finds the ivrctl of each project, and tells the user once if there is none. */
export class Commands {
  readonly #log: vscode.LogOutputChannel;
  readonly #install: vscode.Uri;
  /** The problems that the user has seen, so that each opened file does not repeat them. */
  readonly #reported = new Set<string>();

  constructor(log: vscode.LogOutputChannel, extension: vscode.Uri) {
    this.#log = log;
    this.#install = vscode.Uri.joinPath(extension, "readme.md").with({
      fragment: "install-ivrctl",
    });
  }

  /** The command of a project. Undefined, and reported, if none can be used. */
  async find(project: Project): Promise<string | undefined> {
    const installed = await findInstalled({
      root: project.root,
      workspaceFolder: project.folder.uri.fsPath,
      setting: vscode.workspace.getConfiguration("ivrctl").get("command", ""),
      path: process.env["PATH"] ?? "",
    });
    if (installed.kind !== "found") {
      void this.#report(project, installed);
      return undefined;
    }
    this.#log.info(`${project.name}: ivrctl ${installed.version}, ${installed.command}`);
    return installed.command;
  }

  /** Runs ivrctl in a project to its end. Undefined, and reported, if there is no ivrctl. */
  async run(
    project: Project,
    args: readonly string[],
    signal?: AbortSignal,
  ): Promise<Ran | undefined> {
    const command = await this.find(project);
    if (command === undefined) return undefined;
    return execute(command, args, { cwd: project.root, ...(signal && { signal }) });
  }

  /** Reports the same problems again, because the user has asked for it. */
  forget(): void {
    this.#reported.clear();
  }

  async #report({ name }: Project, { why }: Exclude<Installed, { kind: "found" }>): Promise<void> {
    const message = `${name}: ${why}`;
    this.#log.error(message);
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    const how = "How to Install";
    if ((await vscode.window.showErrorMessage(message, how)) !== how) return;
    await vscode.commands.executeCommand("markdown.showPreview", this.#install);
  }
}

/** The path of a file from its project, as ivrctl prints it. */
export function pathIn({ root }: Project, uri: vscode.Uri): string {
  return relative(root, uri.fsPath) || basename(uri.fsPath);
}
