import { join } from "node:path";
import * as vscode from "vscode";
import { menuFile } from "./project.ts";
import { type Commands, type Project, allProjects, pathIn, projectAt } from "./projects.ts";
import { type TestReport, difference, readReport } from "./test-report.ts";

/** The tests of all projects in the Test Explorer: project, menu, test. All of it is the JSON of `ivrctl test`. */
export class MenuTests {
  readonly #commands: Commands;
  readonly #controller = vscode.tests.createTestController("ivrctl", "ivrctl");
  readonly #projects = new Map<string, Project>();

  constructor(commands: Commands) {
    this.#commands = commands;
    const { Run } = vscode.TestRunProfileKind;
    const run = async (request: vscode.TestRunRequest, token: vscode.CancellationToken) =>
      this.#run(request, token);
    this.#controller.createRunProfile("Run", Run, run, true);
    this.#controller.refreshHandler = async () => this.#list();
    this.#controller.resolveHandler = async (item) => {
      if (item === undefined) await this.#list();
    };
  }

  /** Runs the tests of a file's menu, or of the whole project if the file has no menu. */
  async runFile(project: Project, uri: vscode.Uri | undefined): Promise<void> {
    const file = uri && projectAt(uri)?.root === project.root ? menuFile(uri.fsPath) : undefined;
    const paths = file === undefined ? [] : [pathIn(project, vscode.Uri.file(file))];
    const report = await this.#report(project, paths);
    if (report === undefined) return;
    const keys = new Set([...report.tests.map(({ key }) => key), ...report.not_run]);
    if (keys.size === 0) {
      const what = paths[0] ?? project.name;
      return void vscode.window.showInformationMessage(`${what} has no tests.`);
    }
    const menus = [...keys].map((key) => this.#menuItem(project, key));
    const run = this.#controller.createTestRun(new vscode.TestRunRequest(menus));
    this.#show(run, project, report, menus);
    run.end();
    await vscode.commands.executeCommand("workbench.view.testing.focus");
  }

  /** Lists the tests of a project again, because one of its files was saved. */
  async update({ uri }: vscode.TextDocument): Promise<void> {
    const project = projectAt(uri);
    if (project && this.#projects.has(project.root)) await this.#listProject(project);
  }

  dispose(): void {
    this.#controller.dispose();
  }

  async #list(): Promise<void> {
    this.#controller.items.replace([]);
    for (const project of await allProjects()) await this.#listProject(project);
  }

  async #listProject(project: Project): Promise<void> {
    const report = await this.#report(project, []);
    if (report === undefined) return;
    this.#projectItem(project).children.replace([]);
    for (const test of report.tests) this.#testItem(project, test);
    for (const key of report.not_run) this.#menuItem(project, key);
  }

  async #run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.#controller.createTestRun(request);
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    for (const [root, top] of this.#controller.items) {
      const project = this.#projects.get(root);
      const chosen = request.include?.filter((item) => isIn(item, top)) ?? [top];
      if (project === undefined || chosen.length === 0 || stop.signal.aborted) continue;
      for (const item of chosen) run.started(item);
      // ivrctl runs all tests of a menu. One of them alone takes as long.
      const menus = chosen.flatMap((item) => [...menuKeys(item, top)]);
      const report = await this.#report(project, menus, stop.signal);
      if (report) this.#show(run, project, report, chosen);
    }
    run.end();
  }

  /** Shows the results of the chosen items. */
  #show(
    run: vscode.TestRun,
    project: Project,
    report: TestReport,
    chosen: readonly vscode.TestItem[],
  ): void {
    const isChosen = (item: vscode.TestItem) => chosen.some((one) => isIn(item, one));
    for (const test of report.tests) {
      const item = this.#testItem(project, test);
      if (!isChosen(item)) continue;
      if (test.passed) {
        run.passed(item);
        continue;
      }
      const { expected, actual } = difference(test);
      const message = vscode.TestMessage.diff("The call ends differently.", expected, actual);
      if (item.uri && item.range) message.location = new vscode.Location(item.uri, item.range);
      run.failed(item, message);
    }
    for (const key of report.not_run) {
      const item = this.#menuItem(project, key);
      const why = new vscode.TestMessage("This menu has errors, so its tests were not run.");
      if (isChosen(item)) run.errored(item, why);
    }
  }

  async #report(
    project: Project,
    menus: readonly string[],
    signal?: AbortSignal,
  ): Promise<TestReport | undefined> {
    const args = ["test", "--format", "json", "--", ...new Set(menus)];
    const ran = await this.#commands.run(project, args, signal);
    if (ran === undefined || signal?.aborted === true) return undefined;
    const report = readReport(ran.stdout);
    if (report === undefined) {
      const [why = ""] = ran.stderr.split("\n");
      void vscode.window.showErrorMessage(`${project.name}: the tests did not run. ${why}`);
    }
    return report;
  }

  #projectItem(project: Project): vscode.TestItem {
    this.#projects.set(project.root, project);
    return this.#item(this.#controller.items, project.root, project.name);
  }

  #menuItem(project: Project, key: string): vscode.TestItem {
    return this.#item(this.#projectItem(project).children, key, key);
  }

  #testItem(
    project: Project,
    { key, name, file, line }: TestReport["tests"][number],
  ): vscode.TestItem {
    const menu = this.#menuItem(project, key);
    const uri = vscode.Uri.file(join(project.root, file));
    const item = this.#item(menu.children, `${file}:${line} ${name}`, name, uri);
    item.range = new vscode.Range(line - 1, 0, line - 1, 0);
    return item;
  }

  #item(
    siblings: vscode.TestItemCollection,
    id: string,
    label: string,
    uri?: vscode.Uri,
  ): vscode.TestItem {
    const known = siblings.get(id);
    if (known) return known;
    const item = this.#controller.createTestItem(id, label, uri);
    siblings.add(item);
    return item;
  }
}

/** Whether an item is `top`, or below it. */
function isIn(item: vscode.TestItem, top: vscode.TestItem): boolean {
  return item.id === top.id || (item.parent !== undefined && isIn(item.parent, top));
}

/** The key of an item's menu. Empty for a project, which means all its menus. */
function menuKeys(item: vscode.TestItem, top: vscode.TestItem): readonly string[] {
  if (item.id === top.id) return [];
  return item.parent === undefined || item.parent.id === top.id
    ? [item.id]
    : menuKeys(item.parent, top);
}
