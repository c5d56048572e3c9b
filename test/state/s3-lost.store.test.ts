import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { bucketProject } from "../support/bucket-project.ts";
import { type Asked, type Fate, Gate } from "../support/gate.ts";
import { heldService } from "../support/held-service.ts";
import { jumpingClock } from "../support/jumping-clock.ts";
import { objectsOf } from "../support/objects.ts";
import { lockIn, menu, namesOf, service, stateIdIn, until } from "../support/project.ts";
import { radosgw } from "../support/radosgw.ts";

const server = radosgw();

/** A project with three menus, created one after the other, and a gate before its object store. */
async function behindGate(env: Readonly<Record<string, string>> = {}) {
  const gate = new Gate(server().port);
  await gate.open();
  onTestFinished(() => gate.close());
  const { url, records } = await service();
  const menus = {
    "front-desk": menu("Front desk"),
    night: menu("Night"),
    sales: menu("Sales"),
  };
  const { endpoint } = gate;
  const own = bucketProject(url, server(), menus, { concurrency: 1, endpoint, env });
  return { gate, records, own };
}

/** Whether the request adds an event of this kind for this menu to the log. */
function says({ method, path, body }: Asked, kind: string, key: string): boolean {
  return (
    method === "PUT" && path.includes("/log/") && body.includes(`{"kind":"${kind}","key":"${key}"`)
  );
}

const pass: Fate = { kind: "pass" };

// For a store that is lost during an apply see state-lost.test.ts.
describe("an object store", () => {
  test("rejects the credentials later: nothing more is sent, and outcomes are saved", async () => {
    const { gate, records, own } = await behindGate();
    let isOver = false;
    gate.fate = (asked) => {
      isOver ||= says(asked, "created", "front-desk");
      return isOver ? answer(400, "ExpiredToken", "never") : pass;
    };
    const { exit, stderr } = await own.start("apply", "--auto-approve").finished;
    expect(exit).toBe(3);
    expect(stderr).toContain("IVR604");
    expect(stderr).toContain("saved in .ivrctl/rescue/");
    expect(namesOf(records)).toEqual(["Front desk"]);
    gate.fate = () => pass;
    const next = await own.run("apply", "--auto-approve");
    expect(next.stderr).toContain("Recorded now: front-desk created");
    expect(next.exit).toBe(0);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
  });

  test("answers with an error after it created an object: each menu is recorded once", async () => {
    const { gate, records, own } = await behindGate();
    const seen = new Set<string>();
    gate.fate = ({ method, path, query }) => {
      const asked = `${method} ${path} ${query.toString()}`;
      return seen.size === seen.add(asked).size ? pass : answer(500, "InternalError", "first");
    };
    const { exit, stderr } = await own.run("apply", "--auto-approve");
    expect(stderr).not.toContain("error");
    expect(exit).toBe(0);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
    const { value } = await own.json("plan");
    expect(value.changes).toEqual([]);
    // `begun`, and an intent and an outcome for each menu.
    expect(value.state.serial).toBe(7);
  });
});

