import { describe, expect, test } from "vitest";
import { exampleProject, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { doctor } from "../support/doctor.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { stoppedClock } from "../support/host.ts";
import { menu, project, service, token } from "../support/project.ts";
import { applied, lockHere } from "../support/state.ts";

// The golden cases in test/cases/doctor show what doctor prints.
describe("doctor", () => {
  test("asks for no more than the agents if the token is rejected", async () => {
    const { url, requests } = await service({ token: "another-token" });
    const { path, env } = project(url, { a: menu("A") });
    expect((await doctor(path, env)).is("operations")).toEqual([]);
    expect(requests.filter(({ path: asked }) => asked === "/v1/ivrs")).toEqual([]);
  });

  test("sends only requests that change nothing", async () => {
    const { url, requests } = await service({ token, operations: ["list", "update", "numbers"] });
    const { path, env } = project(url, { a: menu("A") });
    expect((await doctor(path, env)).exit).toBe(0);
    expect(requests.map(({ method }) => method)).toEqual(requests.map(() => "GET"));
  });

  test.each([
    ["no project at all", {}],
    ["broken YAML", { "ivrctl.yaml": "version: [1" }],
    [
      "no environment",
      { "ivrctl.yaml": "version: 1\nenvironments: { a: { service: sandbox } }\n" },
    ],
    [
      "no service",
      { "ivrctl.yaml": "version: 1\ndefault_environment: a\nenvironments: { a: {} }\n" },
    ],
  ])("skips the steps that depend on a failed one: %s", async (_, files) => {
    const { exit, is } = await doctor(folder(files));
    expect(exit).toBe(1);
    expect(["node", "configuration", "state", "connection", "agents"].flatMap(is)).toEqual([
      "ok",
      "error",
      "skipped",
      "skipped",
      "skipped",
    ]);
  });

  test.each([
    ["20.18.3", 1],
    ["20.19.0", 0],
    ["100.0.0", 0],
  ])("with Node %s exits with %d", async (nodeVersion, exit) => {
    const ran = await ivrctl(["doctor"], { cwd: exampleProject(), machine: { nodeVersion } });
    expect(ran.exit).toBe(exit);
  });

  test.each([
    ["20.19.0", true],
    ["22.0.0", false],
  ])(
    "with Node %s and a state in S3 says what the SDK warns about: %s",
    async (nodeVersion, is) => {
      const { endpoint } = await memoryBucket();
      const { url } = await service();
      const state = `backend: s3, bucket: states, region: r, endpoint: "${endpoint}"`;
      const { path, env, run } = project(
        url,
        { a: menu("A") },
        { state, env: { AWS_ACCESS_KEY_ID: "k", AWS_SECRET_ACCESS_KEY: "s" } },
      );
      await run("state", "init");
      const { stdout, stderr } = await ivrctl(["doctor"], {
        cwd: path,
        env,
        machine: { nodeVersion },
      });
      expect(stdout).toContain("✓ state");
      expect([stdout.includes("@aws-sdk/client-s3 need Node 22"), stderr.includes("AWS")]).toEqual([
        is,
        false,
      ]);
    },
  );

  test.each([
    [5 * 60, "warning"],
    [60, "ok"],
    [-3 * 3600, "warning"],
  ])("a clock that is %d seconds off is %s", async (off, status) => {
    const { url } = await service({ clock: stoppedClock(Date.now() + off * 1000) });
    const { path, env } = project(url, { a: menu("A") });
    expect((await doctor(path, env)).is("clock")).toEqual([status]);
  });

  test("does not report the lock of a run that has ended, because the next run takes it over", async () => {
    const { path, env } = await applied();
    lockHere(path, { isDead: true });
    const { exit, value } = await doctor(path, env);
    expect(exit).toBe(0);
    expect(value.diagnostics).not.toContainEqual(expect.objectContaining({ code: "IVR601" }));
  });
});

describe("doctor never shows the token", () => {
  test("if an address, a command or a file contains it by mistake", async () => {
    const { url } = await service();
    const { path } = project(url, { a: menu("A") });
    for (const env of [
      { BASE_URL: token, TOKEN: url },
      { BASE_URL: `${url}/${token}`, TOKEN: token },
      { BASE_URL: `https://x:${token}@h.example`, TOKEN: token },
      { BASE_URL: url, TOKEN: ` ${token}\n` },
    ]) {
      await doctor(path, env);
    }
    const config = (setting: string) =>
      folder({
        "ivrctl.yaml": `version: 1\ndefault_environment: a\nenvironments:\n  a:\n    service:\n      base_url: ${url}\n      ${setting}\n`,
      });
    expect((await doctor(config(`token: ${token}`))).is("configuration")).toEqual(["error"]);
    await doctor(config(`tokn: ${token}`));
    const print = (script: string) =>
      config(`token: { command: [sh, -c, "${script}; t=t0ken-of-the-test; echo s3cret-$t"] }`);
    expect((await doctor(print("true"))).is("agents")).toEqual(["ok"]);
    expect((await doctor(print("trap 'exit 3' EXIT"))).is("agents")).toEqual(["error"]);
  });
});
