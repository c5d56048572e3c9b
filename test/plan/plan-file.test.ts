import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHash } from "node:crypto";
import { exampleAgents } from "../../src/sandbox/example-agents.ts";
import { ivrctl } from "../support/commands.ts";
import { menu, namesOf, project, service } from "../support/project.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("apply with a plan file", () => {
  async function planned() {
    const at = await service();
    const newProject = project(at.url, { a: menu("A"), b: menu("B") });
    expect((await newProject.run("plan", "--out", "p.json")).exit).toBe(0);
    const refusal = async (env = {}, ...args: string[]) => {
      const options = { cwd: newProject.path, env: { ...newProject.env, ...env } };
      const { exit, stderr } = await ivrctl(["apply", "p.json", ...args], options);
      expect(exit).toBe(1);
      expect(at.records).toEqual([]);
      return stderr;
    };
    return { ...newProject, at, refusal };
  }

  test("continues a plan of which a part was applied", async () => {
    const at = await service({ faults: ["status=400 name=B times=1"] });
    const { run } = project(at.url, { a: menu("A"), b: menu("B") });
    await run("plan", "--out", "p.json");
    expect((await run("apply", "p.json")).exit).toBe(1);
    expect((await run("apply", "p.json")).exit).toBe(0);
    expect(namesOf(at.records)).toEqual(["A", "B"]);
  });

  test("does not undo what was decided after it", async () => {
    const { run, at, write } = await planned();
    await run("apply", "p.json");
    write("ivrs/a.yaml", menu("A", "Front Desk"));
    await run("plan", "--out", "q.json");
    await run("apply", "q.json");
    write("ivrs/a.yaml", menu("A"));
    await run("apply", "--auto-approve");
    write("ivrs/a.yaml", menu("A", "Front Desk"));
    const { exit, stderr } = await run("apply", "q.json");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("IVR622")]);
    expect(namesOf(at.records)).toEqual(["A", "A", "B"]);
  });

  test("applies two plans of unrelated menus, in any order", async () => {
    const { run, at, write } = await planned();
    await run("apply", "p.json");
    write("ivrs/a.yaml", menu("A", "Front Desk"));
    await run("plan", "--target", "a", "--out", "first.json");
    write("ivrs/c.yaml", menu("C"));
    await run("plan", "--target", "c", "--out", "second.json");
    expect((await run("apply", "second.json")).exit).toBe(0);
    expect((await run("apply", "first.json")).exit).toBe(0);
    expect(namesOf(at.records)).toEqual(["A", "A", "B", "C"]);
  });

  test("refuses a plan if the record of one of its menus has changed", async () => {
    const { run, at, write } = await planned();
    await run("apply", "p.json");
    write("ivrs/a.yaml", menu("A", "Front Desk"));
    write("ivrs/c.yaml", menu("C"));
    await run("plan", "--out", "q.json");
    write("ivrs/a.yaml", menu("A", "{ agent: Ravi Kumar, team: Billing }"));
    await run("apply", "--auto-approve", "--target", "a");
    write("ivrs/a.yaml", menu("A", "Front Desk"));
    const { exit, stderr } = await run("apply", "q.json");
    expect([exit, stderr]).toEqual([
      1,
      expect.stringMatching(/IVR622.*a was changed after the plan was made/),
    ]);
    expect(namesOf(at.records)).not.toContain("C");
  });

  test("restores an old record, and is stale if the record or the follow-up changes", async () => {
    const { run, json, at, write } = await planned();
    await run("apply", "p.json");
    write("ivrs/a.yaml", menu("A", "Front Desk"));
    await run("apply", "--auto-approve");
    write("ivrs/a.yaml", menu("A"));
    await run("plan", "--out", "q.json");
    write("ivrs/b.yaml", menu("B", "Front Desk"));
    await run("apply", "--auto-approve", "--target", "b");
    expect(await run("apply", "q.json")).toMatchObject({ exit: 0 });
    const refused = [
      1,
      expect.stringMatching(/IVR622.*follow-up F\d+ was changed after the plan was made/),
    ];
    // It was applied already, so that nothing is left to do.
    expect(await json("apply", "q.json")).toMatchObject({ exit: 0, value: { results: [] } });
    expect(namesOf(at.records)).toEqual(["A", "A", "B", "B"]);
    // The record to restore is out of service since the plan was made.
    write("ivrs/a.yaml", menu("A", "Front Desk"));
    await run("plan", "--out", "r.json");
    const { value } = await json("state", "show", "a");
    expect((await run("state", "done", value.follow_ups[0].id)).exit).toBe(0);
    const gone = await run("apply", "r.json");
    expect([gone.exit, gone.stderr]).toEqual(refused);
    expect(namesOf(at.records)).toHaveLength(4);
  });

  test("needs the menu files, even if it is applied only in part", async () => {
    const { run, at, path, write } = await planned();
    await run("apply", "p.json");
    write("ivrs/c.yaml", menu("C"));
    await run("plan", "--target", "c", "--out", "q.json");
    rmSync(join(path, "ivrs"), { recursive: true });
    for (const isForged of [false, true]) {
      const text = readFileSync(join(path, "q.json"), "utf8");
      const { digest, ...content } = JSON.parse(text);
      const forged = JSON.stringify(content).replaceAll('"C"', '"Forged"');
      const edited = JSON.stringify({ ...JSON.parse(forged), digest: sha256(forged) });
      writeFileSync(join(path, "q.json"), isForged ? edited : text);
      const { exit, stderr } = await run("apply", "q.json");
      expect([exit, stderr]).toEqual([1, expect.stringContaining("error[IVR125]")]);
    }
    expect(namesOf(at.records)).toEqual(["A", "B"]);
  });

  test("is refused if it was edited and there are no menu files and no records", async () => {
    const { path, refusal } = await planned();
    const { digest, ...content } = JSON.parse(readFileSync(join(path, "p.json"), "utf8"));
    const forged = JSON.stringify(content).replaceAll('"A"', '"Forged"');
    writeFileSync(
      join(path, "p.json"),
      JSON.stringify({ ...JSON.parse(forged), digest: sha256(forged) }),
    );
    rmSync(join(path, "ivrs"), { recursive: true });
    expect(await refusal()).toContain("IVR624");
  });

  test("does not write old names to a record that was replaced since", async () => {
    const at = await service();
    const byId = '{ eid: "500101" }';
    const newProject = project(at.url, { a: menu("A", byId), b: menu("B", byId) });
    await newProject.run("apply", "--auto-approve");
    const renamed = exampleAgents().map((agent) =>
      agent.eid === "500101" ? { ...agent, name: "Asha R." } : agent,
    );
    newProject.write("agents.json", JSON.stringify(renamed));
    newProject.write("ivrs/c.yaml", menu("C", "Front Desk"));
    await newProject.run("plan", "--agents", "agents.json", "--out", "q.json");
    newProject.write("ivrs/b.yaml", menu("B", "Front Desk"));
    await newProject.run("apply", "--auto-approve", "--target", "b");
    expect((await newProject.run("apply", "q.json", "--agents", "agents.json")).exit).toBe(0);
    expect(namesOf(at.records)).toEqual(["A", "B", "B", "C"]);
    const { stdout } = await newProject.run("state", "show", "b", "--format", "json");
    expect(JSON.stringify(JSON.parse(stdout).menus)).not.toContain("Asha");
  });

  test("sends nothing for an outcome that was unknown in the plan and is resolved since", async () => {
    const at = await service({ faults: ["reset=after name=A times=1"] });
    const { run } = project(at.url, { a: menu("A"), b: menu("B") });
    await run("apply", "--auto-approve", "--target", "a");
    await run("plan", "--out", "p.json");
    await run("state", "resolve", "a", "--absent");
    expect((await run("apply", "p.json")).exit).toBe(0);
    expect(namesOf(at.records)).toEqual(["B"]);
  });

  test("refuses a plan from a newer state, and does not suggest a new plan", async () => {
    const { run, at, path, write } = await planned();
    await run("apply", "--auto-approve", "--target", "a");
    // With what this machine remembers, so that it notices nothing.
    const state = join(path, ".ivrctl");
    cpSync(state, join(path, "backup"), { recursive: true });
    await run("apply", "--auto-approve");
    write("ivrs/c.yaml", menu("C"));
    await run("plan", "--out", "q.json");
    for (const older of [join(path, "backup"), undefined]) {
      rmSync(state, { recursive: true });
      if (older !== undefined) cpSync(older, state, { recursive: true });
      const { exit, stderr } = await run("apply", "q.json");
      const code = older === undefined ? "IVR629" : "IVR628";
      expect([exit, stderr]).toEqual([1, expect.stringContaining(code)]);
      expect(stderr).not.toContain("Make a new plan");
    }
    expect(namesOf(at.records)).toEqual(["A", "B"]);
  });

  test("refuses a plan whose state has the same serial but other events", async () => {
    const at = await service({ faults: ["status=400 name=B times=1"] });
    const { run, write, path } = project(at.url, { a: menu("A") });
    await run("apply", "--auto-approve");
    // With what this machine remembers, so that it notices nothing.
    const state = join(path, ".ivrctl");
    cpSync(state, join(path, "backup"), { recursive: true });
    write("ivrs/b.yaml", menu("B"));
    await run("apply", "--auto-approve");
    await run("plan", "--out", "p.json");
    // After the backup is restored, B is created: the same number of events, but different ones.
    rmSync(state, { recursive: true });
    renameSync(join(path, "backup"), state);
    expect((await run("apply", "--auto-approve")).exit).toBe(0);
    write("ivrs/c.yaml", menu("C"));
    const { exit, stderr } = await run("apply", "p.json");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("IVR628")]);
    expect(namesOf(at.records)).toEqual(["A", "B"]);
  });

  test.each<[string, RegExp, string, string]>([
    ["another menu", /"description":"/g, '"description":"Not ', "IVR624"],
    ["a menu without a file", /"ref":"menu:a"/g, '"ref":"menu:c"', "IVR627"],
    ["invalid content", /"refused":false/g, '"refused":5', 'received number at "refused"'],
  ])("refuses a plan with %s, although its digest is right", async (_, what, instead, problem) => {
    const { path, refusal } = await planned();
    const file = join(path, "p.json");
    const { digest, ...content } = JSON.parse(readFileSync(file, "utf8"));
    const forged = JSON.stringify(content).replaceAll(what, instead);
    expect(sha256(forged)).not.toBe(digest);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(forged), digest: sha256(forged) }));
    expect(await refusal()).toContain(problem);
  });

  test("applies a plan with other white space", async () => {
    const { run, path } = await planned();
    const file = join(path, "p.json");
    writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
    expect((await run("apply", "p.json")).exit).toBe(0);
  });

  test("takes the environment from the plan", async () => {
    const { path, env } = await planned();
    const config = readFileSync(join(path, "ivrctl.yaml"), "utf8");
    const without = config.replace("default_environment: test\n", "");
    writeFileSync(join(path, "ivrctl.yaml"), without);
    expect(
      (await ivrctl(["plan", "--env", "test", "--out", "p.json"], { cwd: path, env })).exit,
    ).toBe(0);
    expect((await ivrctl(["apply", "p.json"], { cwd: path, env })).exit).toBe(0);
  });
});
