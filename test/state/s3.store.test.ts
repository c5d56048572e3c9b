import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bucketProject } from "../support/stored-project.ts";
import { opened } from "../support/listen.ts";
import { HttpProxy } from "../support/http-proxy.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { isUnbegun, namesOf, service, token, threeMenus } from "../support/project.ts";
import { radosgw } from "../support/radosgw.ts";
import { codesIn } from "../support/state.ts";

const server = radosgw();

describe("a state in an object store", () => {
  test("refuses a store that ignores If-None-Match, and sends nothing", async () => {
    const { url, records } = await service();
    let isConditional = false;
    const { endpoint } = await memoryBucket({ isConditional: () => isConditional });
    const project = bucketProject(url, server(), threeMenus, { endpoint });
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
    const project = bucketProject(url, server(), threeMenus, { prefix: '"${TOKEN} x"' });
    const { exit, stderr } = await project.run("state", "list");
    expect(exit).toBe(1);
    expect(stderr).toMatch(/ivrctl\.yaml:6:\d+.*IVR407|IVR407/);
    expect(stderr).toContain("state.prefix` must be");
    expect(stderr).not.toContain(token);
  });

  test("rejects the credentials later: nothing more is sent, and outcomes are saved", async () => {
    const proxy = await opened(new HttpProxy(server().port));
    const { url, records } = await service();
    const project = bucketProject(url, server(), threeMenus, {
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
