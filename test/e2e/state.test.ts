import { spawn } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { playAgents } from "../../src/sandbox/agents.ts";
import { command, ivrctl } from "../support/cli.ts";
import { menu, project, service, until } from "../support/project.ts";

type Code = { readonly code: string };
const codes = (value: { diagnostics: readonly Code[] }) =>
  value.diagnostics.map(({ code }) => code);

/** front-desk and sales are created, night is unknown. */
async function applied() {
  const { url, records } = await service({ faults: ["cut name=Night times=1 created=yes"] });
  const own = project(url, {
    "front-desk": menu("Front desk"),
    night: menu("Night"),
    sales: menu("Sales"),
  });
  expect((await own.run("apply", "--auto-approve")).exit).toBe(3);
  return { ...own, url, records };
}

/** And sales is replaced since, which leaves a follow-up. */
async function replaced() {
  const own = await applied();
  own.write("ivrs/sales.yaml", menu("Sales", "Front Desk"));
  expect((await own.run("apply", "--auto-approve")).exit).toBe(3);
  const { value } = await own.json("state", "list");
  const [{ id }] = value.follow_ups;
  return { ...own, id: String(id) };
}

function lastOf(journal: readonly { by: string; event: object }[]) {
  const last = journal.at(-1);
  return { by: last?.by, ...last?.event };
}

/** The command at a terminal of 80 columns, with an answer typed when it asks. */
async function atTerminal(cwd: string, args: readonly string[], answer: string) {
  const line = `stty cols 80; ${[process.execPath, command, ...args].join(" ")}`;
  const child = spawn("script", ["-qec", line, "/dev/null"], { cwd });
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    if (!screen.includes("taken as one") && (screen + chunk).includes("taken as one")) {
      child.stdin.write(answer);
    }
    screen += chunk;
  });
  const exit = await new Promise((resolve) => child.on("close", resolve));
  return { exit, screen };
}

/** A lock of another machine: nobody here can say whether its process lives. */
function lockElsewhere(path: string): void {
  const lock = {
    version: 1,
    id: "abc123",
    by: "meera@elsewhere",
    command: "apply",
    since: "2026-01-02T03:04:05.000Z",
    host: "elsewhere\u001b[2J",
    pid: 17,
    boot: null,
    pid_namespace: null,
    started: null,
  };
  writeFileSync(join(path, ".ivrctl/state/test.lock"), JSON.stringify(lock));
}

