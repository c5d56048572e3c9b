import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { opened } from "../support/listen.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { HttpProxy } from "../support/http-proxy.ts";
import { bucketProject, databaseProject } from "../support/stored-project.ts";
import { postgres } from "../support/postgres.ts";
import { namesOf, service, token, until, threeMenus } from "../support/project.ts";
import { radosgw } from "../support/radosgw.ts";

const database = postgres();
const bucket = radosgw();

/** Whether a run adds that `night` was created. */
const isOutcome = (text: string) =>
  /"kind":"outcome","intent":\d+,"key":"night"/.test(text.replaceAll("\\", ""));

/** What decides whether the store can be reached. */
interface Lost {
  /** How often a run has tried to reach the store since it is away. */
  tries: number;
  /** Whether the store is there again. */
  isBack: boolean;
}

/** A project that creates three menus one after the other. Its store is lost at the second outcome. */
const stores = {
  async PostgreSQL(url: string) {
    const lost: Lost = { tries: 0, isBack: false };
    const proxy = await opened(new TcpProxy(database().port));
    proxy.asked = (bytes) => {
      if (lost.tries > 0 || isOutcome(bytes.toString("latin1"))) lost.tries += 1;
      return lost.tries > 0 && !lost.isBack ? "cut" : "pass";
    };
    const through = `postgresql://postgres@127.0.0.1:${proxy.port}/postgres`;
    const project = databaseProject(url, through, threeMenus, { concurrency: 1 });
    const { schema } = project;
    const elsewhere = () => databaseProject(url, database().url(), threeMenus, { schema });
    return { project, elsewhere, lost };
  },
  async "an object store"(url: string) {
    const lost: Lost = { tries: 0, isBack: false };
    const proxy = await opened(new HttpProxy(bucket().port));
    proxy.fate = ({ body }) => {
      if (lost.tries > 0 || isOutcome(body)) lost.tries += 1;
      return lost.tries > 0 && !lost.isBack ? { kind: "cut", reaches: "never" } : { kind: "pass" };
    };
    const { endpoint } = proxy;
    const project = bucketProject(url, bucket(), threeMenus, { concurrency: 1, endpoint });
    const { prefix } = project;
    const elsewhere = () => bucketProject(url, bucket(), threeMenus, { prefix });
    return { project, elsewhere, lost };
  },
};

describe.each(Object.entries(stores))("%s that is lost during an apply", (_, open) => {
  /** Ends an apply that waits for the store. */
  async function givenUp({
    project,
    lost,
  }: Pick<Awaited<ReturnType<typeof open>>, "project" | "lost">) {
    const { child, finished, said } = project.start("apply", "--auto-approve");
    await until(() => said().includes("Sending is paused"));
    child.kill("SIGINT");
    // Two signals at the same time may count as one.
    await until(() => said().includes("Interrupted"));
    child.kill("SIGINT");
    const ended = await finished;
    lost.isBack = true;
    const folder = join(project.path, ".ivrctl/rescue");
    const [file = ""] = readdirSync(folder);
    return { ...ended, folder, rescue: readFileSync(join(folder, file), "utf8") };
  }

  test("comes back: nothing is sent without it, and everything is recorded", async () => {
    const { url, records } = await service();
    const { project, lost } = await open(url);
    const { finished } = project.start("apply", "--auto-approve");
    await until(() => lost.tries >= 4);
    expect(namesOf(records)).toEqual(["Front desk", "Night"]);
    lost.isBack = true;
    const { exit, stderr } = await finished;
    expect(stderr).toMatch(/Sending is paused[^]*The state backend is back/);
    expect(stderr).not.toContain("error");
    expect(exit).toBe(0);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
    expect((await project.json("plan")).value.changes).toEqual([]);
  });

  test("does not come back: outcomes are printed and saved, and the next run records them", async () => {
    const { url, records } = await service();
    const place = await open(url);
    const { project } = place;
    const { exit, stderr, folder, rescue } = await givenUp(place);
    expect(exit).toBe(3);
    expect(stderr).toContain("IVR671");
    expect(stderr).toMatch(/saved in \.ivrctl\/rescue\/test-\w{8}-\d+\.json/);
    expect(stderr).toContain("ivrctl state resolve night --created");
    expect(namesOf(records)).toEqual(["Front desk", "Night"]);
    for (const secret of [token, bucket().secretKey]) {
      expect(rescue + stderr).not.toContain(secret);
    }
    const planned = await project.json("plan");
    expect(planned.value.summary).toMatchObject({ unknown: 1, create: 1 });
    expect(planned.value.matters).toContainEqual(expect.objectContaining({ kind: "unrecorded" }));
    const next = await project.run("apply", "--auto-approve");
    expect(next.stderr).toMatch(/Took over the lock of .*lock \w{8}\)/);
    expect(next.stderr).toContain("Recorded now: night created");
    expect(next.exit).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
    expect((await project.json("plan")).value.changes).toEqual([]);
  });

  test("leaves a file that push records on another machine, once, and only in its own state", async () => {
    const { url } = await service();
    const place = await open(url);
    const { rescue } = await givenUp(place);
    const other = place.elsewhere();
    other.write("ivrctl.yaml", readFileSync(join(place.project.path, "ivrctl.yaml"), "utf8"));
    other.write("rescue.json", rescue);
    other.write("other.json", rescue.replace(/"state": "[^"]*"/, '"state": "another"'));
    other.write("older.json", rescue.replace(/"sum": "\w+"/, '"sum": "none"'));
    // The process of that run has ended, but its lock may be left.
    const id = /ivrctl unlock (\S+)/.exec((await other.run("unlock", "none")).stdout)?.[1];
    if (id !== undefined) await other.run("unlock", id);
    const refused = await other.run("state", "push", "other.json");
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining("IVR675")]);
    const added = async (name: string) => {
      const events = async () => (await other.run("state", "pull")).stdout.split("\n").length;
      const before = await events();
      expect((await other.run("state", "push", name)).exit).toBe(0);
      return (await events()) - before;
    };
    expect(await added("older.json")).toBe(0);
    expect(await added("rescue.json")).toBe(1);
    expect(await added("rescue.json")).toBe(0);
    const { value } = await other.json("state", "show", "night");
    expect(JSON.stringify(value)).toContain('"how":"answered"');
  });
});
