import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ivrctl } from "../support/commands.ts";
import { menu, nobody, project, service } from "../support/project.ts";
import { applied, atTerminal, codes, lastOf, replaced } from "../support/state.ts";

describe("state adopt", () => {
  const snapshot = JSON.stringify({
    format_version: "1.0",
    agents: [
      { id: "1", name: "Asha Rao", eid: "500101" },
      { id: "4", name: "Front Desk", eid: "500104" },
    ],
  });

  test("what the file compiles to now; the first begins the state, errors elsewhere do not stop it", async () => {
    const { url } = await service();
    const own = project(url, { a: menu("A"), b: menu("B", "Nobody") });
    own.write("agents.lock.json", snapshot);
    const { exit, stdout, stderr } = await own.run("state", "adopt", "a", "--evidence", "seen");
    expect({ exit, stdout, stderr }).toEqual({
      exit: 0,
      stdout: "a: adopted, “A”.\n",
      stderr: "",
    });
    expect(own.journal().map(({ event }) => event)).toMatchObject([
      { kind: "begun", environment: "test", address: url },
      { kind: "adopted", key: "a", evidence: "seen", payload: { name: "A" } },
    ]);
    own.remove("ivrs/b.yaml");
    expect((await own.json("plan")).value.summary).toMatchObject({ create: 0, unchanged: 1 });
    const { value } = await own.json("state", "show", "a");
    expect(value.keys[0].current.agents[0]).toMatchObject({
      name: "Asha Rao",
      reference: { agent: "Asha Rao" },
    });
  });

  test("the menu's own faults are shown, and nothing is recorded", async () => {
    const own = project(await nobody(), { a: menu("A"), b: menu("B", "Nobody") });
    own.write("agents.lock.json", snapshot);
    const { exit, value } = await own.json("state", "adopt", "b");
    expect({ exit, codes: codes(value), changed: value.changed }).toEqual({
      exit: 1,
      codes: ["IVR301"],
      changed: [],
    });
    expect((await own.json("state", "list")).value.state.serial).toBe(0);
  });

  test("a first record needs the address, a later one does not", async () => {
    const own = project(await nobody(), { a: menu("A"), b: menu("B") });
    own.write("agents.lock.json", snapshot);
    const { exit, stdout } = await ivrctl(["state", "adopt", "a", "--format", "json"], {
      cwd: own.path,
    });
    expect({ exit, codes: codes(JSON.parse(stdout)) }).toEqual({ exit: 1, codes: ["IVR403"] });
    expect((await own.run("state", "adopt", "a")).exit).toBe(0);
    expect((await ivrctl(["state", "adopt", "b"], { cwd: own.path })).exit).toBe(0);
  });

  test("no file of that key, no agent list", async () => {
    const own = project(await nobody(), { frontdesk: menu("A") });
    expect(codes((await own.json("state", "adopt", "frontdesk")).value)).toEqual(["IVR311"]);
    own.write("agents.lock.json", snapshot);
    const { exit, value, stderr } = await own.json("state", "adopt", "front-desk");
    expect({ exit, codes: codes(value) }).toEqual({ exit: 1, codes: ["IVR631"] });
    expect(stderr).toContain("Did you mean `frontdesk`?");
  });

  test("--from a payload, or from what compile prints; without an agent list check finds nothing", async () => {
    const { url } = await service();
    const own = project(url, { a: menu("A") });
    own.write("list.json", snapshot);
    const compiled = (await own.run("compile", "--agents", "list.json")).stdout;
    own.write("all.json", compiled);
    own.write("one.json", JSON.stringify({ ...JSON.parse(compiled).a, name: "B", timeout: 5 }));
    expect((await own.run("state", "adopt", "a", "--from", "all.json")).exit).toBe(0);
    expect((await own.run("state", "adopt", "b", "--from", "one.json")).exit).toBe(0);
    const { value } = await own.json("state", "list");
    expect(value.keys).toMatchObject([
      { key: "a", current: { payload: JSON.parse(compiled).a } },
      { key: "b", current: { payload: { name: "B", timeout: 5 } } },
    ]);
    expect((await own.json("plan", "--target", "a")).value.changes).toEqual([]);
    expect(await own.json("check")).toMatchObject({ exit: 0, value: { findings: [] } });
    const named = ["state", "adopt", "c", "--from", "one.json", "--agents", "list.json"];
    const { stderr } = await own.run(...named);
    expect(stderr).toContain("Note: b has a record called “B” too.");
    expect((await own.json("state", "show", "c")).value.keys[0].current.agents[0]).toMatchObject({
      name: "Asha Rao",
      reference: { eid: "500101" },
    });
  });

  test.each([
    ["{", "This is not JSON"],
    ["[]", "A payload is a JSON object."],
    ['{"name":"A"}', "The payload lacks `description`, `recording`"],
    ['{"b":{"name":"A"}}', "This file holds payloads, but none of a."],
    ['{"a":{"name":5}}', "`name` must be text."],
    ['{"nmae":"A"}', "Did you mean `name`?"],
    ['{"option":["1",null]}', "Item 2 of `option` must be text or a number."],
    ['{"__proto__":{"x":1}}', "none of a"],
  ])("a payload that is none: %s", async (text, words) => {
    const own = project(await nobody(), {});
    own.write("payload.json", text);
    const { exit, value, stderr } = await own.json("state", "adopt", "a", "--from", "payload.json");
    expect(exit).toBe(1);
    expect(new Set(codes(value))).toEqual(new Set(["IVR632"]));
    expect(stderr).toContain(words);
  });

  test("a fault in a payload is told at its place", async () => {
    const own = project(await nobody(), { a: menu("A") });
    own.write("list.json", snapshot);
    const { a } = JSON.parse((await own.run("compile", "--agents", "list.json")).stdout);
    own.write("p.json", JSON.stringify({ ...a, destination: [] }, null, 2));
    const { value } = await own.json("state", "adopt", "a", "--from", "p.json");
    expect(value.diagnostics).toMatchObject([
      {
        code: "IVR632",
        message: "1 option and 0 destinations: paired by position, `1` is left over.",
        file: "p.json",
        line: 7,
      },
    ]);
    expect(codes((await own.json("state", "adopt", "a", "--from", "none.json")).value)).toEqual([
      "IVR123",
    ]);
  });

  test("refused where the key has a record, settled or not, or another differs in case alone", async () => {
    const own = await applied();
    own.write("agents.lock.json", snapshot);
    const before = own.journal();
    const refused = async (key: string) => {
      own.write(`ivrs/${key}.yaml`, menu(key));
      const { exit, value } = await own.json("state", "adopt", key);
      return [exit, ...value.diagnostics.map(({ message }: { message: string }) => message)];
    };
    expect(await refused("sales")).toEqual([1, "sales has a record already."]);
    expect(await refused("night")).toEqual([1, "night has a record already."]);
    own.remove("ivrs/sales.yaml");
    expect(await refused("Sales")).toEqual([
      1,
      "Sales differs from sales, which has a record, in case alone.",
    ]);
    expect(own.journal()).toEqual(before);
  });
});

