import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { listen } from "../support/listen.ts";

const token = "s3cr3t-t0k3n";

const staff = [
  {
    id: 1,
    name: "Asha Rao",
    follow_me_number: "+915550000101",
    eid: "00042",
    intercom: "1001",
    calls_answered: 3,
    team_name: "Sales",
    custom_status: 0,
    departments: [{ name: "Sales", id: "7" }],
  },
  {
    id: 2,
    name: "Ravi Kumar",
    eid: "500102",
    intercom: "1002",
    team_name: "Billing",
    custom_status: 0,
    departments: [{ name: "Accounts", id: "8" }],
  },
  {
    id: 3,
    name: "Front Desk",
    eid: "500104",
    intercom: "1004",
    team_name: null,
    custom_status: 0,
    departments: [],
  },
  {
    id: 4,
    name: "\u001b[31mMeera\u0007 電話",
    eid: "500105",
    intercom: "1005",
    team_name: "Support",
    custom_status: 1,
    departments: [],
  },
];

/** A project whose production is this server. */
async function project(
  reply: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify(staff));
  },
) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    reply(request, response);
  });
  const port = await listen(server);
  const url = `http://127.0.0.1:${port}`;
  const cwd = exampleProject();
  const env = { TELEPHONY_BASE_URL: url, TELEPHONY_TOKEN: token, IVRCTL_ENV: "production" };
  const run = async (args: readonly string[], more: Record<string, string> = {}) => {
    const finished = await ivrctl(args, { cwd, env: { ...env, ...more } });
    expect(finished.stdout + finished.stderr).not.toContain(token);
    return finished;
  };
  return { run, cwd, url, seen };
}

describe("agents list", () => {
  test("prints a table to stdout, and the environment, its address and a warning to stderr", async () => {
    const { run, url } = await project();
    const { exit, stdout, stderr } = await run(["agents"]);
    expect(exit).toBe(0);
    expect(stdout).toBe(
      [
        "NAME              TEAM     DEPARTMENTS  INTERCOM  EID",
        "Asha Rao          Sales    Sales        1001      00042",
        "Ravi Kumar        Billing  Accounts     1002      500102",
        "Front Desk        -        -            1004      500104",
        "␛[31mMeera␇ 電話  Support  -            1005      500105  blocked",
        "",
      ].join("\n"),
    );
    expect(stderr).toContain(`Environment production: ${url}`);
    expect(stderr).toContain("deprecated");
  });

  test.each([401, 403])("points to the token if the service rejects it: %s", async (status) => {
    const { run, cwd } = await project((_, response) => {
      response.writeHead(status).end();
    });
    const { exit, stdout } = await run(["agents", "--format", "json"]);
    const [problem] = JSON.parse(stdout).diagnostics;
    expect([exit, problem.code]).toEqual([1, "IVR503"]);
    expect(problem.message).toContain(`(HTTP ${status})`);
    expect(problem.hint).toContain("Replace the token");
    const line = readFileSync(join(cwd, "ivrctl.yaml"), "utf8").split("\n")[problem.line - 1];
    expect(line?.slice(problem.column - 1)).toBe("${TELEPHONY_TOKEN}");
  });

  test("prints JSON without phone numbers", async () => {
    const { run } = await project();
    const { stdout } = await run(["agents", "--format", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      format_version: "1.0",
      environment: "production",
      agents: [
        {
          id: "1",
          name: "Asha Rao",
          eid: "00042",
          intercom: "1001",
          team: "Sales",
          departments: ["Sales"],
          blocked: false,
        },
        {},
        {},
        {},
      ],
    });
    expect(stdout).not.toContain("+91555");
  });

  test("--verbose traces the request", async () => {
    const { run } = await project();
    expect((await run(["agents", "--verbose"])).stderr).toMatch(/GET \/v1\/agents: 200, \d+ ms/);
  });
});

