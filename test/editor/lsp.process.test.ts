import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import {
  ExitNotification,
  ShutdownRequest,
  createProtocolConnection,
} from "vscode-languageserver/node";
import { command, exampleProject } from "../support/cli.ts";
import { editorOf } from "../support/editor.ts";
import { environment } from "../support/environment.ts";
import { menu } from "../support/project.ts";
import { atTerminal } from "../support/terminal.ts";

const file = "ivrs/example.yaml";

/** Starts the built server in its own process, and an editor that talks to it. */
async function startServer(cwd: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [command, "lsp", ...args], { cwd, env: environment() });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  const ended = new Promise((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const connection = createProtocolConnection(child.stdout, child.stdin);
  const editor = await editorOf(connection, cwd);
  return { child, connection, editor, ended, said: () => said };
}

test("ivrctl lsp serves an editor until it says goodbye", async () => {
  const { connection, editor, ended, said } = await startServer(exampleProject(), "--stdio");
  expect(editor.capabilities).toMatchObject({ positionEncoding: "utf-16", hoverProvider: true });
  await editor.type(file, menu("A", "Asha Ro"));
  const found = (await editor.problems(file)).get(editor.uriOf(file))?.map(({ code }) => code);
  expect(found).toContain("IVR301");
  const completed = await editor.complete(file, menu("A", "As¦"));
  expect(completed.map(({ label }) => label)).toContain("Asha Rao");
  await connection.sendRequest(ShutdownRequest.type);
  await connection.sendNotification(ExitNotification.type);
  expect({ exit: await ended, said: said() }).toEqual({ exit: 0, said: "" });
});

test("ivrctl lsp ends when the editor is gone", async () => {
  const { child, connection, editor, ended } = await startServer(exampleProject());
  await editor.type(file);
  connection.dispose();
  child.stdin.end();
  expect(await ended).toBe(1);
});

test("ivrctl lsp ends when nobody reads its answers", async () => {
  const { child, connection, editor, ended } = await startServer(exampleProject());
  child.stdout.destroy();
  connection.onError(() => {});
  await editor.type(file, menu("A", "Nobody"));
  expect(await ended).toBe(1);
});

test("what a custom rule prints does not reach the editor", async () => {
  const config = `version: 1
default_environment: a
rules: { plugins: [./rule.mjs] }
environments: { a: { service: sandbox } }
`;
  const rule = `console.log("loaded");
export default { name: "own", rules: { loud: { check() {
  console.log("checked");
  process.stdout.write("Content-Length: 99\\r\\n\\r\\n");
} } } };
`;
  const cwd = exampleProject({ "ivrctl.yaml": config, "rule.mjs": rule, [file]: menu("A") });
  const { editor, said } = await startServer(cwd);
  await editor.symbols(file);
  expect((await editor.complete(file, menu("A", "¦"))).length).toBeGreaterThan(1);
  expect(said()).toContain("loaded\nchecked\nContent-Length: 99\r\n");
});

test("ivrctl lsp uses the options of the command line", async () => {
  const cwd = exampleProject({
    "agents.lock.json": JSON.stringify([{ name: "Other", eid: "1" }]),
    "folder/ivrs/a.yaml": "name: [\n",
  });
  const { editor } = await startServer(cwd, "-C", cwd);
  const found = await editor.complete(file, menu("A", "¦"));
  expect(found.map(({ label }) => label)).toEqual(["Other"]);
});

test("ivrctl lsp at a terminal says who starts it", async () => {
  const { exit, screen } = await atTerminal({ cwd: exampleProject(), args: ["lsp"] });
  expect(exit).toBe(1);
  expect(screen).toContain("An editor starts `ivrctl lsp`");
});
