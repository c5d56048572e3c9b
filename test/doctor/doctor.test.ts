import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { exampleProject, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { doctor, doctorInBothFormats, serve } from "../support/doctor.ts";
import { damageState, snapshotFile } from "../support/file-log.ts";
import { menu, project, service, token } from "../support/project.ts";
import { applied, lockElsewhere, lockHere, replaced } from "../support/state.ts";

const isList = ({ url = "" }: IncomingMessage) => url.endsWith("/v1/agents");

const withOperations = (operations: readonly string[]) => `version: 1
default_environment: test
rules: { zero-not-operator: off, renumbered: off }
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: "\${TOKEN}" }
    operations: [${operations.join(", ")}]
`;

describe("doctor", () => {
  test("prints one aligned line for each step, and skips steps that do not apply", async () => {
    const { exit, text, checks, value } = await doctorInBothFormats(exampleProject());
    expect(exit).toBe(0);
    expect(value).toMatchObject({ format_version: "1.0", environment: "sandbox", diagnostics: [] });
    expect(checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "node ok",
      "configuration ok",
      "state ok",
      "connection skipped",
      "agents ok",
      "menus ok",
    ]);
    expect(text).toContain(
      "✓ configuration  ivrctl.yaml is valid. sandbox uses the embedded sandbox.\n",
    );
    expect(text).toContain("✓ agents         The service lists 6 agents");
    expect(text).toMatch(/\nNo problems\. plan and apply can run\.\n$/);
  });

  test("reports every check as ok if the service works", async () => {
    const { url } = await service({ token });
    const { path, env } = project(url, { a: menu("A") });
    const { exit, is, of } = await doctor(path, env);
    expect(exit).toBe(0);
    for (const name of ["configuration", "proxy", "connection", "clock", "agents", "menus"]) {
      expect({ name, is: is(name) }).toEqual({ name, is: ["ok"] });
    }
    expect(of("agents")?.message).toBe(
      "The service lists 6 agents, 1 of them blocked. It marks this list as deprecated.",
    );
  });

  test.each([
    [[], [], [], "`list`: the service does not offer this operation (HTTP 404)."],
    [
      ["list", "update", "numbers", "users"],
      [],
      [],
      "`list` works, and can be added to `operations:`. `numbers` works, and can be added to `operations:`. `users` works, and can be added to `operations:`. Doctor changes nothing, so it cannot test `update` and `delete`.",
    ],
    [
      ["list", "update", "numbers"],
      ["list", "update"],
      ["status=403 on=numbers", "garbage on=users"],
      "`list` works. `numbers`: the scope of the token does not include this operation (HTTP 403).",
    ],
    [
      ["list", "update", "numbers"],
      ["update", "list"],
      [],
      "`list` works. `numbers` works, and can be added to `operations:`.",
    ],
    [["numbers"], [], [], "`numbers` works, and can be added to `operations:`."],
    [
      ["list", "users"],
      [],
      ["garbage on=users"],
      "`users`: the answer is not a list of users: HTTP 200",
    ],
  ] as const)(
    "%j are offered, and %j given, with %j",
    async (operations, given, faults, message) => {
      const { url } = await service({ token, operations, faults: [...faults] });
      const { path, env, write } = project(url, { a: menu("A") });
      write("ivrctl.yaml", withOperations(given));
      const { exit, of } = await doctor(path, env);
      expect(of("operations")).toEqual({
        name: "operations",
        status: "ok",
        message: expect.stringContaining(message),
      });
      expect(exit).toBe(0);
    },
  );

  test("reports operations that the environment has, but the service or the token does not", async () => {
    const { url, requests } = await service({
      token,
      operations: ["list", "numbers"],
      faults: ["status=403 on=list"],
    });
    const { path, env, write } = project(url, { a: menu("A") });
    write("ivrctl.yaml", withOperations(["list", "users"]));
    const { exit, checks } = await doctor(path, env);
    expect(exit).toBe(1);
    expect(checks.filter(({ name }) => name === "operations")).toEqual([
      {
        name: "operations",
        status: "error",
        message:
          "ivrctl.yaml:6:26: `operations:` has `list`, but the scope of the token does not include this operation (HTTP 403). [IVR503]",
        fix: "Allow it for this token on the console, or remove `list` from `operations:`.",
      },
      {
        name: "operations",
        status: "error",
        message:
          "ivrctl.yaml:6:26: `operations:` has `users`, but the service does not offer this operation (HTTP 404). [IVR503]",
        fix: "Remove `users` from `operations:`.",
      },
    ]);
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
  });

  test("asks for no more than the agents if the token is rejected", async () => {
    const { url, requests } = await service({ token: "another-token" });
    const { path, env } = project(url, { a: menu("A") });
    expect((await doctor(path, env)).of("operations")).toBe(undefined);
    expect(requests.filter(({ path: asked }) => asked === "/v1/ivrs")).toEqual([]);
  });

  test("reports all problems in one run", async () => {
    const path = folder({
      "ivrctl.yaml": `version: 1
default_environment: test
rulez: {}
recordings: { hello: "10" }
environments:
  test:
    service: { base_url: "\${BASE_URL}", token: { command: [no-such-command-at-all] } }
`,
      "ivrs/a.yaml": menu("A").replace('recording: "10"', "recording: hello"),
      "ivrs/b.yaml": "name: B\n",
      "agents.lock.json": "{",
      ".ivrctl": "in the way",
    });
    const { exit, text, checks, value } = await doctorInBothFormats(path);
    expect(exit).toBe(1);
    const wrong = checks.filter(({ status }) => status === "error");
    expect(wrong.map(({ name, message }) => `${name}: ${message}`)).toEqual([
      expect.stringMatching(/^configuration: ivrctl\.yaml:3:1: .*`rulez`.* \[IVR201\]$/),
      "configuration: ivrctl.yaml:7:27: The environment variable BASE_URL is not set. [IVR403]",
      ...["description", "invalid", "options", "recording", "timeout"].map(
        (field) => `menus: ivrs/b.yaml:1:1: \`${field}\` is missing. [IVR202]`,
      ),
    ]);
    expect(wrong.every(({ fix }) => Boolean(fix))).toBe(true);
    expect(value.diagnostics.map(({ code }: { code: string }) => code)).toContain("IVR201");
    expect(text).toContain("✗ configuration  ivrctl.yaml:7:27: The environment variable");
    expect(text).toMatch(
      /\n7 errors, 1 warning\. Fix the errors before you run plan or apply\.\n$/,
    );
  });

  test.each([
    ["no project at all", {}],
    ["broken YAML", { "ivrctl.yaml": "version: [1" }],
    [
      "no such environment",
      { "ivrctl.yaml": "version: 1\nenvironments: { a: { service: sandbox } }\n" },
    ],
    [
      "no service",
      { "ivrctl.yaml": "version: 1\ndefault_environment: a\nenvironments: { a: {} }\n" },
    ],
  ])("skips the steps that depend on a failed one: %s", async (_, files) => {
    const { exit, is } = await doctor(folder(files));
    expect(exit).toBe(1);
    expect(is("configuration")).toEqual(["error"]);
    expect([...is("state"), ...is("connection"), ...is("agents")]).toEqual([
      "skipped",
      "skipped",
      "skipped",
    ]);
    expect(is("node")).toEqual(["ok"]);
  });

  test("reports a Node that is too old", async () => {
    const path = exampleProject();
    const of = async (nodeVersion: string) => {
      const { stdout } = await ivrctl(["doctor"], { cwd: path, machine: { nodeVersion } });
      return stdout;
    };
    expect(await of("20.18.3")).toContain("✗ node           Node 20.18.3 is older than 20.19");
    expect(await of("20.19.0")).toContain("✓ node           Node 20.19.0.");
    expect(await of("100.0.0")).toContain("✓ node           Node 100.0.0.");
  });

  test("--quiet prints only problems; a dumb terminal gets words instead of signs", async () => {
    const { path } = project("", { a: menu("A") });
    const env = { TERM: "dumb", BASE_URL: "http://127.0.0.1:9" };
    const { exit, stdout } = await ivrctl(["doctor", "--quiet"], { cwd: path, env });
    expect(exit).toBe(1);
    expect(stdout.split("\n").filter((line) => /^\S/.test(line))).toEqual([
      expect.stringMatching(/^FAIL configuration {2}ivrctl.yaml:.* TOKEN is/),
      expect.stringMatching(/^warn state {10}ivrctl.yaml:.* names no state for/),
      expect.stringMatching(/^FAIL connection {5}Cannot connect: connection refused/),
    ]);
    const { stdout: all } = await ivrctl(["doctor"], { cwd: path, env });
    expect(all).toMatch(/^[\x20-\x7e\n…]*$/);
  });
});

