import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { bucketProject } from "../support/bucket-project.ts";
import { folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { freshSchema, postgres } from "../support/postgres.ts";
import { beginning, isUnbegun, menu, namesOf, service, token } from "../support/project.ts";
import { bucket, freshPrefix, radosgw } from "../support/radosgw.ts";
import { credentialsOf } from "../support/s3.ts";
import { codesIn } from "../support/state.ts";
import { environment } from "../support/environment.ts";

const server = radosgw();
const database = postgres();

const three = {
  "front-desk": menu("Front desk"),
  night: menu("Night"),
  sales: menu("Sales"),
};

describe("a state in an object store", () => {
  test("refuses a store that ignores If-None-Match, and sends nothing", async () => {
    const { url, records } = await service();
    let isConditional = false;
    const { endpoint } = await memoryBucket({ isConditional: () => isConditional });
    const own = bucketProject(url, server(), three, { endpoint });
    const init = await own.run("state", "init");
    expect([init.exit, codesIn(init)]).toEqual([1, ["IVR676"]]);
    expect(isUnbegun(own.path)).toBe(true);
    isConditional = true;
    expect((await own.run("state", "init")).exit).toBe(0);
    isConditional = false;
    const { exit, stderr } = await own.run("apply", "--auto-approve");
    expect(exit).toBe(1);
    expect(stderr).toContain("IVR676");
    expect(records).toEqual([]);
  });

  test("reports invalid settings from variables at their line, and does not show them", async () => {
    const { url } = await service();
    const own = bucketProject(url, server(), three, { prefix: '"${TOKEN} x"' });
    const { exit, stderr } = await own.run("state", "list");
    expect(exit).toBe(1);
    expect(stderr).toMatch(/ivrctl\.yaml:6:\d+.*IVR407|IVR407/);
    expect(stderr).toContain("state.prefix` must be");
    expect(stderr).not.toContain(token);
  });
});

describe("moving a state", () => {
  test("keeps one history from files to an object store, to a database, and back", async () => {
    const { url, records } = await service();
    const own = bucketProject(url, server(), three);
    const inBucket = readFileSync(join(own.path, "ivrctl.yaml"), "utf8");
    const stateIs = (settings: string) =>
      own.write("ivrctl.yaml", inBucket.replace(/ {4}state: .*/, `    ${settings}`));
    const schema = freshSchema();
    const env = {
      ...own.env,
      ...credentialsOf(server()),
      ENDPOINT: server().endpoint,
      STATE_URL: database().url(),
    };
    const run = (...args: string[]) =>
      beginning(args, (all) => ivrctl(all, { cwd: own.path, env }));
    const stores = {
      file: "state: { backend: file }",
      postgres: `state: { backend: postgres, url: "\${STATE_URL}", schema: ${schema} }`,
      s3: `state: { backend: s3, bucket: ${bucket}, prefix: ${own.prefix}, endpoint: "\${ENDPOINT}" }`,
    };
    let before = stores.file;
    stateIs(before);
    expect((await run("apply", "--auto-approve")).exit).toBe(0);
    const whole = (await run("state", "pull")).stdout;
    expect(whole.split("\n")).toHaveLength(8);
    for (const name of ["s3", "postgres", "s3", "file"] as const) {
      const settings = stores[name];
      stateIs(settings.replace(" }", `, from: ${before.replace("state: ", "")} }`));
      expect((await run("state", "migrate")).exit).toBe(0);
      stateIs(before);
      expect((await run("plan")).stderr).toContain("IVR674");
      stateIs(settings);
      before = settings;
      expect((await run("state", "pull")).stdout).toBe(whole);
      expect((await run("plan", "--detailed-exitcode")).exit).toBe(0);
    }
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
  });

  test("pull and push: an empty prefix accepts a state and continues it, but accepts nothing older", async () => {
    const { url } = await service();
    const own = bucketProject(url, server(), three);
    expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
    expect((await own.run("state", "pull", "--out", "old.jsonl")).exit).toBe(0);
    const other = bucketProject(url, server(), three, { prefix: freshPrefix() });
    for (const name of ["old.jsonl", "ivrctl.yaml"]) {
      const text = readFileSync(join(own.path, name), "utf8");
      other.write(name, text.replace(own.prefix, other.prefix));
    }
    expect((await other.run("state", "push", "old.jsonl")).stderr).toContain("Added 7 events.");
    expect((await other.run("state", "mv", "sales", "sales-2")).exit).toBe(0);
    expect(codesIn(await other.run("state", "push", "old.jsonl"))).toEqual(["IVR675"]);
  });
});

test("finds the SDK where ivrctl is installed or in the project; otherwise says what to install", async () => {
  const root = join(import.meta.dirname, "../..");
  const top = folder({ "project/ivrs/.keep": "" });
  const installed = join(top, "lib/node_modules/ivrctl");
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, "dist"), join(installed, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(installed, "package.json"));
  const project = join(top, "project");
  writeFileSync(
    join(project, "ivrctl.yaml"),
    'version: 1\ndefault_environment: e\nenvironments:\n  e: { service: sandbox, state: { backend: s3, bucket: states, prefix: nobody, endpoint: "${S}" } }\n',
  );
  const run = promisify(execFile);
  const env = { ...credentialsOf(server()), S: server().endpoint, ...environment() };
  const list = () =>
    run(process.execPath, [join(installed, "dist/ivrctl.cjs"), "state", "list"], {
      cwd: project,
      env,
    }).then(
      ({ stderr }) => stderr,
      (error: { stderr: string }) => error.stderr,
    );
  const missing = await list();
  expect(missing).toContain("IVR671");
  expect(missing).toContain("npm install @aws-sdk/client-s3");
  mkdirSync(join(project, "node_modules/@aws-sdk"), { recursive: true });
  const name = "node_modules/@aws-sdk/client-s3";
  symlinkSync(join(root, name), join(project, name));
  // The SDK prints nothing itself.
  expect(await list()).not.toMatch(/IVR671|Warning|Node/);
});
