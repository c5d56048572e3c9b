import { type ChildProcess, spawn } from "node:child_process";
import * as vscode from "vscode";
import type { Commands, Project } from "./projects.ts";

/** The running `ivrctl edit` of each project. They stop with the editor. */
export class EditPages {
  readonly #commands: Commands;
  readonly #pages = new Map<
    string,
    { readonly child: ChildProcess; readonly url: Promise<string> }
  >();

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  async open(project: Project): Promise<void> {
    const page = this.#pages.get(project.root) ?? (await this.#start(project));
    if (page === undefined) return;
    try {
      const url = await page.url;
      await vscode.env.openExternal(vscode.Uri.parse(url, true));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      void vscode.window.showErrorMessage(`${project.name}: ${why}`);
    }
  }

  dispose(): void {
    for (const { child } of this.#pages.values()) child.kill("SIGINT");
  }

  async #start(project: Project) {
    const command = await this.#commands.find(project);
    if (command === undefined) return undefined;
    const { root } = project;
    const child = spawn(command, ["edit", "--port", "0"], { cwd: root });
    // The first line is the address. It has a key, so it is not logged.
    const url = new Promise<string>((resolve, reject) => {
      let [printed, said] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        if (printed.includes("\n")) resolve(printed.slice(0, printed.indexOf("\n")));
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
      child.on("error", reject);
      child.on("close", () => {
        this.#pages.delete(root);
        reject(new Error(said.trim().split("\n")[0] ?? "ivrctl edit ended."));
      });
    });
    const page = { child, url };
    this.#pages.set(root, page);
    return page;
  }
}
