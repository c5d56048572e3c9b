import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { call, create } from "./client.ts";
import { exampleProject, folder, startIvrctl } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { need } from "../support/needs.ts";
import { until } from "../support/project.ts";

const run = promisify(execFile);

const soon = { timeout: 120_000 };

/** Starts `ivrctl sandbox` as a process, and waits until it is ready. */
async function sandboxCommand(args: readonly string[], cwd = folder({})) {
  const running = startIvrctl(["sandbox", "--port", "0", ...args], { cwd });
  const { printed, said, finished } = running;
  const ended = finished.then(() => expect.unreachable(`It ended: ${said()}`));
  await Promise.race([until(() => printed().includes("\n")), ended]);
  // Later it may end.
  ended.catch(() => {});
  return { ...running, url: printed().trim() };
}

describe("ivrctl sandbox", () => {
  test("offers the operations of an environment whose service it is, or those of the option", async () => {
    const project = folder({
      "ivrctl.yaml": `version: 1
default_environment: sandbox
environments:
  sandbox: { service: sandbox, operations: [list, numbers] }
  production: { service: { base_url: "https://example.com", token: "\${TOKEN}" }, operations: [list] }
`,
    });
    const offers = async (...args: readonly string[]) => {
      const running = await sandboxCommand(args, project);
      const [menus, numbers] = await Promise.all(
        ["/v1/ivrs", "/v1/my_number"].map((path) => call(running.url, { path, method: "GET" })),
      );
      await expect.poll(() => running.said(), soon).toContain("Press Ctrl-C");
      return [menus?.status, numbers?.status, /offers {3}(.*)/.exec(running.said())?.[1]];
    };
    expect(await offers()).toEqual([200, 200, "list, numbers"]);
    expect(await offers("--operations", "list")).toEqual([200, 404, "list"]);
    expect(await offers("--env", "production")).toEqual([404, 404, undefined]);
  });

  test("does not start with a wrong environment or an invalid configuration", async () => {
    const withOperations = (list: string) =>
      folder({
        "ivrctl.yaml": `version: 1\nenvironments:\n  sandbox: { service: sandbox, operations: ${list} }\n`,
      });
    const refused = async (cwd: string, ...args: readonly string[]) => {
      const { exit, stderr } = await ivrctl(["sandbox", "--port", "0", "--memory", ...args], {
        cwd,
      });
      return [exit, stderr.match(/IVR\d+/g)];
    };
    expect(await refused(withOperations("[list]"), "--env", "nope")).toEqual([1, ["IVR402"]]);
    expect(await refused(withOperations("[lst]"))).toEqual([1, ["IVR203"]]);
    expect(await refused(withOperations("[list"))).toEqual([1, ["IVR101"]]);
    expect(await refused(folder({}), "--env", "sandbox")).toEqual([1, ["IVR126"]]);
    // No environment is selected, and none is needed.
    await sandboxCommand(["--memory"], withOperations("[list]"));
  });

  test("prints its address, and stores menus in the project", async () => {
    const project = exampleProject();
    const running = await sandboxCommand(["-C", project], "/");
    const data = join(project, ".ivrctl/sandbox/records.jsonl");
    await create(running.url, { name: "Front\u001b[2Jdesk" });
    await expect.poll(() => running.said(), soon).toContain("Front");
    const said = running.said();
    expect(said).toContain("The sandbox is running");
    expect(said).toContain(`${data} (0 menus)`);
    expect(said).toContain("Press Ctrl-C to stop it.");
    expect(said).toMatch(
      /\d\d:\d\d:\d\d UTC {2}POST {2}\/v1\/ivr {2}200 {2}Front␛\[2Jdesk {2}\(created\)\n/,
    );
    expect(said).not.toContain("\u001b");
    expect(readFileSync(data, "utf8")).toContain("desk");
  });

  test("stops cleanly at SIGINT", async () => {
    const running = await sandboxCommand(["--memory", "--fault", "silence"]);
    const waiting = create(running.url).catch((error: unknown) => error);
    await expect.poll(() => running.said(), soon).toContain("no answer");
    running.child.kill("SIGINT");
    // A wrapper that passes on Ctrl-C sends the signal twice.
    running.child.kill("SIGINT");
    const { exit, stdout } = await running.finished;
    expect(exit).toBe(0);
    expect(stdout).toBe(`${running.url}\n`);
    expect(running.said()).toMatch(/The sandbox has stopped\.\n$/);
    expect(await waiting).toBeInstanceOf(Error);
    await expect(create(running.url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("--quiet prints nothing", async () => {
    const running = await sandboxCommand(["--memory", "--quiet"]);
    await create(running.url);
    running.child.kill("SIGINT");
    expect((await running.finished).exit).toBe(0);
    expect(running.said()).toBe("");
  });

  test("warns if others can reach the host", async () => {
    const running = await sandboxCommand(["--memory", "--host", "0.0.0.0"]);
    expect((await create(running.url)).status).toBe(200);
    await expect
      .poll(() => running.said(), soon)
      .toContain("warning: with --host 0.0.0.0, others on your network");
    const local = await sandboxCommand(["--memory", "--host", "localhost"]);
    await expect.poll(() => local.said(), soon).toContain("Ctrl-C");
    expect(local.said()).not.toContain("warning");
  });

  test("reports an invalid agent list", async () => {
    const cwd = folder({ "agents.lock.json": '[{ "id": [] }]' });
    const { exit, stdout, stderr } = await ivrctl(["sandbox"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain("error[IVR501]");
  });
});

describe("docs/sandbox.md", () => {
  const docs = readFileSync(join(import.meta.dirname, "../../docs/sandbox.md"), "utf8");
  const examples = [
    ...docs.matchAll(/```sh\n(curl [^`]*)```\n\n```(?:json|text)\n([^`]*)```/g),
  ].map(([, line = "", answer = ""]) => [line, answer] as const);

  test("every curl command is followed by its answer", () => {
    expect(examples).toHaveLength(docs.match(/^curl /gm)?.length ?? 0);
    expect(examples).not.toEqual([]);
  });

  test("the curl commands print the answers that the page shows", async () => {
    need("curl");
    const cwd = folder({});
    const { url } = await sandboxCommand(["--memory"]);
    for (const [line, answer] of examples) {
      expect(line).toContain("http://127.0.0.1:4010/");
      const { stdout } = await run("sh", ["-c", line.replace("http://127.0.0.1:4010", url)], {
        cwd,
      });
      expect(stdout.trim()).toBe(answer.trim());
    }
  });

  test("the default port and the agents are the documented ones", async () => {
    const { stdout } = await ivrctl(["sandbox", "--help"]);
    expect(stdout).toContain("(default: 4010)");
    const { url } = await sandboxCommand(["--memory"]);
    const { text } = await call(url, { method: "GET", path: "/v1/agents" });
    for (const { name, eid, intercom } of JSON.parse(text)) {
      expect(docs).toMatch(new RegExp(`^\\| ${name} \\|.*\\| ${intercom} \\| ${eid} \\|`, "m"));
    }
  });
});