describe("state list", () => {
  test("every key with its condition, then the follow-ups; neither token nor address is needed", async () => {
    const { path, id } = await replaced();
    const { exit, stdout, stderr } = await ivrctl(["state", "list"], { cwd: path });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const [head, ...lines] = stdout.split("\n");
    expect(head).toMatch(/^KEY +NAME +CONDITION +CREATED +SETTLED$/);
    expect(lines[0]).toMatch(
      /^front-desk +Front desk +current +\d{4}-\d\d-\d\d \d\d:\d\d +answered$/,
    );
    expect(lines[1]).toMatch(/^night +Night +unknown +- +-$/);
    expect(lines[2]).toMatch(/^sales +Sales +current /);
    expect(stdout).toContain("ivrctl state show night");
    expect(stdout).toMatch(new RegExp(`^ +${id} +sales +“Sales” created`, "m"));
  });

  test("a replace that is unknown stands over what is current", async () => {
    const { url } = await service({ faults: ["cut name=B*"] });
    const { run, json, write } = project(url, { a: menu("A") });
    expect((await run("apply", "--auto-approve")).exit).toBe(0);
    write("ivrs/a.yaml", menu("B"));
    expect((await run("apply", "--auto-approve")).exit).toBe(3);
    expect((await run("state", "list")).stdout).toMatch(/^a +B +unknown over current +\d/m);
    const { value } = await json("state", "list");
    expect(value.keys[0]).toMatchObject({
      key: "a",
      name: "B",
      condition: "unknown",
      current: { payload: { name: "A" } },
      pending: { action: "replace", payload: { name: "B" } },
    });
    const { stdout } = await run("state", "show", "a");
    expect(stdout).toContain("What was confirmed last:");
    expect(stdout).toContain("What was sent, to replace it");
  });

  test("json", async () => {
    const { json, journal, url, id } = await replaced();
    const { exit, value } = await json("state", "list");
    expect(exit).toBe(0);
    expect(Object.keys(value)).toEqual([
      "format_version",
      "environment",
      "address",
      "state",
      "keys",
      "follow_ups",
      "lock",
      "diagnostics",
    ]);
    const entries = journal();
    expect(value).toMatchObject({
      format_version: "1.0",
      environment: "test",
      address: url,
      state: { lineage: entries[0].event.lineage, serial: entries.length },
      lock: null,
      diagnostics: [],
    });
    expect(value.keys.map(({ key }: { key: string }) => key)).toEqual([
      "front-desk",
      "night",
      "sales",
    ]);
    const [front, night] = value.keys;
    expect(Object.keys(front)).toEqual(["key", "name", "condition", "current", "pending"]);
    expect(front).toMatchObject({ name: "Front desk", condition: "current", pending: null });
    expect(Object.keys(front.current)).toEqual([
      "payload",
      "digest",
      "created_at",
      "settled",
      "agents",
    ]);
    expect(front.current.settled).toMatchObject({ how: "answered", status: 200 });
    expect(front.current.agents[0]).toMatchObject({ place: "key 1", name: "Asha Rao" });
    expect(night).toMatchObject({ name: "Night", condition: "unknown", current: null });
    expect(Object.keys(night.pending)).toEqual([
      "payload",
      "digest",
      "action",
      "sent_at",
      "until",
      "seen",
      "agents",
    ]);
    expect(night.pending).toMatchObject({ action: "create", payload: { name: "Night" } });
    expect(Object.keys(value.follow_ups[0])).toEqual([
      "id",
      "key",
      "name",
      "reason",
      "created_at",
      "payload",
    ]);
    expect(value.follow_ups).toMatchObject([
      { id, key: "sales", name: "Sales", reason: "replaced" },
    ]);
  });

  test("without a state it says so", async () => {
    const { run, json } = project("http://127.0.0.1:9", {});
    const { exit, stdout, stderr } = await run("state", "list");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toContain("There is no state of test yet");
    expect(await json("state", "list")).toMatchObject({
      exit: 0,
      value: { address: null, state: { lineage: null, serial: 0 }, keys: [], follow_ups: [] },
    });
  });

  test("a damaged journal is told, in JSON too", async () => {
    const { json, path } = await applied();
    const file = join(path, ".ivrctl/state/test.journal.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, [lines[0], "{}", ...lines.slice(2)].join("\n"));
    for (const args of [
      ["list"],
      ["show", "night"],
      ["history"],
      ["forget", "sales", "--auto-approve"],
    ]) {
      const { exit, value, stderr } = await json("state", ...args);
      expect({ args, exit, codes: codes(value) }).toEqual({ args, exit: 1, codes: ["IVR603"] });
      expect(stderr).toContain("IVR603");
    }
  });

  test("an environment that is none", async () => {
    const { json } = await applied();
    const { exit, value } = await json("state", "list", "--env", "tset");
    expect({ exit, codes: codes(value), environment: value.environment }).toEqual({
      exit: 1,
      codes: ["IVR402"],
      environment: null,
    });
  });
});

describe("state show", () => {
  test("what is known of a key, in words", async () => {
    const { run, id } = await replaced();
    const { exit, stdout } = await run("state", "show", "sales");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^sales {2}“Sales”, current$/m);
    expect(stdout).toMatch(/^ +known by: +the service's answer, HTTP 200: /m);
    expect(stdout).toMatch(/^ +key 1: +Front Desk$/m);
    expect(stdout).toMatch(/^ +timeout\.recording: +13$/m);
    expect(stdout).toMatch(new RegExp(`^ +${id} +sales`, "m"));
    expect(stdout).not.toContain("front-desk");
  });

  test("of an unknown one: when it was sent, what to look for, how to settle it", async () => {
    const { run } = await applied();
    const { stdout } = await run("state", "show", "night", "night");
    expect(stdout).toMatch(/^ +sent: +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d to [\d :-]+ UTC$/m);
    expect(stdout).toMatch(/^ +seen: +HTTP 200: /m);
    expect(stdout).toMatch(/^ +key 1: +Asha Rao$/m);
    expect(stdout).toContain("“Night” on the provider's console");
    expect(stdout).toContain("ivrctl state resolve night --created");
    expect(stdout).toContain("ivrctl state resolve night --absent");
    expect(stdout.match(/“Night”, unknown/g)).toHaveLength(1);
  });

  test("json: the keys as in list, and their follow-ups alone", async () => {
    const { json } = await replaced();
    const all = (await json("state", "list")).value;
    const { value } = await json("state", "show", "night", "sales");
    expect(value.keys).toEqual([all.keys[1], all.keys[2]]);
    expect(value.follow_ups).toEqual(all.follow_ups);
    expect((await json("state", "show", "night")).value.follow_ups).toEqual([]);
  });

  test("an unknown key names the nearest; the others are shown", async () => {
    const { json } = await applied();
    const { exit, value, stderr } = await json("state", "show", "frontdesk", "night");
    expect(exit).toBe(1);
    expect(codes(value)).toEqual(["IVR631"]);
    expect(value.keys).toMatchObject([{ key: "night" }]);
    expect(stderr).toContain("Did you mean `front-desk`?");
  });
});

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
    [["resolve", "night", "--created", "--absent"], "Either --created or --absent"],
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
    [["rebind", "--to", "https://x.example"], "state rebind needs both"],
    [["rebind", "--evidence", "x"], "state rebind needs both"],
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
    const own = project("http://127.0.0.1:9", { a: menu("A"), b: menu("B", "Nobody") });
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
    const own = project("http://127.0.0.1:9", { a: menu("A"), b: menu("B") });
    own.write("agents.lock.json", snapshot);
    const { exit, stdout } = await ivrctl(["state", "adopt", "a", "--format", "json"], {
      cwd: own.path,
    });
    expect({ exit, codes: codes(JSON.parse(stdout)) }).toEqual({ exit: 1, codes: ["IVR403"] });
    expect((await own.run("state", "adopt", "a")).exit).toBe(0);
    expect((await ivrctl(["state", "adopt", "b"], { cwd: own.path })).exit).toBe(0);
  });

  test("no file of that key, no agent list", async () => {
    const own = project("http://127.0.0.1:9", { frontdesk: menu("A") });
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
    const own = project("http://127.0.0.1:9", {});
    own.write("payload.json", text);
    const { exit, value, stderr } = await own.json("state", "adopt", "a", "--from", "payload.json");
    expect(exit).toBe(1);
    expect(new Set(codes(value))).toEqual(new Set(["IVR632"]));
    expect(stderr).toContain(words);
  });

  test("a fault in a payload is told at its place", async () => {
    const own = project("http://127.0.0.1:9", { a: menu("A") });
    own.write("list.json", snapshot);
    const { a } = JSON.parse((await own.run("compile", "--agents", "list.json")).stdout);
    own.write("p.json", JSON.stringify({ ...a, destination: [] }, null, 2));
    const { value } = await own.json("state", "adopt", "a", "--from", "p.json");
    expect(value.diagnostics).toMatchObject([
      {
        code: "IVR632",
        message: "There are 1 options and 0 destinations, and each option needs its destination.",
        file: "p.json",
        line: 6,
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
    const { json } = project("http://127.0.0.1:9", {});
    const { exit, value } = await json("state", "rebind", "--to", "sandbox", "--evidence", "x");
    expect({ exit, codes: codes(value) }).toEqual({ exit: 1, codes: ["IVR631"] });
  });
});

describe("state history", () => {
  test("who did what when, the oldest first, with the evidence", async () => {
    const { run, id } = await replaced();
    const nasty = "ticket 4711\n2026-01-01 00:00:00  root  forged\u001b[2J";
    await run("state", "resolve", "night", "--created", "--by", "Meera", "--evidence", nasty);
    await run("state", "done", id, "--by", "Anil\u202e");
    await run("state", "mv", "night", "late");
    await run("state", "forget", "front-desk", "--auto-approve");
    const { exit, stdout } = await run("state", "history");
    expect(exit).toBe(0);
    expect(stdout).not.toContain("\u001b");
    const lines = stdout.trimEnd().split("\n");
    const who = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}(.*?) {2,}(.*)$/;
    const told = lines.map((line) => who.exec(line)?.slice(1));
    expect(told[0]?.[1]).toMatch(/^the record of test begins, of http:/);
    // The creates of one run may be answered in any order.
    expect(told.map((one) => one?.[1])).toEqual(
      expect.arrayContaining([
        "front-desk: about to create “Front desk”",
        expect.stringMatching(/^front-desk: created \(HTTP 200: /),
        expect.stringMatching(/^night: outcome unknown \(HTTP 200: /),
        "sales: about to replace “Sales”",
        expect.stringMatching(new RegExp(`^sales: created .*; follow-up ${id} is left$`)),
      ]),
    );
    expect(told.slice(-4)).toEqual([
      [
        "Meera",
        "night: resolved as created; evidence: ticket 4711␊2026-01-01 00:00:00  root  forged␛[2J",
      ],
      ["Anil\\u{202E}", `sales: follow-up ${id} is done; no evidence given`],
      [told[0]?.[0], "night: moved to late"],
      [told[0]?.[0], "front-desk: its record was dropped"],
    ]);
  });

  test("fits 80 columns, and loses nothing there", async () => {
    const { path, run } = await applied();
    const evidence = `${"seen on the console by two of us ".repeat(8)}END`;
    await run("state", "resolve", "night", "--absent", "--evidence", evidence);
    const { screen } = await atTerminal(path, ["state", "history"], "");
    const lines = screen.trimEnd().split(/\r?\n/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(screen.replace(/\s+/g, " ")).toContain(evidence);
  });

  test("of some keys: a move is about both, a follow-up about its key", async () => {
    const { run, json, journal, id } = await replaced();
    await run("state", "done", id);
    await run("state", "mv", "night", "late");
    const kinds = async (...keys: string[]) => {
      const { exit, value } = await json("state", "history", ...keys);
      expect(Object.keys(value)).toEqual([
        "format_version",
        "environment",
        "entries",
        "diagnostics",
      ]);
      return [exit, ...value.entries.map(({ event }: { event: { kind: string } }) => event.kind)];
    };
    expect(await kinds("night")).toEqual([0, "intent", "unknown", "moved"]);
    expect(await kinds("late")).toEqual([0, "moved"]);
    expect(await kinds("sales")).toEqual([0, "intent", "created", "intent", "created", "done"]);
    expect(await kinds("lat", "late")).toEqual([1, "moved"]);
    const all = (await json("state", "history")).value.entries;
    expect(all.map(({ seq, by, event }: Record<string, unknown>) => ({ seq, by, event }))).toEqual(
      journal().map(({ seq, by, event }) => ({ seq, by, event })),
    );
  });
});

describe("the lock", () => {
  test("held elsewhere: who changes exits with 4 and changes nothing, who looks goes on", async () => {
    const { run, json, journal, path, write } = await applied();
    lockElsewhere(path);
    write("agents.lock.json", JSON.stringify({ agents: playAgents() }));
    write("ivrs/new.yaml", menu("New"));
    const before = journal();
    for (const args of [
      ["resolve", "night", "--absent"],
      ["done", "F1"],
      ["forget", "sales", "--auto-approve"],
      ["mv", "sales", "x"],
      ["adopt", "new"],
      ["rebind", "--to", "sandbox", "--evidence", "x"],
      ["forget", "sales", "--auto-approve", "--lock-timeout", "0.2"],
    ]) {
      const { exit, value, stderr } = await json("state", ...args);
      expect({ args, exit, codes: codes(value) }).toEqual({ args, exit: 4, codes: ["IVR601"] });
      expect(stderr).toContain("meera@elsewhere (apply on elsewhere␛[2J");
      expect(stderr).toContain("ivrctl unlock abc123");
    }
    expect(journal()).toEqual(before);
    const list = await json("state", "list");
    expect(list.exit).toBe(0);
    expect(list.value.lock).toMatchObject({ id: "abc123", by: "meera@elsewhere", pid: 17 });
    expect((await run("state", "list")).stderr).toContain("Locked by meera@elsewhere");
    expect((await run("state", "history")).exit).toBe(0);
  });

  test("of a living apply; once that is killed, it is taken over with a word", async () => {
    const server = await service({ faults: ["silence name=B created=yes"] });
    const { start, run, json } = project(server.url, { a: menu("A"), b: menu("B") }, "timeout: 60");
    const { child, finished } = start("apply", "--auto-approve");
    await until(() => server.records.length === 2 || child.exitCode !== null);
    const held = await run("state", "resolve", "b", "--created");
    expect(held.exit).toBe(4);
    expect(held.stderr).toContain(`process ${child.pid}`);
    child.kill("SIGKILL");
    await finished;
    const { exit, stdout, stderr } = await run("state", "resolve", "b", "--created");
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: "b: recorded as created, with what was sent.\n",
    });
    expect(stderr).toContain("was taken over: that process is dead");
    expect((await json("plan")).value.summary).toMatchObject({ create: 0, unchanged: 2 });
  });

  test("waiting for it can be interrupted", async () => {
    const { start, path, journal } = await applied();
    lockElsewhere(path);
    const before = journal();
    const { child, finished } = start("apply", "--auto-approve", "--lock-timeout", "50");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    child.kill("SIGINT");
    const { exit, stderr } = await finished;
    expect(exit).toBe(130);
    expect(stderr).not.toContain("bug");
    expect(journal()).toEqual(before);
  });

  test("unlock releases it by its id", async () => {
    const { run, json, path } = await applied();
    lockElsewhere(path);
    const other = await json("unlock", "abc12");
    expect(other).toMatchObject({ exit: 1, value: { environment: "test", released: null } });
    expect(codes(other.value)).toEqual(["IVR601"]);
    expect(other.stderr).toContain("held by meera@elsewhere");
    const { exit, value } = await json("unlock", "abc123");
    expect(exit).toBe(0);
    expect(Object.keys(value)).toEqual([
      "format_version",
      "environment",
      "released",
      "diagnostics",
    ]);
    expect(value.released).toMatchObject({ id: "abc123", by: "meera@elsewhere" });
    const none = await run("unlock", "abc123");
    expect(none).toMatchObject({ exit: 0, stdout: "" });
    expect(none.stderr).toContain("The state of test is not locked.");
    lockElsewhere(path);
    const said = await run("unlock", "abc123");
    expect(said.stdout).toContain("Released the lock of meera@elsewhere (apply on elsewhere␛[2J");
    // What was unknown stays so.
    expect((await run("state", "resolve", "night", "--absent")).exit).toBe(0);
  });

  test("unlock needs an id", async () => {
    const { run } = project("http://127.0.0.1:9", {});
    expect(await run("unlock")).toMatchObject({ exit: 1, stdout: "" });
    expect((await run("unlock", "x")).stderr).toContain("not locked");
  });
});
