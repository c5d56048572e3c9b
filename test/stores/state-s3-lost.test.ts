import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { bucketProject } from "../support/bucket-project.ts";
import { type Asked, type Fate, Gate } from "../support/gate.ts";
import { jumpingClock } from "../support/jumping-clock.ts";
import { lockIn, menu, namesOf, service, token, until } from "../support/project.ts";
import { bucket, radosgw } from "../support/radosgw.ts";

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
const cut: Fate = { kind: "cut", reaches: "never" };

describe("an object store that is lost during an apply", () => {
  test("comes back: nothing is sent without it, and everything is recorded", async () => {
    const { gate, records, own } = await behindGate();
    let missed = 0;
    gate.fate = (asked) => {
      if (missed > 0 || says(asked, "created", "night")) missed += 1;
      return missed > 0 ? cut : pass;
    };
    const { finished } = own.start("apply", "--auto-approve");
    await until(() => missed >= 4);
    expect(namesOf(records)).toEqual(["Front desk", "Night"]);
    gate.fate = () => pass;
    const { exit, stderr } = await finished;
    expect(stderr).toMatch(/cannot be reached.*Sending is paused[^]*The state store is back/);
    expect(stderr).not.toContain("error");
    expect(exit).toBe(0);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
    expect((await own.json("plan")).value.changes).toEqual([]);
  });

  test("does not come back in time: outcomes are saved, and the next run records them", async () => {
    const { gate, records, own } = await behindGate();
    let isAway = false;
    gate.fate = (asked) => {
      isAway ||= says(asked, "created", "night");
      return isAway ? cut : pass;
    };
    const { exit, stderr } = await own.run("apply", "--auto-approve");
    expect(exit).toBe(3);
    expect(stderr).toContain("IVR671");
    expect(stderr).toContain("did not come back in time");
    expect(stderr).toMatch(/saved in \.ivrctl\/rescue\/test-\w{8}-\d+\.json/);
    expect(stderr).toContain("ivrctl state resolve night --created");
    expect(namesOf(records)).toEqual(["Front desk", "Night"]);
    const folder = join(own.path, ".ivrctl/rescue");
    const [file = ""] = readdirSync(folder);
    const kept = readFileSync(join(folder, file), "utf8");
    for (const secret of [token, server().secretKey]) {
      expect(kept).not.toContain(secret);
      expect(stderr).not.toContain(secret);
    }
    gate.fate = () => pass;
    const planned = await own.json("plan");
    expect(planned.value.summary).toMatchObject({ unknown: 1, create: 1 });
    expect(planned.stderr).toContain("IVR673");
    const next = await own.run("apply", "--auto-approve");
    expect(next.stderr).toMatch(/Took over the lock of .*lock \w{8}\)/);
    expect(next.stderr).toContain("Recorded now: night created");
    expect(next.exit).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
    expect((await own.json("plan")).value.changes).toEqual([]);
  });

  test("is killed and started again: everything is recorded", async () => {
    const { gate, records, own } = await behindGate();
    let kills = 0;
    gate.fate = (asked) => {
      if (kills < 2 && (says(asked, "created", "night") || says(asked, "intent", "sales"))) {
        kills += 1;
        server().kill();
        server().start();
      }
      return pass;
    };
    const { exit, stderr } = await own.run("apply", "--auto-approve");
    expect(stderr).not.toContain("error");
    expect(exit).toBe(0);
    expect(kills).toBe(2);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
    expect((await own.json("plan")).value.changes).toEqual([]);
  });

  test("rejects the credentials later: nothing more is sent, and outcomes are saved", async () => {
    const { gate, records, own } = await behindGate();
    let isOver = false;
    gate.fate = (asked) => {
      isOver ||= says(asked, "created", "front-desk");
      return isOver ? answer(400, "ExpiredToken", "never") : pass;
    };
    const { exit, stderr } = await own.run("apply", "--auto-approve");
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
});

describe("an object store with temporary errors", () => {
  test.each([
    ["answers that it is busy", answer(503, "SlowDown", "never")],
    ["answers with an error after it created the object", answer(500, "InternalError", "first")],
  ])(
    "%s to the first request of each kind: each menu is created and recorded once",
    async (_, fate) => {
      const { gate, records, own } = await behindGate();
      const seen = new Set<string>();
      gate.fate = ({ method, path, query }) => {
        const asked = `${method} ${path} ${query.toString()}`;
        return seen.size === seen.add(asked).size ? pass : fate;
      };
      const { exit, stderr } = await own.run("apply", "--auto-approve");
      expect(stderr).not.toContain("error");
      expect(exit).toBe(0);
      expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
      const { value } = await own.json("plan");
      expect(value.changes).toEqual([]);
      // `begun`, and an intent and an outcome for each menu.
      expect(value.state.serial).toBe(7);
    },
  );
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
    const log = () => server().keys(bucket, `${own.prefix}/test/log/`);
    const [before, asked] = [log(), gate.asked.length];
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

function answer(status: number, code: string, reaches: "never" | "first"): Fate {
  return { kind: "answer", status, code, reaches };
}

function held(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
