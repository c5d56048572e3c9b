import * as vscode from "vscode";
import { menuFile } from "./project.ts";
import { type Commands, type Project, pathIn, projectAt } from "./projects.ts";

/** The picture beside the files: the flow of one menu, drawn again when a file is saved. */
export class Flow {
  readonly #commands: Commands;
  #panel: vscode.WebviewPanel | undefined;
  #shown: { readonly project: Project; readonly file: vscode.Uri | undefined } | undefined;
  #drawing = new AbortController();

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  /** Shows the menu at the cursor: the one that the cursor's link goes to, or else the one of the file. */
  async show(project: Project): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const file = editor && (await menuAt(project, editor));
    this.#panel ??= this.#open();
    this.#panel.reveal(undefined, true);
    await this.#draw(project, file);
  }

  /** Draws the menu of a file in the open picture, because the user now edits that file. */
  async follow(uri: vscode.Uri): Promise<void> {
    const project = projectAt(uri);
    const file = menuFile(uri.fsPath);
    const isShown = this.#shown?.file?.fsPath === file;
    if (this.#panel && project && file !== undefined && !isShown) {
      await this.#draw(project, vscode.Uri.file(file));
    }
  }

  async update({ uri }: vscode.TextDocument): Promise<void> {
    const { project, file } = this.#shown ?? {};
    if (project && projectAt(uri)?.root === project.root) await this.#draw(project, file);
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  #open(): vscode.WebviewPanel {
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel("ivrctl.flow", "Flow", beside, {
      enableScripts: false,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => {
      this.#panel = undefined;
      this.#shown = undefined;
    });
    return panel;
  }

  async #draw(project: Project, file: vscode.Uri | undefined): Promise<void> {
    this.#shown = { project, file };
    this.#drawing.abort();
    this.#drawing = new AbortController();
    const { signal } = this.#drawing;
    const paths = file === undefined ? [] : [pathIn(project, file)];
    const ran = await this.#commands.run(
      project,
      ["graph", "--format", "svg", "--", ...paths],
      signal,
    );
    if (ran === undefined || signal.aborted || this.#panel === undefined) return;
    const name = paths[0] ?? project.name;
    this.#panel.title = `Flow: ${name}`;
    this.#panel.webview.html = page(
      ran.stdout.startsWith("<svg") ? picture(ran.stdout, name) : problem(ran.stderr),
    );
  }
}

/** The menu that the cursor's link goes to, or else the menu of the file. */
async function menuAt(
  project: Project,
  { document, selection }: vscode.TextEditor,
): Promise<vscode.Uri | undefined> {
  if (projectAt(document.uri)?.root !== project.root) return undefined;
  const places = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
    "vscode.executeDefinitionProvider",
    document.uri,
    selection.active,
  );
  const [place] = places;
  const target = place && ("targetUri" in place ? place.targetUri : place.uri);
  const isMenu = target && projectAt(target) && menuFile(target.fsPath) !== undefined;
  const file = menuFile((isMenu ? target : document.uri).fsPath);
  return file === undefined ? undefined : vscode.Uri.file(file);
}

/** A page without scripts. The picture is an image, so nothing in it can run or load. */
function page(content: string): string {
  const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style>body.vscode-dark img { color-scheme: dark } img { height: auto; max-height: none; border-radius: 6px } pre { white-space: pre-wrap }</style>
<body>${content}</body>
</html>`;
}

/** A picture that is as wide as the panel, but never so small that people could not read it. */
function picture(svg: string, name: string): string {
  const data = Buffer.from(svg).toString("base64");
  const [, width] = /^<svg[^>]* width="(\d+)"/.exec(svg) ?? [];
  const style = `min-width: ${Math.round(Number(width) * 0.75)}px`;
  return `<img alt="Flow of ${escape(name)}" style="${style}" src="data:image/svg+xml;base64,${data}">`;
}

function problem(text: string): string {
  return `<p>ivrctl can't draw this menu:</p><pre>${escape(text)}</pre>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
