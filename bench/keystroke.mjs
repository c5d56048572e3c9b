// @ts-check
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createProtocolConnection } from "vscode-languageserver/node";
import { generate } from "./generate.mjs";
import { count, environment, ivrctl, run } from "./measure.mjs";

/** @typedef {import("./measure.mjs").Row} Row */

/** Node compiles the code of the server during the first keystrokes. */
const warmUp = 30;

/**
 * Compares the time from a keystroke in an editor until `ivrctl lsp` has published the problems of the
 * project with `validate` of the same project. A keystroke in ivrctl.yaml concerns all menus.
 * @param {number} menus
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
export async function measureKeystroke(menus, rounds) {
  const cwd = generate(menus);
  const folder = join(cwd, "ivrs/pune");
  const menu = join(folder, readdirSync(folder)[0] ?? "");
  return [
    ...(await measureNames({ cwd, path: menu, menus, rounds })),
    await measureFile({ what: "a menu", path: menu, target: 0.2 }, { cwd, menus, rounds }),
    await measureFile(
      { what: "`ivrctl.yaml`", path: join(cwd, "ivrctl.yaml"), target: 0.2 },
      { cwd, menus, rounds },
    ),
  ];
}

/**
 * @param {{ what: string, path: string, target: number }} file
 * @param {{ cwd: string, menus: number, rounds: number }} project
 * @returns {Promise<Row>}
 */
async function measureFile({ what, path, target }, { cwd, menus, rounds }) {
  const server = spawn(process.execPath, [ivrctl, "lsp"], {
    cwd,
    env: environment,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const stop = () => void server.kill();
  process.once("exit", stop);
  try {
    const type = await openFile(createProtocolConnection(server.stdout, server.stdin), path);
    for (let key = 0; key < warmUp; key += 1) await type();
    const times = [];
    const baseTimes = [];
    for (let round = 0; round < rounds; round += 1) {
      baseTimes.push(await run({ args: [ivrctl, "validate"], cwd }));
      times.push(await type());
    }
    return {
      what: `\`lsp\`, a keystroke in ${what}, ${count(menus)} menus`,
      times,
      base: "`validate` of the same menus",
      baseTimes,
      target,
    };
  } finally {
    process.off("exit", stop);
    stop();
  }
}

/**
 * Compares finding and renaming a recording of all menus, right after a keystroke, with `validate`.
 * @param {{ cwd: string, path: string, menus: number, rounds: number }} project
 * @returns {Promise<Row[]>}
 */
async function measureNames({ cwd, path, menus, rounds }) {
  const server = spawn(process.execPath, [ivrctl, "lsp"], {
    cwd,
    env: environment,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const stop = () => void server.kill();
  process.once("exit", stop);
  try {
    const connection = createProtocolConnection(server.stdout, server.stdin);
    const type = await openFile(connection, path);
    const textDocument = { uri: pathToFileURL(path).href };
    // The keystroke adds a line at the top.
    const lines = readFileSync(path, "utf8").split("\n");
    const line = lines.findIndex((text) => text.includes("recording: goodbye")) + 1;
    const position = { line, character: (lines[line - 1]?.indexOf("goodbye") ?? 0) + 1 };
    const requests = [
      {
        what: "references",
        method: "textDocument/references",
        more: { context: { includeDeclaration: true } },
      },
      { what: "rename", method: "textDocument/rename", more: { newName: "farewell" } },
    ];
    const rows = [];
    for (const { what, method, more } of requests) {
      const ask = async () => {
        await type();
        const start = performance.now();
        const found = await connection.sendRequest(method, { textDocument, position, ...more });
        if (JSON.stringify(found).length < menus * 50) throw new Error(`${what}: too few places`);
        return performance.now() - start;
      };
      for (let round = 0; round < warmUp; round += 1) await ask();
      const times = [];
      const baseTimes = [];
      for (let round = 0; round < rounds; round += 1) {
        baseTimes.push(await run({ args: [ivrctl, "validate"], cwd }));
        times.push(await ask());
      }
      rows.push({
        what: `\`lsp\`, ${what} after a keystroke, ${count(menus)} menus`,
        times,
        base: "`validate` of the same menus",
        baseTimes,
        target: 0.2,
      });
    }
    return rows;
  } finally {
    process.off("exit", stop);
    stop();
  }
}

/**
 * Opens a file in an editor. Returns a function that types a character and returns how long the server
 * needs to publish the problems, in ms.
 * @param {import("vscode-languageserver/node").ProtocolConnection} connection
 * @param {string} path
 */
async function openFile(connection, path) {
  const uri = pathToFileURL(path).href;
  const text = readFileSync(path, "utf8");
  let version = 1;
  let published = () => {};
  connection.onNotification("textDocument/publishDiagnostics", (params) => {
    if (params.uri === uri) published();
  });
  connection.listen();
  await connection.sendRequest("initialize", { processId: null, rootUri: null, capabilities: {} });
  await connection.sendNotification("initialized", {});
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "yaml", version, text },
  });
  return async () => {
    version += 1;
    const done = new Promise((resolve) => (published = () => resolve(undefined)));
    const start = performance.now();
    // An unknown field, so that there is always a problem to publish.
    await connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ text: `unknown${version}: x\n${text}` }],
    });
    await done;
    return performance.now() - start;
  };
}
