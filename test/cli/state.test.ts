import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { playAgents } from "../../src/sandbox/agents.ts";
import { ivrctl } from "../support/commands.ts";
import { hasEvents, menu, nobody, project, service, until } from "../support/project.ts";
import { applied, atTerminal, codes, lockElsewhere, replaced } from "../support/state.ts";

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
      "place",
      "address",
      "state",
      "keys",
      "follow_ups",
      "lock",
      "diagnostics",
    ]);
    const entries = journal();
    expect(value).toMatchObject({
      place: expect.stringMatching(/^\.ivrctl\/state\/\w+\.json$/),
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
    const { run, json } = project(await nobody(), {});
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
    const { start, run, json, path } = project(server.url, { a: menu("A"), b: menu("B") });
    const { child, finished } = start("apply", "--auto-approve");
    await until(() => server.records.length === 2 && hasEvents(path, "created"));
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
    const { child, finished, said } = start("apply", "--auto-approve", "--lock-timeout", "500");
    await until(() => said().includes("It is waited for, up to 500 s."));
    child.kill("SIGINT");
    const { exit, stderr } = await finished;
    expect(exit).toBe(130);
    expect(stderr).toContain(
      "The state of test is locked by meera@elsewhere (apply on elsewhere␛[2J,",
    );
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
    expect(other.stderr).toContain("ivrctl unlock abc123 --env test");
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
    expect(none.stderr).toContain("The state of test has no lock abc123.");
    lockElsewhere(path);
    const said = await run("unlock", "abc123");
    expect(said.stdout).toContain("Released the lock of meera@elsewhere (apply on elsewhere␛[2J");
    // What was unknown stays so.
    expect((await run("state", "resolve", "night", "--absent")).exit).toBe(0);
  });

  test("unlock needs an id", async () => {
    const { run } = project(await nobody(), {});
    expect(await run("unlock")).toMatchObject({ exit: 1, stdout: "" });
    expect((await run("unlock", "x")).stderr).toContain("has no lock x");
  });
});
