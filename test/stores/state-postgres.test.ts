import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Cable } from "../support/cable.ts";
import { heldService } from "../support/held-service.ts";
import { databaseProject } from "../support/postgres-project.ts";
import { freshSchema, postgres } from "../support/postgres.ts";
import { lockIn, menu, namesOf, service, token, until } from "../support/project.ts";
import { consoleMenus, takeOver, takenOver } from "../support/take-over.ts";

const server = postgres();

const three = {
  "front-desk": menu("Front desk"),
  night: menu("Night"),
  sales: menu("Sales"),
};

async function cableTo(port: number) {
  const cable = new Cable(port);
  await cable.plugIn();
  onTestFinished(() => cable.unplug());
  return { cable, url: `postgresql://postgres@127.0.0.1:${cable.port}/postgres` };
}

/** Takes connections at this port, counts them, and ends them at once. */
async function refusing(port: number) {
  let count = 0;
  const door = createServer((socket) => {
    count += 1;
    socket.on("error", () => {}).resetAndDestroy();
  });
  await new Promise<void>((resolve) => door.listen(port, "127.0.0.1", resolve));
  const close = () => new Promise<void>((resolve) => door.close(() => resolve()));
  onTestFinished(close);
  return {
    get count() {
      return count;
    },
    close,
  };
}

/** Whether some connection holds a lock, as the server sees it. */
function isLocked(): boolean {
  return server().sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") !== "0";
}

/** The first create is recorded. The second is answered while the database is gone, until the run gives up. */
async function answeredWithoutState(
  { child, said }: ReturnType<ReturnType<typeof databaseProject>["start"]>,
  {
    cable,
    records,
    release,
  }: Pick<Awaited<ReturnType<typeof heldService>>, "records" | "release"> & { cable: Cable },
): Promise<void> {
  release(1);
  await until(() => records.length === 2);
  await cable.unplug();
  release();
  await until(() => /POST .*night.* 200\b/.test(said()) && said().includes("Sending is paused"));
  child.kill("SIGINT");
  // Two signals at the same time may count as one.
  await until(() => said().includes("Interrupted"));
  child.kill("SIGINT");
}

describe("a state in PostgreSQL", () => {
  test("import --live records the menus of the service", async () => {
    const own = databaseProject(await consoleMenus(), server().url(), {});
    expect(await takeOver(own)).toEqual(takenOver);
  });

  test("plan, apply and state commands work as with files, and write no files", async () => {
    const { url, records } = await service({ faults: ["cut name=Night times=1 created=yes"] });
    const own = databaseProject(url, server().url(), three);
    expect((await own.json("plan")).value.summary.create).toBe(3);
    expect((await own.run("apply", "--auto-approve")).exit).toBe(3);
    expect(namesOf(records)).toHaveLength(3);
    const listed = await own.json("state", "list");
    expect(listed.value.keys).toHaveLength(3);
    expect((await own.run("state", "resolve", "night", "--created")).exit).toBe(0);
    own.write("ivrs/sales.yaml", menu("Sales", "Front Desk"));
    expect((await own.run("plan", "--out", "plan.json")).exit).toBe(0);
    expect((await own.run("apply", "plan.json")).exit).toBe(0);
    expect((await own.json("apply", "plan.json")).value.results).toEqual([]);
    const { value } = await own.json("plan");
    expect(value.changes).toEqual([]);
    expect(value.follow_ups).toHaveLength(1);
    const { stdout } = await own.run("state", "history");
    expect(stdout).toContain("sales: created");
    expect((await own.run("state", "show", "night")).exit).toBe(0);
    const doctor = await own.run("doctor");
    expect(doctor.stdout).toMatch(/state +postgresql:\/\/127\.0\.0\.1:\d+\/postgres, schema/);
    // Only what this machine remembers of the end of the log.
    expect(readdirSync(join(own.path, ".ivrctl"))).toEqual(["seen"]);
    for (const table of ["blocks", "snapshots"]) {
      const all = `FROM ${own.schema}.${table} WHERE content LIKE`;
      expect(server().sql(`SELECT count(*) > 0 ${all} '%sales%'`)).toBe("t");
      expect(server().sql(`SELECT count(*) ${all} '%${token}%'`)).toBe("0");
    }
  });

  test("refuses SQL in a schema name from a variable", async () => {
    const { url } = await service();
    const own = databaseProject(url, server().url(), three, { schema: '"${TOKEN}"' });
    const { exit, stderr } = await own.run("state", "list");
    expect(exit).toBe(1);
    expect(stderr).toContain("IVR407");
    expect(stderr).not.toContain(token);
  });

  test("of two runs at once, one learns who holds the lock, and each menu is created once", async () => {
    const { url, records, release } = await heldService();
    const own = databaseProject(url, server().url(), three, { concurrency: 1 });
    const both = [own.run("apply", "--auto-approve"), own.run("apply", "--auto-approve")];
    // The first apply gets no answer until the other one has seen the lock.
    await Promise.race(both);
    release();
    const ended = await Promise.all(both);
    expect(new Set(ended.map(({ exit }) => exit))).toEqual(new Set([0, 4]));
    expect(ended.map(({ stderr }) => stderr).join("")).toMatch(/locked by .*lock \w{8}/);
    const [third, fourth] = await Promise.all([
      own.run("apply", "--auto-approve", "--lock-timeout", "300"),
      own.run("apply", "--auto-approve", "--lock-timeout", "300"),
    ]);
    expect([third.exit, fourth.exit]).toEqual([0, 0]);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
  });

  test("the next run takes over the lock of a killed run, and sends nothing again", async () => {
    const { url, records, release } = await heldService();
    const own = databaseProject(url, server().url(), three, { concurrency: 1 });
    const { child, finished } = own.start("apply", "--auto-approve");
    await until(() => records.length === 1);
    child.kill("SIGKILL");
    await finished;
    release();
    // The server needs some time to notice that the connection has ended.
    await until(() => !isLocked());
    const { exit, stderr } = await own.run("apply", "--auto-approve");
    expect(stderr).toMatch(/Took over the lock of .*lock \w{8}\)/);
    expect(exit).toBe(3);
    const names = namesOf(records);
    expect(names).toEqual(expect.arrayContaining(["Night", "Sales"]));
    expect(new Set(names).size).toBe(names.length);
  });

  test("a run that has lost its lock records nothing more, and prints what it knows", async () => {
    const { url, records, release } = await heldService();
    const own = databaseProject(url, server().url(), three, { concurrency: 1 });
    const { finished } = own.start("apply", "--auto-approve");
    await until(() => records.length === 1);
    expect((await own.run("unlock", await lockIn(own.run))).exit).toBe(0);
    release();
    const { exit, stderr } = await finished;
    expect(exit).toBe(3);
    expect(stderr).toContain("IVR601");
    expect(stderr).toContain("could not be recorded in the state");
    expect(namesOf(records)).toEqual(["Front desk"]);
    // The next run records the outcomes of the first one.
    const next = await own.run("apply", "--auto-approve");
    expect(next.stderr).toMatch(/IVR673.*Run \w{8} .*Recorded now: front-desk created/s);
    expect(next.exit).toBe(0);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
  });
});