describe("state forget", () => {
  test("drops records, keeps follow-ups, says that the service keeps its own", async () => {
    const { run, json, journal, id } = await replaced();
    const { exit, stdout } = await run("state", "forget", "sales", "front-desk", "--auto-approve");
    expect(exit).toBe(0);
    expect(stdout).toBe(
      "sales: forgotten; its record stays on the service.\nfront-desk: forgotten; its record stays on the service.\n",
    );
    expect(
      journal()
        .slice(-2)
        .map(({ event }) => event),
    ).toEqual([
      { kind: "dropped", key: "sales" },
      { kind: "dropped", key: "front-desk" },
    ]);
    const { value } = await json("state", "list");
    expect(value.keys).toMatchObject([{ key: "night" }]);
    expect(value.follow_ups).toMatchObject([{ id, key: "sales" }]);
    // Its record is gone, what is left to do about it is not.
    expect((await json("state", "show", "sales")).value).toMatchObject({
      keys: [],
      follow_ups: [{ id }],
      diagnostics: [],
    });
  });

  test("a key that is unknown is settled first; with one wrong nothing is dropped", async () => {
    const { json, journal } = await applied();
    const before = journal();
    const { exit, value, stderr } = await json(
      "state",
      "forget",
      "sales",
      "night",
      "saels",
      "--auto-approve",
    );
    expect({ exit, codes: codes(value) }).toEqual({ exit: 1, codes: ["IVR631", "IVR631"] });
    expect(stderr).toContain("The outcome of night is unknown: settle it first.");
    expect(stderr).toContain("Did you mean `sales`?");
    expect(journal()).toEqual(before);
  });

  test("asks at a terminal, and only yes is a yes", async () => {
    const { path, journal } = await applied();
    const before = journal();
    const no = await atTerminal(path, ["state", "forget", "sales"], "y\n");
    expect(no.exit).toBe(1);
    expect(no.screen).toContain("sales  “Sales”, created ");
    expect(no.screen).toContain("What is on the service stays there");
    expect(no.screen).toContain("Nothing was forgotten.");
    const interrupted = await atTerminal(path, ["state", "forget", "sales"], "\u0003");
    expect(interrupted.exit).toBe(130);
    // Nobody has to wait for who was asked and went away.
    expect(readdirSync(join(path, ".ivrctl/state"))).not.toContain("test.lock");
    expect(journal()).toEqual(before);
    expect((await atTerminal(path, ["state", "forget", "sales"], "yes\n")).exit).toBe(0);
    expect(lastOf(journal())).toMatchObject({ kind: "dropped", key: "sales" });
  });

  test("--quiet says nothing", async () => {
    const { run } = await applied();
    expect(await run("state", "forget", "sales", "--auto-approve", "--quiet")).toEqual({
      exit: 0,
      stdout: "",
      stderr: "",
    });
  });
});

