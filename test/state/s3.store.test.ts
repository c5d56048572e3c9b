import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bucketProject } from "../support/stored-project.ts";
import { ivrctl } from "../support/commands.ts";
import { HttpProxy } from "../support/http-proxy.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { freshSchema, postgres } from "../support/postgres.ts";
import { beginning, isUnbegun, menu, namesOf, service, token } from "../support/project.ts";
import { bucket, radosgw } from "../support/radosgw.ts";
import { credentialsOf } from "../support/s3.ts";
import { codesIn } from "../support/state.ts";

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
    const project = bucketProject(url, server(), three, { endpoint });
    const init = await project.run("state", "init");
    expect([init.exit, codesIn(init)]).toEqual([1, ["IVR676"]]);
    expect(isUnbegun(project.path)).toBe(true);
    isConditional = true;
    expect((await project.run("state", "init")).exit).toBe(0);
    isConditional = false;
    const { exit, stderr } = await project.run("apply", "--auto-approve");
    expect(exit).toBe(1);
    expect(stderr).toContain("IVR676");
    expect(records).toEqual([]);
  });

  test("reports invalid settings from variables at their line, and does not show them", async () => {
    const { url } = await service();
    const project = bucketProject(url, server(), three, { prefix: '"${TOKEN} x"' });
    const { exit, stderr } = await project.run("state", "list");
    expect(exit).toBe(1);
    expect(stderr).toMatch(/ivrctl\.yaml:6:\d+.*IVR407|IVR407/);
    expect(stderr).toContain("state.prefix` must be");
    expect(stderr).not.toContain(token);
  });

  test("rejects the credentials later: nothing more is sent, and outcomes are saved", async () => {
    const proxy = new HttpProxy(server().port);
    await proxy.open();
    onTestFinished(() => proxy.close());
    const { url, records } = await service();
    const project = bucketProject(url, server(), three, {
      concurrency: 1,
      endpoint: proxy.endpoint,
    });
    let isOver = false;
    proxy.fate = ({ method, body }) => {
      isOver ||= method === "PUT" && /"kind":"outcome","intent":\d+,"key":"front-desk"/.test(body);
      return isOver
        ? { kind: "answer", status: 400, code: "ExpiredToken", reaches: "never" }
        : { kind: "pass" };
    };
    const applied = await project.start("apply", "--auto-approve").finished;
    expect([applied.exit, codesIn(applied)]).toEqual([3, expect.arrayContaining(["IVR604"])]);
    expect(readdirSync(join(project.path, ".ivrctl/rescue"))).toHaveLength(1);
    expect(namesOf(records)).toEqual(["Front desk"]);
    proxy.fate = () => ({ kind: "pass" });
    expect((await project.run("apply", "--auto-approve")).exit).toBe(0);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
  });
});

describe("moving a state", () => {
  test("keeps one history from files to an object store, to a database, and back", async () => {
    const { url, records } = await service();
    const project = bucketProject(url, server(), three);
    const inBucket = readFileSync(join(project.path, "ivrctl.yaml"), "utf8");
    const stateIs = (settings: string) =>
      project.write("ivrctl.yaml", inBucket.replace(/ {4}state: .*/, `    ${settings}`));
    const schema = freshSchema();
    const env = {
      ...project.env,
      ...credentialsOf(server()),
      ENDPOINT: server().endpoint,
      STATE_URL: database().url(),
    };
    const run = (...args: string[]) =>
      beginning(args, (all) => ivrctl(all, { cwd: project.path, env }));
    const stores = {
      file: "state: { backend: file }",
      postgres: `state: { backend: postgres, url: "\${STATE_URL}", schema: ${schema} }`,
      s3: `state: { backend: s3, bucket: ${bucket}, prefix: ${project.prefix}, endpoint: "\${ENDPOINT}" }`,
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
});