describe("a connection that is lost during an apply", () => {
  test("comes back: nothing is sent without it, and everything is recorded", async () => {
    const { url, records, release } = await heldService();
    const { cable, url: stateUrl } = await cableTo(server().port);
    const own = databaseProject(url, stateUrl, three, { concurrency: 1 });
    const { finished, said } = own.start("apply", "--auto-approve");
    release(1);
    await until(() => records.length === 2);
    await cable.unplug();
    release();
    await until(() => said().includes("Sending is paused"));
    // It keeps trying to connect, and sends no third create meanwhile.
    const refused = await refusing(cable.port);
    await until(() => refused.count >= 3);
    expect(namesOf(records)).toEqual(["Front desk", "Night"]);
    await refused.close();
    await cable.plugIn();
    const { exit, stderr } = await finished;
    expect(stderr).toMatch(/connection was refused.*Sending is paused[^]*The state store is back/);
    expect(stderr).not.toContain("error");
    expect(exit).toBe(0);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
    expect((await own.json("plan")).value.changes).toEqual([]);
  });

  test("does not come back: outcomes are printed and saved, and the next run records them", async () => {
    const { url, records, release } = await heldService();
    const { cable, url: stateUrl } = await cableTo(server().port);
    const own = databaseProject(url, stateUrl, three, { concurrency: 1 });
    const started = own.start("apply", "--auto-approve", "--verbose");
    await answeredWithoutState(started, { cable, records, release });
    const { exit, stderr } = await started.finished;
    expect(exit).toBe(3);
    expect(stderr).toContain("IVR671");
    expect(stderr).toMatch(/saved in \.ivrctl\/rescue\/test-\w{8}-\d+\.json/);
    expect(stderr).toContain("ivrctl state resolve night --created");
    const folder = join(own.path, ".ivrctl/rescue");
    const [file = ""] = readdirSync(folder);
    expect(readFileSync(join(folder, file), "utf8")).not.toContain(token);
    await cable.plugIn();
    const planned = await own.json("plan");
    expect(planned.value.summary).toMatchObject({ unknown: 1, create: 1 });
    expect(planned.stderr).toContain("IVR673");
    const next = await own.run("apply", "--auto-approve");
    expect(next.stderr).toContain("Recorded now: night created");
    expect(next.exit).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
    expect((await own.json("plan")).value.changes).toEqual([]);
  });

  test("leaves a rescue file that push records on another machine, once, and only in its own state", async () => {
    const { url, records, release } = await heldService();
    const { cable, url: stateUrl } = await cableTo(server().port);
    const schema = freshSchema();
    const own = databaseProject(url, stateUrl, three, { concurrency: 1, schema });
    const started = own.start("apply", "--auto-approve", "--verbose");
    await answeredWithoutState(started, { cable, records, release });
    await started.finished;
    const folder = join(own.path, ".ivrctl/rescue");
    const [file = ""] = readdirSync(folder);
    const text = readFileSync(join(folder, file), "utf8");
    const elsewhere = databaseProject(url, server().url(), three, { schema });
    elsewhere.write("rescue.json", text);
    elsewhere.write("other.json", text.replace(/"lineage": "[^"]*"/, '"lineage": "another"'));
    elsewhere.write("older.json", text.replace(/"since": "20../, '"since": "2999'));
    const other = await elsewhere.run("state", "push", "other.json");
    expect(other.exit).toBe(1);
    expect(other.stderr).toContain("IVR675");
    const added = async (name: string) => {
      const events = async () => (await elsewhere.run("state", "pull")).stdout.split("\n").length;
      const before = await events();
      expect((await elsewhere.run("state", "push", name)).exit).toBe(0);
      return (await events()) - before;
    };
    expect(await added("older.json")).toBe(0);
    expect(await added("rescue.json")).toBe(1);
    expect(await added("rescue.json")).toBe(0);
    const { value } = await elsewhere.json("state", "show", "night");
    expect(JSON.stringify(value)).toContain('"how":"answered"');
  });
});
