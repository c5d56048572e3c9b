import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleAgents } from "../../src/sandbox/example-agents.ts";
import { ivrctl } from "../support/commands.ts";
import { menu, project, token } from "../support/project.ts";
import { answer, rudeServer } from "../support/rude-server.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
/** The forms of the token that must not appear anywhere. */
const forms = [
  token,
  JSON.stringify(token).slice(1, -1),
  encodeURIComponent(token),
  base64(token).replace(/=+$/, ""),
];

function expectNoSecret(text: string): void {
  for (const form of forms) expect(text).not.toContain(form);
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));
}

const agents = JSON.stringify(exampleAgents());

describe("secrets", () => {
  const all = forms.join(" | ");

  test.each([
    [400, JSON.stringify({ Success: false, Message: `No: ${all}!` })],
    [500, `<h1>Error ${all}</h1>`],
    [200, JSON.stringify({ Success: "maybe", Message: all })],
  ])(
    "are in no output and no file if the service repeats the token with HTTP %i",
    async (status, body) => {
      const server = await rudeServer({
        asked: (socket, request) =>
          socket.write(request.startsWith("GET") ? answer(200, agents) : answer(status, body)),
      });
      const { run, path } = project(server.url, { desk: menu("Desk") });
      for (const args of [
        ["apply", "--auto-approve", "--verbose"],
        ["plan", "--out", "plan.json"],
        ["state", "history", "--format", "json"],
        ["state", "resolve", "desk", "--absent", "--evidence", `seen ${all}`],
        ["state", "history"],
        ["apply", "--auto-approve", "--format", "json", "--verbose"],
        ["doctor", "--format", "json"],
      ]) {
        const { stdout, stderr } = await run(...args);
        expectNoSecret(stdout + stderr);
        if (args.includes("json")) JSON.parse(stdout);
      }
      filesUnder(path).forEach(expectNoSecret);
    },
  );

  test("are not shown if an invalid agent list repeats them", async () => {
    const server = await rudeServer({
      asked: (socket) => socket.write(answer(500, `<p>${all}`, { "content-type": "text/html" })),
    });
    const { run } = project(server.url, { desk: menu("Desk") });
    for (const args of [["agents", "pull"], ["doctor"], ["plan", "--verbose"]]) {
      const { stdout, stderr } = await run(...args);
      expectNoSecret(stdout + stderr);
      expect(stdout + stderr).not.toBe("");
    }
  });

  test.each(["text", "json", "sarif", "github"])(
    "in a comment on a line with a problem are not in %s",
    async (format) => {
      const { run, write } = project("http://127.0.0.1:9", {
        desk: `${menu("Desk")}nme: x # curl -H "Authorization: Bearer ${token}"\n`,
      });
      for (const [at, spelling] of [token, base64(token), encodeURIComponent(token)].entries()) {
        const dashes = "-".repeat(70);
        write(`ivrs/a${at}.yaml`, `${menu(`A ${at}`)}nme: x # ${dashes}${spelling}${dashes}\n`);
        const value = `${"y".repeat(65)}${spelling}`;
        write(`ivrs/b${at}.yaml`, `${menu(`B ${at}`)}${spelling}: x\non_change: ${value}\n`);
      }
      write("agents.lock.json", agents);
      const { stdout, stderr } = await run("validate", "--format", format);
      expectNoSecret(stdout + stderr);
      expect(stdout + stderr).toContain("IVR201");
      if (format === "text") expect(stdout).toContain("Bearer *****");
    },
  );

  test("in a comment are neither in Markdown nor in JUnit", async () => {
    const { run, write } = project("http://127.0.0.1:9", {
      desk: `${menu("Desk")}nme: x # ${token}\n`,
    });
    write("agents.lock.json", agents);
    for (const args of [
      ["plan", "--format", "markdown", "--agents", "agents.lock.json"],
      ["test", "--format", "junit"],
    ]) {
      const { stdout, stderr } = await run(...args);
      expectNoSecret(stdout + stderr);
      expect(stdout + stderr).toContain("IVR201");
    }
  });

  test.each(["true", "null", "1234", "12345678", "error", "diagnostics", '"}],"'])(
    "like %s do not break JSON when they are masked",
    async (odd) => {
      const server = await rudeServer({
        asked: (socket, request) =>
          socket.write(
            request.startsWith("GET")
              ? answer(200, agents)
              : answer(400, JSON.stringify({ Success: false, Message: `it is ${odd}` })),
          ),
      });
      const newProject = project(server.url, { desk: menu("Desk") }, { env: { TOKEN: odd } });
      const run = (...args: string[]) =>
        ivrctl(args, { cwd: newProject.path, env: newProject.env, oddToken: true });
      const { stdout } = await run("apply", "--auto-approve", "--format", "json");
      expect(JSON.stringify(JSON.parse(stdout))).not.toContain(
        `it is ${JSON.stringify(odd).slice(1, -1)}`,
      );
      const { stdout: sarif } = await run("validate", "--format", "sarif");
      expect(JSON.parse(sarif)).toMatchObject({ version: "2.1.0" });
    },
  );

  test("include the password of a database", async () => {
    const password = "Pa55w0rd/of-the-d4tabase";
    const { run, write } = project(
      "http://127.0.0.1:9",
      {
        desk: `${menu("Desk")}nme: x # ${password} ${encodeURIComponent(password)}\n`,
      },
      { env: { DB: `postgresql://u:${encodeURIComponent(password)}@127.0.0.1:9/x` } },
    );
    write(
      "ivrctl.yaml",
      'version: 1\ndefault_environment: test\nenvironments:\n  test:\n    service: sandbox\n    state: { backend: postgres, url: "${DB}" }\n',
    );
    write("agents.lock.json", agents);
    for (const args of [["validate"], ["plan"], ["state", "list"]]) {
      const { stdout, stderr } = await run(...args);
      expect(stdout + stderr).not.toContain("55w0rd");
      expect(stdout + stderr).not.toBe("");
    }
  });
});
