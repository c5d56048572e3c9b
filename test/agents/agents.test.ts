import { createServer } from "node:http";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { listen } from "../support/listen.ts";
import { service, token } from "../support/project.ts";

/** A project whose production is a service. Its commands must not print the token. */
async function production() {
  const { url, requests } = await service({ token });
  const cwd = exampleProject();
  const env = { TELEPHONY_BASE_URL: url, TELEPHONY_TOKEN: token, IVRCTL_ENV: "production" };
  const run = async (args: readonly string[], variables: Record<string, string> = {}) => {
    const finished = await ivrctl(args, { cwd, env: { ...env, ...variables } });
    expect(finished.stdout + finished.stderr).not.toContain(token);
    return finished;
  };
  const lock = () => readFileSync(join(cwd, "agents.lock.json"), "utf8");
  return { run, cwd, url, requests, lock };
}

test("agents pull writes no address that contains a secret", async () => {
  const { run, lock } = await production();
  const agents = createServer((_, response) => void response.end('[{"name":"A","eid":"1"}]'));
  const hidden = `http://127.0.0.1:${await listen(agents)}/${token}/`;
  expect((await run(["agents", "pull"], { TELEPHONY_BASE_URL: hidden })).exit).toBe(0);
  const written = lock();
  expect(written).not.toContain(token);
  expect(JSON.parse(written)).not.toHaveProperty("service");
  const password = { TELEPHONY_BASE_URL: "https://asha:open-sesame@telephony.example" };
  const { exit, stdout, stderr } = await run(["agents", "pull"], password);
  expect(exit).toBe(1);
  expect(stdout + stderr).not.toContain("open-sesame");
  expect(lock()).toBe(written);
});

test("agents pull leaves a file that cannot be written as it is", async () => {
  const { run, cwd, lock } = await production();
  const before = lock();
  chmodSync(join(cwd, "agents.lock.json"), 0o444);
  const { exit, stderr } = await run(["agents", "pull"]);
  expect([exit, stderr]).toEqual([1, expect.stringContaining("IVR121")]);
  expect(lock()).toBe(before);
});

test("a token command runs once, without a shell", async () => {
  const { url } = await service({ token });
  const cwd = exampleProject({
    "ivrctl.yaml": `version: 1
default_environment: x
environments:
  x:
    service:
      base_url: ${url}
      token: { command: [sh, -c, 'echo run >> runs; echo ${token}'] }
`,
  });
  const { exit, stdout, stderr } = await ivrctl(["agents", "--verbose"], { cwd });
  expect(exit).toBe(0);
  expect(stdout + stderr).not.toContain(token);
  expect(readFileSync(join(cwd, "runs"), "utf8")).toBe("run\n");
});

test("damaged records of the sandbox are reported", async () => {
  const cwd = exampleProject({ ".ivrctl/sandbox/records.jsonl": "damaged\nmore\n" });
  const { exit, stderr } = await ivrctl(["agents"], { cwd });
  expect([exit, stderr]).toEqual([1, expect.stringContaining("IVR503")]);
});

test("only validate --live asks the service", async () => {
  const { run, requests } = await production();
  expect((await run(["validate"])).exit).toBe(0);
  expect(requests).toEqual([]);
  expect((await run(["validate", "--live"])).exit).toBe(0);
  expect(requests).toHaveLength(1);
});
