import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, createServer } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applied } from "../support/applied.ts";
import { ivrctl } from "../support/commands.ts";
import { damageState } from "../support/file-log.ts";
import { menu } from "../support/project.ts";
import { listen } from "../support/listen.ts";

/** A server that is not the service. It records the headers of each request. */
async function stranger() {
  const requests: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    requests.push(request.headers);
    response.setHeader("content-type", "application/json").end("[]");
  });
  const port = await listen(server);
  return { requests, url: `http://127.0.0.1:${port}` };
}

const commands = [
  "plan",
  "plan --agents agents.lock.json",
  "apply --auto-approve",
  "apply p.json",
  "agents list",
  "agents pull",
  "numbers",
  "doctor",
  "validate --live",
  "import --live",
  "import --live --out -",
  "apply --allow delete --target old:F9 --auto-approve",
];

/** A project with a recorded menu, a plan for a second one, and a token command that leaves a file. */
async function changedAddress() {
  const project = await applied({ a: menu("A"), c: menu("C") });
  await project.run("agents", "pull");
  project.remove("ivrs/c.yaml");
  await project.run("apply", "--auto-approve");
  project.write("ivrs/b.yaml", menu("B"));
  expect((await project.run("plan", "--out", "p.json")).exit).toBe(0);
  const config = readFileSync(join(project.path, "ivrctl.yaml"), "utf8");
  const command = `{ command: [sh, -c, 'touch asked; echo "$0"', "\${TOKEN}"] }`;
  project.write("ivrctl.yaml", config.replace('"${TOKEN}"', command));
  const other = await stranger();
  const env = { ...project.env, BASE_URL: other.url };
  return {
    ...project,
    other,
    at: (args: readonly string[]) => ivrctl(args, { cwd: project.path, env }),
  };
}

/** Runs each command on a changed address. Returns what each one printed. */
async function refusals({ at, other, path }: Awaited<ReturnType<typeof changedAddress>>) {
  const printed: string[] = [];
  for (const line of commands) {
    const { exit, stdout, stderr } = await at(line.split(" "));
    expect({ line, exit }).toEqual({ line, exit: 1 });
    const sent = other.requests.flatMap(({ authorization }) => authorization ?? []);
    expect({ line, sent }).toEqual({ line, sent: [] });
    expect({ line, asked: existsSync(join(path, "asked")) }).toEqual({ line, asked: false });
    printed.push(stdout + stderr);
  }
  return printed;
}

test("no token is read for or sent to an address that is not recorded", async () => {
  for (const printed of await refusals(await changedAddress())) {
    expect(printed).toContain("The state belongs to");
  }
});

test("no token is read or sent if the state cannot be read", async () => {
  const project = await changedAddress();
  damageState(project.path);
  expect(await refusals(project)).toHaveLength(commands.length);
});

test("a command that needs only the address in the state says why it needs it", async () => {
  const project = await applied({ a: menu("A") });
  project.configure({ state: "backend: git, remote: ./missing" });
  const { exit, value } = await project.json("agents", "list");
  expect(exit).toBe(1);
  const { message } = value.diagnostics.find(({ code }: { code: string }) => code === "IVR606");
  expect(message).toContain("The token is not sent to http://127.0.0.1:");
});

test("without a state, the token is sent to any address", async () => {
  const project = await applied({ a: menu("A") });
  const file = join(project.path, "ivrctl.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace(/ *state:.*\n/, ""));
  const other = await stranger();
  const env = { ...project.env, BASE_URL: other.url };
  await ivrctl(["agents", "list"], { cwd: project.path, env });
  expect(other.requests.every(({ authorization }) => authorization !== undefined)).toBe(true);
  expect(other.requests).not.toEqual([]);
});