describe("a run whose lock a person released", () => {
  test("while it was suspended: it records and sends nothing more, and prints what it knows", async () => {
    const clock = jumpingClock();
    const { gate, records, own } = await behindGate(clock.env);
    const { promise, resolve } = held();
    let isOnTheWay = false;
    gate.fate = (asked) => {
      if (!says(asked, "created", "front-desk")) return pass;
      isOnTheWay = true;
      return { kind: "pass", after: promise };
    };
    const { child, finished } = own.start("apply", "--auto-approve");
    await until(() => isOnTheWay);
    child.kill("SIGSTOP");
    expect((await own.runPast("apply", "--auto-approve")).exit).toBe(4);
    expect((await own.runPast("unlock", await lockIn(own.runPast))).exit).toBe(0);
    expect((await own.runPast("apply", "--auto-approve")).exit).toBe(3);
    const { names } = objectsOf(server(), `test/${stateIdIn(own.path)}`, own.prefix);
    const log = () => names("log/");
    const [before, asked] = [log(), gate.asked.length];
    expect(before).not.toEqual([]);
    clock.jump();
    resolve();
    child.kill("SIGCONT");
    const { exit, stderr } = await finished;
    expect(exit).toBe(3);
    expect(stderr).toContain("IVR601");
    expect(stderr).toContain("could not be recorded in the state");
    expect(log()).toEqual(before);
    expect(gate.asked.length).toBeGreaterThan(asked);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
    const next = await own.runPast("apply", "--auto-approve");
    expect(next.stderr).toMatch(/IVR673.*Run \w{8} .*Recorded now: front-desk created/s);
    expect(next.exit).toBe(0);
    expect(namesOf(records)).toHaveLength(3);
  });

  test.for([
    ["the answer was waiting", "answered"],
    ["it has to ask again", "lost"],
  ] as const)(
    "while it was suspended with an intent on record, and %s: it does not send the request",
    async ([, answer]) => {
      const clock = jumpingClock();
      const { gate, records, own } = await behindGate(clock.env);
      const { promise, resolve } = held();
      let isOnRecord = false;
      gate.fate = (asked) => {
        if (isOnRecord || !says(asked, "intent", "night")) return pass;
        isOnRecord = true;
        child.kill("SIGSTOP");
        return answer === "lost"
          ? { kind: "cut", reaches: "first" }
          : { kind: "pass", answered: promise };
      };
      const { child, finished } = own.start("apply", "--auto-approve");
      await until(() => isOnRecord);
      while ((await own.jsonPast("plan")).value.summary.unknown < 1) await sleep(100);
      expect((await own.runPast("unlock", await lockIn(own.runPast))).exit).toBe(0);
      // A person resolves it as absent and applies again.
      expect((await own.runPast("state", "resolve", "night", "--absent")).exit).toBe(0);
      expect((await own.runPast("apply", "--auto-approve")).exit).toBe(0);
      // A confirmation of the lock expires after some seconds.
      clock.jump();
      resolve();
      child.kill("SIGCONT");
      const { exit, stderr } = await finished;
      expect(stderr).toContain("IVR601");
      expect(exit).toBeOneOf([1, 3]);
      expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
      expect((await own.jsonPast("plan")).value.changes).toEqual([]);
    },
  );

  test("while an intent was being recorded: the intent comes too late, and the request is not sent", async () => {
    const { gate, records, own } = await behindGate();
    const { promise, resolve } = held();
    let isOnTheWay = false;
    gate.fate = (asked) => {
      if (!says(asked, "intent", "night")) return pass;
      isOnTheWay = true;
      return { kind: "pass", after: promise };
    };
    const { finished } = own.start("apply", "--auto-approve");
    await until(() => isOnTheWay);
    expect((await own.runPast("unlock", await lockIn(own.runPast))).exit).toBe(0);
    resolve();
    const { exit, stderr } = await finished;
    expect(stderr).toContain("IVR601");
    expect(exit).toBeOneOf([1, 3]);
    expect(namesOf(records)).toEqual(["Front desk"]);
    expect((await own.runPast("apply", "--auto-approve")).exit).toBe(0);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
  });
});

test("every command refuses a log whose end was deleted, and no menu is created again", async () => {
  const { url, records } = await service();
  const own = bucketProject(url, server(), { day: menu("Day"), night: menu("Night") });
  expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
  const state = `test/${stateIdIn(own.path)}`;
  const { names, get, put, remove } = objectsOf(server(), state, own.prefix);
  const before = (await own.run("state", "pull")).stdout;
  const kept = await Promise.all(
    names("log/").map(async (name) => [name, await get(name)] as const),
  );
  for (const [name] of kept.slice(1).toReversed()) {
    await remove(name);
    const refused = await own.run("apply", "--auto-approve");
    expect(refused.exit).toBe(1);
    expect(refused.stderr).toContain(`IVR603]: The object ${state}/${name} of `);
    expect(refused.stderr).toMatch(/would be created again[^]*Restore it from a backup/);
  }
  expect((await own.run("plan")).exit).toBe(1);
  expect((await own.run("state", "list")).exit).toBe(1);
  expect(namesOf(records)).toEqual(["Day", "Night"]);
  for (const [name, bytes] of kept.slice(1)) await put(name, bytes);
  expect((await own.run("state", "pull")).stdout).toBe(before);
  expect((await own.run("apply", "--auto-approve")).exit).toBe(0);
  expect(namesOf(records)).toHaveLength(2);
});

test("a cleanup step on the machine of a killed run releases its lock for all machines", async () => {
  const { url } = await heldService();
  const own = bucketProject(url, server(), { day: menu("Day") });
  expect((await own.run("state", "init")).exit).toBe(0);
  const { names, get } = objectsOf(server(), `test/${stateIdIn(own.path)}`, own.prefix);
  const { child, finished } = own.start("apply", "--auto-approve");
  // The beginning, the lock and an intent.
  await until(() => names("log/").length > 2);
  child.kill("SIGKILL");
  await finished;
  const id = await lockIn(own.run);
  const { exit, stdout } = await own.run("unlock", id);
  expect(exit).toBe(0);
  expect(stdout).toContain(id);
  expect((await get(names("log/").at(-1) ?? "")).toString()).toContain('"kind":"released"');
  expect((await own.json("state", "list")).value.lock ?? null).toBeNull();
});

function answer(status: number, code: string, reaches: "never" | "first"): Fate {
  return { kind: "answer", status, code, reaches };
}

function held(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
