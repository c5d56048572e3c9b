import * as vscode from "vscode";
import { EditPages } from "./edit-page.ts";
import { Flow } from "./flow.ts";
import { MenuTests } from "./menu-tests.ts";
import { Commands, type Project, chooseProject, projectAt } from "./projects.ts";
import { Servers } from "./servers.ts";

let servers: Servers | undefined;

/** VS Code calls this when the workspace is trusted, and has a project or a file that looks like one of a project. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("ivrctl", { log: true });
  const commands = new Commands(log, context.extensionUri);
  const running = new Servers(commands, log);
  servers = running;
  const edit = new EditPages(commands);
  const flow = new Flow(commands);
  const tests = new MenuTests(commands);

  /** Registers a command that works on one project. */
  const command = (name: string, run: (project: Project) => Promise<unknown>) =>
    vscode.commands.registerCommand(`ivrctl.${name}`, async () => {
      commands.forget();
      const project = await chooseProject();
      if (project) await run(project);
    });
  const { workspace, window } = vscode;
  const open = async (document: vscode.TextDocument) => {
    // The patterns of package.json also match files named ivrs/*.yaml that belong to no project.
    const { uri, languageId } = document;
    if (uri.scheme === "file" && languageId === "ivrctl" && projectAt(uri) === undefined) {
      await vscode.languages.setTextDocumentLanguage(document, "yaml");
    }
    await running.open(document);
  };
  context.subscriptions.push(
    log,
    edit,
    flow,
    tests,
    vscode.commands.registerCommand("ivrctl.restart", async () => running.restart()),
    command("edit", async (project) => edit.open(project)),
    command("flow", async (project) => flow.show(project)),
    command("test", async (project) =>
      tests.runFile(project, window.activeTextEditor?.document.uri),
    ),
    command("plan", async (project) => plan(project, commands)),
    workspace.onDidOpenTextDocument(open),
    workspace.onDidSaveTextDocument(async (document) => {
      await Promise.all([flow.update(document), tests.update(document)]);
    }),
    workspace.onDidChangeWorkspaceFolders(async () => running.prune()),
    workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("ivrctl.command")) await running.restart();
    }),
    window.onDidChangeActiveTextEditor(async (editor) => {
      if (editor) await flow.follow(editor.document.uri);
    }),
  );
  for (const document of workspace.textDocuments) void open(document);
}

export async function deactivate(): Promise<void> {
  await servers?.stop();
}

/** Runs `ivrctl plan` in a terminal, with its colors. */
async function plan(project: Project, commands: Commands): Promise<void> {
  const command = await commands.find(project);
  if (command === undefined) return;
  const execution = new vscode.ProcessExecution(command, ["plan"], { cwd: project.root });
  const task = new vscode.Task({ type: "ivrctl" }, project.folder, "plan", "ivrctl", execution);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  await vscode.tasks.executeTask(task);
}