describe("state mv", () => {
  test("carries a record over, an unknown one too", async () => {
    const { run, json, journal } = await applied();
    const { exit, stdout } = await run("state", "mv", "night", "late/night");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "late/night: carried over from night.\n" });
    expect(lastOf(journal())).toMatchObject({ kind: "moved", key: "late/night", from: "night" });
    expect((await json("state", "mv", "sales", "Sales")).value.changed).toEqual(["Sales"]);
    const { value } = await json("state", "list");
    expect(value.keys).toMatchObject([
      { key: "Sales", condition: "current" },
      { key: "front-desk" },
      { key: "late/night", condition: "unknown" },
    ]);
  });

  test("refused where OLD has no record, or NEW has one", async () => {
    const { json, journal } = await applied();
    const before = journal();
    const messages = async (from: string, to: string) => {
      const { exit, value } = await json("state", "mv", from, to);
      return [exit, ...value.diagnostics.map(({ message }: { message: string }) => message)];
    };
    expect(await messages("slaes", "night")).toEqual([
      1,
      "night has a record already.",
      "slaes has no record in the state of test, so there is nothing to move.",
    ]);
    expect(await messages("sales", "sales")).toEqual([1, "sales has a record already."]);
    expect(await messages("sales", "NIGHT")).toEqual([
      1,
      "NIGHT differs from night, which has a record, in case alone.",
    ]);
    expect(journal()).toEqual(before);
  });
});

describe("state rebind", () => {
  test("binds the state to another address, once", async () => {
    const { run, json, journal } = await applied();
    const rebind = ["state", "rebind", "--to", "https://new.example/api/", "--evidence", "moved"];
    expect(await run(...rebind)).toMatchObject({
      exit: 0,
      stdout: "The state is now of https://new.example/api.\n",
    });
    const entries = journal();
    expect(lastOf(entries)).toMatchObject({
      kind: "rebound",
      address: "https://new.example/api",
      evidence: "moved",
    });
    const again = await json(...rebind);
    expect(again).toMatchObject({ exit: 0, value: { changed: [] } });
    expect(again.stderr).toContain("already");
    expect(journal()).toEqual(entries);
    expect((await json("state", "list")).value.address).toBe("https://new.example/api");
    expect(codes((await json("plan")).value)).toContain("IVR606");
    expect(
      (await json("state", "rebind", "--to", "sandbox", "--evidence", "x")).value.changed,
    ).toEqual(["sandbox"]);
  });

  test("without a state there is nothing to bind", async () => {
    const { json } = project(await nobody(), {});
    const { exit, value } = await json("state", "rebind", "--to", "sandbox", "--evidence", "x");
    expect({ exit, codes: codes(value) }).toEqual({ exit: 1, codes: ["IVR631"] });
  });
});