describe("agents pull", () => {
  test("writes a snapshot that validate and compile then use", async () => {
    const { run, cwd, url } = await project();
    const { exit, stdout, stderr } = await run(["agents", "pull"]);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toContain("Wrote 4 agents for production to agents.lock.json.");
    const snapshot = readFileSync(join(cwd, "agents.lock.json"), "utf8");
    expect(JSON.parse(snapshot)).toMatchObject({ environment: "production", service: url });
    expect(snapshot).not.toContain("+91555");
    const { stdout: compiled } = await run(["compile"]);
    expect(JSON.parse(compiled).example.destination[0]).toBe("extension||00042");
    expect((await run(["validate"])).stdout).toContain(
      "with the agent list from less than a minute ago",
    );
  });

  test("writes no address that contains a secret", async () => {
    const { run, cwd, url } = await project();
    const hidden = { TELEPHONY_BASE_URL: `${url}/${token}/` };
    expect((await run(["agents", "pull"], hidden)).exit).toBe(0);
    const snapshot = readFileSync(join(cwd, "agents.lock.json"), "utf8");
    expect(snapshot).not.toContain(token);
    expect(JSON.parse(snapshot)).toMatchObject({ environment: "production" });
    expect(JSON.parse(snapshot)).not.toHaveProperty("service");
  });

  test("writes nothing if the address contains a password", async () => {
    const { run, cwd, seen } = await project();
    const before = readFileSync(join(cwd, "agents.lock.json"), "utf8");
    const { exit, stdout, stderr } = await run(["agents", "pull"], {
      TELEPHONY_BASE_URL: "https://asha:open-sesame@telephony.example",
    });
    expect({ exit, seen }).toEqual({ exit: 1, seen: [] });
    expect(stderr).toContain("IVR407");
    expect(stdout + stderr).not.toContain("open-sesame");
    expect(readFileSync(join(cwd, "agents.lock.json"), "utf8")).toBe(before);
  });

  test("reports a file that cannot be written, and leaves it as it is", async () => {
    const { run, cwd } = await project();
    const before = readFileSync(join(cwd, "agents.lock.json"), "utf8");
    chmodSync(join(cwd, "agents.lock.json"), 0o444);
    const { exit, stderr } = await run(["agents", "pull"]);
    expect(exit).toBe(1);
    expect(stderr).toContain("IVR121");
    expect(readFileSync(join(cwd, "agents.lock.json"), "utf8")).toBe(before);
  });
});

describe("an agent list that cannot be read", () => {
  test.each([
    ["IVR403", { TELEPHONY_TOKEN: undefined }],
    ["IVR403", { TELEPHONY_BASE_URL: undefined }],
    ["IVR407", { TELEPHONY_TOKEN: "" }],
    ["IVR407", { TELEPHONY_TOKEN: ` ${token}` }],
    ["IVR407", { TELEPHONY_TOKEN: `${token}\nx: y` }],
    ["IVR407", { TELEPHONY_BASE_URL: "http://telephony.example" }],
    ["IVR407", { TELEPHONY_BASE_URL: "https://telephony.example/?a=b" }],
  ])("is reported as %s with the variables %j", async (code, change) => {
    const cwd = exampleProject();
    const env: Record<string, string> = { IVRCTL_ENV: "production" };
    const all = { TELEPHONY_BASE_URL: "http://127.0.0.1:9", TELEPHONY_TOKEN: token, ...change };
    for (const [name, value] of Object.entries(all)) if (value !== undefined) env[name] = value;
    const { exit, stdout, stderr } = await ivrctl(["agents", "--format", "json"], { cwd, env });
    expect(exit).toBe(1);
    const hint = expect.stringMatching(/^[A-Z]/);
    expect(JSON.parse(stdout).diagnostics).toMatchObject([{ code, hint }]);
    expect(stdout + stderr).not.toContain(token);
  });

  test.each([
    ["HTML and status 200", "<html>\u001b[2Jhello", 200, "starting with: <html>␛[2Jhello"],
    ["an object instead of an array", '{"agents":[]}', 200, "is not a list of agents"],
    ["an item without eid", '[{"name":"A"}]', 200, "A: eid is missing"],
    ["status 401", "", 401, "rejected the token (HTTP 401)"],
  ])("is reported for an answer with %s", async (_, body, status, words) => {
    const { run, url } = await project((__, response) => void response.writeHead(status).end(body));
    const { exit, stdout, stderr } = await run(["agents"]);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain("error[IVR503]");
    expect(stderr).toContain(url);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("\u001b");
  });

  test("a token command runs once, without a shell", async () => {
    const { url, seen } = await project();
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
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${token}`);
  });
});

describe("an invalid setting from a variable", () => {
  test("reports damaged records of the sandbox, and not a bug of ivrctl", async () => {
    const cwd = exampleProject({ ".ivrctl/sandbox/records.jsonl": "damaged\nmore\n" });
    const { exit, stderr } = await ivrctl(["agents"], { cwd });
    expect(exit).toBe(1);
    expect(stderr).toContain("IVR503");
    expect(stderr).not.toContain("bug");
  });
});

describe("validate --live", () => {
  test("checks agents against the current list of the service", async () => {
    const { run, seen } = await project((_, response) => {
      response.end(JSON.stringify(staff.filter(({ name }) => name !== "Asha Rao")));
    });
    expect((await run(["validate"])).exit).toBe(0);
    expect(seen).toEqual([]);
    const { exit, stdout } = await run(["validate", "--live"]);
    expect(exit).toBe(1);
    expect(stdout).toContain("No agent is called `Asha Rao`");
    expect(seen).toHaveLength(1);
  });
});
