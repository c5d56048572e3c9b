import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
} from "vscode-languageclient/node.js";
import { asGlob } from "./project.ts";
import { type Commands, type Project, projectAt } from "./projects.ts";

/** The language servers, one for each project with an open file: projects may have different versions of ivrctl. */
export class Servers {
  readonly #commands: Commands;
  readonly #log: vscode.LogOutputChannel;
  readonly #servers = new Map<string, Server>();

  constructor(commands: Commands, log: vscode.LogOutputChannel) {
    this.#commands = commands;
    this.#log = log;
  }

  /** Starts the server of a file's project, if it is not running. */
  async open({ uri, languageId }: vscode.TextDocument): Promise<void> {
    const project = languageId === "ivrctl" ? projectAt(uri) : undefined;
    if (project === undefined || this.#servers.has(project.root)) return;
    const server = new Server(project, this.#commands, this.#log);
    this.#servers.set(project.root, server);
    if (!(await server.start())) this.#servers.delete(project.root);
  }

  async restart(): Promise<void> {
    this.#commands.forget();
    await this.stop();
    await Promise.all(vscode.workspace.textDocuments.map(async (document) => this.open(document)));
  }

  /** Stops the servers of projects that are no longer in the workspace. */
  async prune(): Promise<void> {
    const isGone = (server: Server) =>
      vscode.workspace.getWorkspaceFolder(server.project.folder.uri) === undefined;
    await this.#stop([...this.#servers.values()].filter(isGone));
  }

  async stop(): Promise<void> {
    await this.#stop([...this.#servers.values()]);
  }

  async #stop(servers: readonly Server[]): Promise<void> {
    for (const { project } of servers) this.#servers.delete(project.root);
    await Promise.all(servers.map(async (server) => server.stop()));
  }
}

/** The language server of a project. It is started once more if it ends on its own. */
class Server {
  readonly project: Project;
  readonly #commands: Commands;
  readonly #log: vscode.LogOutputChannel;
  #client: LanguageClient | undefined;
  #crashes = 0;
  #isStopped = false;
  #starting: Promise<boolean> | undefined;

  constructor(project: Project, commands: Commands, log: vscode.LogOutputChannel) {
    this.project = project;
    this.#commands = commands;
    this.#log = log;
  }

  /** Returns whether the project has an ivrctl. */
  async start(): Promise<boolean> {
    this.#starting = this.#start();
    return this.#starting;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#starting;
    if (this.#client?.isRunning() === true) await this.#client.stop();
  }

  async #start(): Promise<boolean> {
    const command = await this.#commands.find(this.project);
    if (command === undefined || this.#isStopped) return false;
    const { root } = this.project;
    const pattern = (path: string) => ({
      scheme: "file",
      language: "ivrctl",
      pattern: `${asGlob(root)}/${path}`,
    });
    const client = new LanguageClient(
      "ivrctl",
      "ivrctl",
      { command, args: ["-C", root, "lsp"], options: { cwd: root } },
      {
        documentSelector: [pattern("ivrctl.yaml"), pattern("ivrs/**/*.yaml")],
        workspaceFolder: this.project.folder,
        outputChannel: this.#log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        initializationFailedHandler: () => false,
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue, handled: true }),
          closed: () => {
            void this.#crashed();
            return { action: CloseAction.DoNotRestart, handled: true };
          },
        },
      },
    );
    this.#client = client;
    try {
      await client.start();
    } catch (error) {
      // A server that ended has been reported by `closed`.
      this.#log.error(
        `${this.project.name}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    return true;
  }

  async #crashed(): Promise<void> {
    if (this.#isStopped) return;
    this.#crashes += 1;
    const { name } = this.project;
    this.#log.error(`${name}: the language server ended on its own.`);
    if (this.#crashes === 1) return void (await this.start());
    const [restart, log] = ["Restart", "Show Log"];
    const message = `${name}: the language server of ivrctl ended twice. It is not started again.`;
    const picked = await vscode.window.showErrorMessage(message, restart, log);
    if (picked === restart) await vscode.commands.executeCommand("ivrctl.restart");
    if (picked === log) this.#log.show();
  }
}