describe("doctor and the service", () => {
  const example = (url: string) => project(url, { a: menu("A") });

  test.each([
    ["http://127.0.0.1:9", "connection refused", "nothing listens there"],
    ["https://telephony.invalid", "Cannot connect: ", "resolve host names"],
  ])("says how to fix a connection to %s", async (url, message, fix) => {
    const { path, env } = example(url);
    const { exit, of, is } = await doctor(path, env);
    expect(exit).toBe(1);
    expect(of("connection")).toMatchObject({
      status: "error",
      message: expect.stringMatching(message),
      fix: expect.stringContaining(fix),
    });
    expect([...is("clock"), ...is("agents")]).toEqual(["skipped", "skipped"]);
  });

  test.each([
    [5 * 60, "The clock of this machine is 5 minutes behind the service's."],
    [-3 * 3600, "The clock of this machine is 3 hours ahead of the service's."],
  ])("warns about a clock that is %d seconds off", async (off, message) => {
    const url = await serve((_, response) => {
      response.setHeader("date", new Date(Date.now() + off * 1000).toUTCString()).end("[]");
    });
    const { path, env } = example(url);
    const { exit, of } = await doctor(path, env);
    expect(of("clock")).toMatchObject({ status: "warning", message: `${message} [IVR505]` });
    // The error is that the agents of the menu are not on the list.
    expect(exit).toBe(1);
  });

  test("names the proxy variables, but never shows their addresses", async () => {
    const { path, env } = example("https://telephony.invalid");
    const secret = "pr0xy-passw0rd";
    const proxy = `http://user:${secret}@127.0.0.1:9`;
    const through = await doctorInBothFormats(path, {
      ...env,
      HTTPS_PROXY: proxy,
      NO_PROXY: "other.example",
    });
    expect(through.of("proxy")?.message).toBe("Set: HTTPS_PROXY, NO_PROXY.");
    expect(through.is("connection")).toEqual(["error"]);
    expect(through.said).not.toContain(secret);
    const past = await doctorInBothFormats(path, {
      ...env,
      https_proxy: proxy,
      no_proxy: ".invalid",
    });
    expect(past.of("proxy")?.message).toBe("Set: https_proxy, no_proxy.");
    const broken = await doctorInBothFormats(path, { ...env, HTTPS_PROXY: `${secret}:80` });
    expect(broken.of("connection")?.message).toContain("NO_PROXY is invalid");
    expect(broken.said).not.toContain(secret);
    const unread = await doctorInBothFormats(path, { ...env, ALL_PROXY: proxy });
    expect(unread.is("proxy")).toEqual(["warning"]);
    expect(unread.said).not.toContain(secret);
  });
});

