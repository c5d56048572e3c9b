import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { heldService } from "../support/held-service.ts";
import { bucketProject, databaseProject } from "../support/stored-project.ts";
import { postgres } from "../support/postgres.ts";
import {
  lockIn,
  menu,
  namesOf,
  service,
  stateIdIn,
  token,
  until,
  threeMenus,
} from "../support/project.ts";
import { bucket, radosgw } from "../support/radosgw.ts";

const database = postgres();
const bucketServer = radosgw();

type StoredProject = Pick<
  ReturnType<typeof databaseProject>,
  "path" | "write" | "run" | "json" | "start"
> & {
  /** Everything that the store has. */
  readonly stored: () => string;
};

const stores = {
  PostgreSQL: {
    place: /state +postgresql:\/\/127\.0\.0\.1:\d+\/postgres, schema/,
    open: (
      url: string,
      menus: Readonly<Record<string, string>>,
      concurrency = 4,
    ): StoredProject => {
      const project = databaseProject(url, database().url(), menus, { concurrency });
      const tables = () => ["blocks", "snapshots"].map((name) => `${project.schema}.${name}`);
      const read = (table: string) => database().sql(`SELECT content FROM ${table}`);
      return { ...project, stored: () => tables().map(read).join("\n") };
    },
  },
  "an object store": {
    place: /state +s3:\/\/states\/\S+ at 127\.0\.0\.1:\d+: /,
    open: (
      url: string,
      menus: Readonly<Record<string, string>>,
      concurrency = 4,
    ): StoredProject => {
      const project = bucketProject(url, bucketServer(), menus, { concurrency });
      const keys = () =>
        bucketServer().keys(bucket, `${project.prefix}/test/${stateIdIn(project.path)}/log/`);
      const read = () => bucketServer().get(keys().map((key) => `/${bucket}/${key}`));
      return { ...project, stored: () => read().join("\n") };
    },
  },
};

describe.each(Object.entries(stores))("a state in %s", (_, { open, place }) => {
  test("plan, apply and state commands work as with files, and write no files", async () => {
    const { url, records } = await service({ faults: ["cut name=Night times=1 created=yes"] });
    const project = open(url, threeMenus);
    expect((await project.json("plan")).value.summary.create).toBe(3);
    expect((await project.run("apply", "--auto-approve")).exit).toBe(3);
    expect(namesOf(records)).toHaveLength(3);
    expect((await project.json("state", "list")).value.menus).toHaveLength(3);
    expect((await project.run("state", "resolve", "night", "--created")).exit).toBe(0);
    project.write("ivrs/sales.yaml", menu("Sales", "Front Desk"));
    expect((await project.run("plan", "--out", "plan.json")).exit).toBe(0);
    expect((await project.run("apply", "plan.json")).exit).toBe(0);
    expect((await project.json("apply", "plan.json")).value.results).toEqual([]);
    const { value } = await project.json("plan");
    expect(value.changes).toEqual([]);
    expect(value.follow_ups).toHaveLength(1);
    expect((await project.run("state", "history")).stdout).toContain("sales: created");
    expect((await project.run("state", "show", "night")).exit).toBe(0);
    expect((await project.run("doctor")).stdout).toMatch(place);
    // Only what this machine remembers of the end of the log.
    expect(readdirSync(join(project.path, ".ivrctl"))).toEqual(["seen"]);
    expect(project.stored()).toContain("sales");
    for (const secret of [token, bucketServer().secretKey]) {
      expect(project.stored()).not.toContain(secret);
    }
  });

  test("of two runs at once, one learns who holds the lock, and each menu is created once", async () => {
    const { url, records, release } = await heldService();
    const project = open(url, threeMenus, 1);
    expect((await project.run("state", "init")).exit).toBe(0);
    const apply = (...args: string[]) => project.start("apply", "--auto-approve", ...args).finished;
    // Either may be the first.
    const both = [apply(), apply()];
    // The first apply gets no answer until the other one has seen the lock.
    await Promise.race(both);
    release();
    const ended = await Promise.all(both);
    expect(new Set(ended.map(({ exit }) => exit))).toEqual(new Set([0, 4]));
    expect(ended.map(({ stderr }) => stderr).join("")).toMatch(/locked by .*lock \w{8}/);
    const waited = await Promise.all([
      apply("--lock-timeout", "300"),
      apply("--lock-timeout", "300"),
    ]);
    expect(waited.map(({ exit }) => exit)).toEqual([0, 0]);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
  });

  test("the next run takes over the lock of a killed run, and sends nothing again", async () => {
    const { url, records, release } = await heldService();
    const project = open(url, threeMenus, 1);
    const { child, finished } = project.start("apply", "--auto-approve");
    await until(() => records.length === 1);
    child.kill("SIGKILL");
    await finished;
    release();
    const { exit, stderr } = await project.run("apply", "--auto-approve");
    expect(stderr).toMatch(/Took over the lock of .*lock \w{8}\)/);
    expect(exit).toBe(3);
    const names = namesOf(records);
    expect(names).toEqual(expect.arrayContaining(["Night", "Sales"]));
    expect(new Set(names).size).toBe(names.length);
  });
});

test("refuses SQL in a schema name from a variable", async () => {
  const { url } = await service();
  const project = databaseProject(url, database().url(), threeMenus, { schema: '"${TOKEN}"' });
  const { exit, stderr } = await project.run("state", "list");
  expect(exit).toBe(1);
  expect(stderr).toContain("IVR407");
  expect(stderr).not.toContain(token);
});

test("a run that has lost its lock records nothing more, and prints what it knows", async () => {
  const { url, records, release } = await heldService();
  const project = databaseProject(url, database().url(), threeMenus, { concurrency: 1 });
  const { finished } = project.start("apply", "--auto-approve");
  await until(() => records.length === 1);
  expect((await project.run("unlock", await lockIn(project.run))).exit).toBe(0);
  release();
  const { exit, stderr } = await finished;
  expect(exit).toBe(3);
  expect(stderr).toContain("IVR601");
  expect(stderr).toContain("are saved in");
  expect(namesOf(records)).toEqual(["Front desk"]);
  // The next run records the outcomes of the first one.
  const next = await project.run("apply", "--auto-approve");
  expect(next.stderr).toMatch(/IVR673.*Run \w{8} .*Recorded now: front-desk created/s);
  expect(next.exit).toBe(0);
  expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
});
