import { describe, expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";
import { menu, project, service } from "../support/project.ts";
import { applied, codes, lastOf, replaced } from "../support/state.ts";

describe("state resolve", () => {
  test("--created records what was sent, not what the file says now", async () => {
    const { run, json, write, journal, records } = await applied();
    write("ivrs/night.yaml", menu("Night", "Front Desk"));
    const { exit, stdout } = await run(
      "state",
      "resolve",
      "night",
      "--created",
      "--by",
      "Meera",
      "--evidence",
      "on the console",
    );
    expect(exit).toBe(0);
    expect(stdout).toBe("night: recorded as created, with what was sent.\n");
    expect(lastOf(journal())).toEqual({
      by: "Meera",
      kind: "resolved",
      key: "night",
      as: "created",
      evidence: "on the console",
    });
    const { value } = await json("state", "show", "night");
    const sent = records.find(({ payload }) => payload.name === "Night")?.payload;
    expect(value.keys[0]).toMatchObject({
      condition: "current",
      current: {
        payload: sent,
        settled: { how: "resolved", by: "Meera", evidence: "on the console" },
      },
    });
    const shown = await run("state", "show", "night");
    expect(shown.stdout).toMatch(/^ +known by: +Meera, who resolved it: on the console$/m);
    const plan = (await json("plan")).value;
    expect(plan.changes).toMatchObject([{ key: "night", action: "replace" }]);
  });

  test("--absent leaves no record; by whoever runs it, without evidence", async () => {
    const { json, journal } = await applied();
    const { exit, value } = await json("state", "resolve", "night", "--absent");
    expect(exit).toBe(0);
    expect(Object.keys(value)).toEqual([
      "format_version",
      "environment",
      "state",
      "changed",
      "diagnostics",
    ]);
    const entries = journal();
    expect(value).toMatchObject({
      environment: "test",
      state: { lineage: entries[0].event.lineage, serial: entries.length },
      changed: ["night"],
    });
    expect(lastOf(entries)).toMatchObject({ as: "absent", evidence: null, by: entries[0].by });
    expect(entries[0].by).toMatch(/^.+@.+$/);
    expect((await json("plan")).value.changes).toMatchObject([{ key: "night", action: "create" }]);
  });

  test("what was current before becomes a follow-up, and that is said", async () => {
    const { url } = await service({ faults: ["cut name=B"] });
    const { run, json, write } = project(url, { a: menu("A") });
    await run("apply", "--auto-approve");
    write("ivrs/a.yaml", menu("B"));
    await run("apply", "--auto-approve");
    const { stdout } = await run("state", "resolve", "a", "--created");
    const { value } = await json("state", "list");
    expect(value.follow_ups).toMatchObject([{ key: "a", name: "A", reason: "replaced" }]);
    expect(stdout).toContain(`follow-up ${value.follow_ups[0].id}.`);
  });

  test("with one key wrong nothing is changed, and every wrong one is told", async () => {
    const { json, journal } = await applied();
    const before = journal();
    const { exit, value, stderr } = await json(
      "state",
      "resolve",
      "nihgt",
      "night",
      "sales",
      "--created",
    );
    expect(exit).toBe(1);
    expect(codes(value)).toEqual(["IVR631", "IVR631"]);
    expect(value.changed).toEqual([]);
    expect(stderr).toContain("nihgt has no record");
    expect(stderr).toContain("Did you mean `night`?");
    expect(stderr).toContain("The outcome of sales is not unknown");
    expect(journal()).toEqual(before);
  });

  test("the same key twice counts once", async () => {
    const { json, journal } = await applied();
    const before = journal().length;
    const { exit, value } = await json("state", "resolve", "night", "night", "--absent");
    expect({ exit, changed: value.changed }).toEqual({ exit: 0, changed: ["night"] });
    expect(journal()).toHaveLength(before + 1);
  });

  test.each([
    [["resolve", "night"], "state resolve needs --created"],
    [
      ["resolve", "night", "--created", "--absent"],
      "--created and --absent cannot be used together",
    ],
    [["resolve", "--created"], "state resolve needs KEY"],
    [["resolve", "night", "--created", "--by", " "], "--by is empty"],
    [["resolve", "night", "--created", "--evidence", ""], "--evidence is empty"],
    [["list", "--created"], "--created is not for state list"],
    [["list", "night"], "One argument too many: night."],
    [["forget", "night", "--by", "me"], "--by is not for state forget"],
    [["show"], "state show needs KEY"],
    [["show", ""], "One of the arguments is empty."],
    [["mv", "night"], "state mv needs OLD NEW"],
    [["mv", "a", "b", "c"], "One argument too many: c."],
    [["mv", "night", "../night"], "The key ../night must be letters"],
    [["adopt", "a b"], "The key a b must be letters"],
    [["rebind", "--to", "https://x.example"], "state rebind needs --evidence TEXT"],
    [["rebind", "--evidence", "x"], "state rebind needs --to URL"],
    [["rebind", "--to", "x", "--evidence", "x"], "--to is not an address"],
    [["rebind", "--to", "http://x.example", "--evidence", "x"], "--to is plain http"],
    [["forget", "night"], "There is no terminal to ask at: give --auto-approve."],
    [["reslove", "night"], "There is no state reslove. Did you mean `resolve`?"],
    [["\u001b[2J"], "There is no state ␛[2J."],
    [[], "say which"],
  ])("a wrong call: state %j", async (args, words) => {
    const { path } = project("http://127.0.0.1:9", {});
    const { exit, stdout, stderr } = await ivrctl(["state", ...args], { cwd: path });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toMatch(/^ivrctl: /);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("bug");
    expect(stderr).not.toContain("\u001b");
  });
});

describe("state done", () => {
  test("strikes follow-ups; ids in any case, twice counts once", async () => {
    const { run, json, journal, id } = await replaced();
    const { exit, stdout } = await run(
      "state",
      "done",
      id.toLowerCase(),
      id,
      "--by",
      "Meera",
      "--evidence",
      "number moved",
    );
    expect(exit).toBe(0);
    expect(stdout).toBe(`${id}: done (sales, “Sales”).\n`);
    expect(lastOf(journal())).toEqual({
      by: "Meera",
      kind: "done",
      follow_up: id,
      evidence: "number moved",
    });
    expect((await json("state", "list")).value.follow_ups).toEqual([]);
    expect((await run("state", "done", id)).stderr).toContain("There are no open ones.");
  });

  test("one that is not open: nothing is struck", async () => {
    const { json, journal, id } = await replaced();
    const before = journal();
    const { exit, value, stderr } = await json("state", "done", id, "F1");
    expect({ exit, codes: codes(value), changed: value.changed }).toEqual({
      exit: 1,
      codes: ["IVR631"],
      changed: [],
    });
    expect(stderr).toContain("F1 is no open follow-up");
    expect(stderr).toContain(`Open: ${id}`);
    expect(journal()).toEqual(before);
  });
});