describe("doctor never shows the token", () => {
  const odd = "t0k/en+wi=th%odd&chars";
  const spellings = [odd, encodeURIComponent(odd), odd.replaceAll("/", String.raw`\/`)];

  test.each([
    ["in an error", 500, (text: string) => `no: ${text}`],
    [
      "in an array",
      200,
      (text: string) =>
        JSON.stringify([
          { name: text, eid: 1 },
          { name: text, eid: 1 },
        ]),
    ],
    ["in an object", 200, (text: string) => JSON.stringify({ message: `Bearer ${text}` })],
  ])("if the service repeats it %s", async (_, status, body) => {
    for (const spelling of spellings) {
      const url = await serve((request, response) => {
        response.writeHead(isList(request) ? status : 200, { "content-type": `text/${spelling}` });
        response.end(body(spelling));
      });
      const { path } = project(url, { a: menu("A") });
      const { said, exit } = await doctorInBothFormats(path, { BASE_URL: url, TOKEN: odd });
      expect(exit).toBe(1);
      for (const hidden of spellings) expect(said).not.toContain(hidden);
    }
  });

  test("if an address, a command or a file contains it by mistake", async () => {
    const { url } = await service();
    const swapped = project(url, { a: menu("A") });
    await doctorInBothFormats(swapped.path, { BASE_URL: token, TOKEN: url });
    await doctorInBothFormats(swapped.path, { BASE_URL: `${url}/${token}`, TOKEN: token });
    await doctorInBothFormats(swapped.path, {
      BASE_URL: `https://x:${token}@h.example`,
      TOKEN: token,
    });
    await doctorInBothFormats(swapped.path, { BASE_URL: url, TOKEN: ` ${token}\n` });
    const config = (service: string) =>
      folder({
        "ivrctl.yaml": `version: 1\ndefault_environment: a\nenvironments:\n  a:\n    service:\n      base_url: ${url}\n      ${service}\n`,
      });
    const literal = await doctorInBothFormats(config(`token: ${token}`));
    expect(literal.is("configuration")).toEqual(["error"]);
    await doctorInBothFormats(config(`tokn: ${token}`));
    const print = (script: string) =>
      config(`token: { command: [sh, -c, "${script}; t=t0ken-of-the-test; echo s3cret-$t"] }`);
    expect((await doctorInBothFormats(print("true"))).is("agents")).toEqual(["ok"]);
    expect(
      (await doctorInBothFormats(print("trap 'exit 3' EXIT"))).of("agents")?.message,
    ).toContain("The token command failed with exit code 3.");
  });
});

