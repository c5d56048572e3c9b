import { spawn } from "node:child_process";
import { readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { command, exampleProject, ivrctl } from "../support/cli.ts";
import { environment } from "../support/environment.ts";
import { rudeServer } from "../support/rude-server.ts";

/** An agent that started `ivrctl mcp` in a folder. */
async function connected(cwd: string) {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command, "mcp"],
    cwd,
    env: environment(),
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: input });
    const texts = content.map((part) => (part.type === "text" ? part.text : ""));
    return { texts, text: texts.join("\n"), isError };
  };
  return { client, call };
}

/** Every file of a folder, with its text and when it was changed. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => {
      const { mtimeMs } = statSync(join(folder, name));
      return `${name} ${mtimeMs} ${readFileSync(join(folder, name), "base64")}`;
    })
    .toSorted();
}

test("a coding agent lists and calls every tool, and nothing is written", async () => {
  const cwd = exampleProject();
  const { client, call } = await connected(cwd);
  const before = filesIn(cwd);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    "agents_uses",
    "call",
    "diff",
    "explain",
    "fmt_check",
    "plan",
    "show",
    "test",
    "validate",
  ]);
  const described = tools.map(({ description }) => description?.split(" ", 4).join(" "));
  expect(described).toContain("Runs `ivrctl fmt --check`.");
  for (const { annotations, inputSchema } of tools) {
    expect(annotations).toMatchObject({ readOnlyHint: true });
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
  }
  const json = async (name: string, input = {}) => {
    const { texts, isError, text } = await call(name, input);
    expect([name, isError, text]).toEqual([name, false, expect.stringContaining("Exit code: 0")]);
    return JSON.parse(texts[0] ?? "") as Record<string, unknown>;
  };
  expect(await json("validate", { paths: ["example"] })).toMatchObject({ diagnostics: [] });
  expect(await json("test", { coverage: true })).toHaveProperty("coverage");
  const called = await json("call", { key: "example", press: ["1"] });
  expect(called).toMatchObject({ reached: { name: "Asha Rao" } });
  expect(await json("plan", { target: ["example"] })).toHaveProperty("summary.create");
  expect(await json("show", { key: "example" })).toHaveProperty("menu");
  expect(await json("agents_uses", { name: "Asha Rao" })).toHaveProperty("uses");
  expect(await json("explain")).toHaveProperty("topics");
  expect(await json("explain", { topic: "IVR302" })).toMatchObject({ code: "IVR302" });
  expect((await call("fmt_check")).isError).toBe(false);
  // The project is no git repository.
  expect(await call("diff", { ref: "HEAD" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("git"),
  });
  expect(filesIn(cwd)).toEqual(before);
});

test("a call with wrong input says what is wrong", async () => {
  const cwd = exampleProject();
  symlinkSync("/etc", join(cwd, "etc"));
  const { client, call } = await connected(cwd);
  const refused = [
    ["validate", { paths: ["../other"] }, /outside of the project/],
    ["show", { key: "/etc/passwd" }, /outside of the project/],
    ["diff", { ref: "live" }, /needs a token/],
    ["diff", { ref: "--output=x" }, /revision/],
    ["validate", { live: true }, /live/],
    ["plan", { out: "plan.json" }, /out/],
    ["call", { key: "example" }, /press/],
    ["call", { key: "example", press: [1] }, /press/],
    ["explain", { topic: "x".repeat(5000) }, /1000/],
    ["validate", { env: "nowhere" }, /IVR402/],
  ] as const;
  for (const [name, input, message] of refused) {
    expect([name, await call(name, input)]).toEqual([
      name,
      { texts: expect.any(Array), isError: true, text: expect.stringMatching(message) },
    ]);
  }
  await expect(client.callTool({ name: "apply", arguments: {} })).rejects.toThrow(/apply/);
  expect((await call("validate")).isError).toBe(false);
});

test("no tool reads a token, runs its command or uses the network", async () => {
  const server = await rudeServer({});
  const service = `service: { base_url: "${server.url}", token: { command: [touch, token-was-read] } }`;
  const [settings = ""] = readFileSync("ivrctl.yaml", "utf8").split(/^environments:/m);
  const cwd = exampleProject({
    "ivrctl.yaml": `${settings.replace("default_environment: sandbox", "default_environment: files")}
environments:
  files:
    ${service}
    operations: [list]
  numbers:
    ${service}
    operations: [list, numbers]
  database:
    ${service}
    state: { id: 0b6e3a52-6f5c, backend: postgres, url: "postgres://nobody@127.0.0.1:1/x" }
`,
  });
  for (const env of ["files", "numbers"]) {
    expect(await ivrctl(["state", "init", "--env", env], { cwd })).toMatchObject({ exit: 0 });
  }
  const { call } = await connected(cwd);
  for (const name of ["validate", "test", "fmt_check"]) await call(name);
  expect((await call("plan", { env: "database" })).text).toMatch(/the backend postgres/);
  expect((await call("plan")).text).toMatch(/"create": 1\b/);
  expect((await call("plan", { env: "numbers" })).text).toMatch(/IVR407.*phone numbers point to/s);
  expect(server.connections).toBe(0);
  expect(readdirSync(cwd)).not.toContain("token-was-read");
});

test("a message that is too long ends the server with a reason", async () => {
  const child = spawn(process.execPath, [command, "mcp"], {
    cwd: exampleProject(),
    env: environment(),
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  child.stdin.on("error", () => {});
  child.stdin.write("x".repeat(3 * 1024 * 1024));
  const exit = await new Promise((resolve) => child.on("close", resolve));
  expect([exit, said]).toEqual([1, expect.stringContaining("longer than 1 MiB")]);
});