describe("doctor and the state", () => {
  test("unknown outcomes are a warning, open follow-ups are ok", async () => {
    const { path, env, run } = await replaced();
    const { exit, of } = await doctor(path, env);
    expect(exit).toBe(0);
    expect(of("state")).toEqual({
      name: "state",
      status: "warning",
      message: expect.stringMatching(
        /^night: the outcome of a create is unknown \(sent .*\)\. Nothing is sent for it until you resolve this\. \[IVR684\]$/,
      ),
      fix: "To see how to resolve the unknown outcome, run: ivrctl state show night --env test",
    });
    await run("state", "resolve", "night", "--absent");
    expect((await doctor(path, env)).of("state")?.message).toMatch(
      /: 2 menus on record, after \d+ events\. 1 follow-up open: `ivrctl state list` shows them\.$/,
    );
  });

  test("reports a lock and its holder", async () => {
    const { path, env } = await applied();
    lockElsewhere(path);
    const { exit, of } = await doctor(path, env);
    expect(exit).toBe(1);
    expect(of("state")).toMatchObject({
      status: "error",
      message: expect.stringContaining("locked by meera@elsewhere (apply on elsewhere"),
      fix: expect.stringContaining("ivrctl unlock abc123 --env test"),
    });
  });

  test("reports the lock of a run that has ended", async () => {
    const { path, env } = await applied();
    lockHere(path, { isDead: true });
    const { exit, of } = await doctor(path, env);
    expect(exit).toBe(0);
    expect(of("state")).toMatchObject({
      status: "warning",
      message: expect.stringMatching(/^A run that has ended left a lock: meera@here \(apply on /),
      fix: expect.stringContaining("ivrctl unlock abc123 --env test"),
    });
  });

  test("reports a state of another address, and a state that is damaged or edited", async () => {
    const { path, env, run } = await applied();
    await run("state", "rebind", "--to", "https://new.example", "--evidence", "x");
    const elsewhere = await doctor(path, env);
    expect(elsewhere.exit).toBe(1);
    expect(elsewhere.of("state")?.message).toContain("The state belongs to https://new.example");
    writeFileSync(snapshotFile(path), "{}\n");
    const edited = await doctor(path, env);
    expect(edited.checks).toContainEqual({
      name: "state",
      status: "warning",
      message: expect.stringContaining("[IVR605]"),
      fix: expect.any(String),
    });
    damageState(path);
    const damaged = await doctor(path, env);
    expect([...damaged.is("state"), ...damaged.is("agents")]).toEqual(["error", "skipped"]);
  });

  test("warns about an empty state for a remote service", async () => {
    const { path, env } = project("https://telephony.invalid", {});
    const { of } = await doctor(path, env);
    expect(of("state")).toMatchObject({
      status: "warning",
      fix: expect.stringContaining("ivrctl state init"),
    });
    expect(of("menus")).toMatchObject({ status: "warning" });
  });
});
