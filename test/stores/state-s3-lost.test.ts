import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { bucketProject } from "../support/bucket-project.ts";
import { type Asked, type Fate, Gate } from "../support/gate.ts";
import { menu, namesOf, service, token, until } from "../support/project.ts";
import { bucket, radosgw } from "../support/radosgw.ts";

const server = radosgw();

/** A project of three menus, created one after the other, with a gate before its object store. */
async function behindGate() {
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
  return { gate, records, own: bucketProject(url, server(), menus, { concurrency: 1, endpoint }) };
}

/** Whether it adds to the log what is said here of this menu. */
function says({ method, path, body }: Asked, kind: string, key: string): boolean {
  return (
    method === "PUT" && path.includes("/log/") && body.includes(`{"kind":"${kind}","key":"${key}"`)
  );
}

const pass: Fate = { kind: "pass" };
const cut: Fate = { kind: "cut", reaches: "never" };

describe("an object store that is lost in mid-apply", () => {
  test("comes back: no create leaves without it, and everything is recorded", async () => {
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

  test("stays away for longer than anybody waits: what is known is kept, and the next run records it", async () => {
    const { gate, records, own } = await behindGate();
    let isAway = false;
    gate.fate = (asked) => {
      isAway ||= says(asked, "created", "night");
      return isAway ? cut : pass;
    };
    const { exit, stderr } = await own.run("apply", "--auto-approve", "--lock-id", "job/17");
    expect(exit).toBe(3);
    expect(stderr).toContain("IVR671");
    expect(stderr).toContain("did not come back in time");
    expect(stderr).toMatch(/saved in \.ivrctl\/rescue\/test-job_17-\d+\.json/);
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
    expect(next.stderr).toMatch(/The lock of .*lock job\/17\) was taken over/);
    expect(next.stderr).toContain("recorded now: night created");
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

  test("takes the credentials no more: nothing further is sent, and what is known is kept", async () => {
    const { gate, records, own } = await behindGate();
    let isOver = false;
    gate.fate = (asked) => {
      isOver ||= says(asked, "created", "front-desk");
      return isOver ? answer(400, "ExpiredToken", "never") : pass;
    };
    const { exit, stderr } = await own.run("apply", "--auto-approve");
    expect(exit).toBe(3);
    expect(stderr).toContain("IVR672");
    expect(stderr).toContain("saved in .ivrctl/rescue/");
    expect(namesOf(records)).toEqual(["Front desk"]);
    gate.fate = () => pass;
    const next = await own.run("apply", "--auto-approve");
    expect(next.stderr).toContain("recorded now: front-desk created");
    expect(next.exit).toBe(0);
    expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
  });
});

describe("an object store that falters", () => {
  test.each([
    ["has too much to do", answer(503, "SlowDown", "never")],
    ["says that it failed, and has done it", answer(500, "InternalError", "first")],
  ])(
    "%s, the first time that it is asked for anything: each menu is created once, and recorded",
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
      // It began, and of each menu there is an intent and what came of it.
      expect(value.state.serial).toBe(7);
    },
  );
});

describe("a run whose lock a person released", () => {
  test("while it was stopped: continued, it records nothing, sends nothing more, and says what it knows", async () => {
    const { gate, records, own } = await behindGate();
    const { promise, resolve } = held();
    let isOnTheWay = false;
    gate.fate = (asked) => {
      if (!says(asked, "created", "front-desk")) return pass;
      isOnTheWay = true;
      return { kind: "pass", after: promise };
    };
    const { child, finished } = own.start("apply", "--auto-approve", "--lock-id", "first");
    await until(() => isOnTheWay);
    child.kill("SIGSTOP");
    expect((await own.runPast("apply", "--auto-approve")).exit).toBe(4);
    expect((await own.runPast("unlock", "first")).exit).toBe(0);
    expect((await own.runPast("apply", "--auto-approve")).exit).toBe(3);
    const log = () => server().keys(bucket, `${own.prefix}/test/log/`);
    const [before, asked] = [log(), gate.asked.length];
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
    expect(next.stderr).toMatch(/IVR673.*run first .*recorded now: front-desk created/s);
    expect(next.exit).toBe(0);
    expect(namesOf(records)).toHaveLength(3);
  });

  test.for([
    ["the answer waits for it", 5000, "answered"],
    ["it has to ask again", 0, "lost"],
  ] as const)(
    "while it was stopped with an intent on record, and %s: it does not send what that was for",
    async ([, ms, answer]) => {
      const { gate, records, own } = await behindGate();
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
      const { child, finished } = own.start("apply", "--auto-approve", "--lock-id", "first");
      await until(() => isOnRecord);
      while ((await own.jsonPast("plan")).value.summary.unknown < 1) await sleep(100);
      expect((await own.runPast("unlock", "first")).exit).toBe(0);
      // It is not on the service, says a person, and lets it be created.
      expect((await own.runPast("state", "resolve", "night", "--absent")).exit).toBe(0);
      expect((await own.runPast("apply", "--auto-approve")).exit).toBe(0);
      // For so long an answer is believed.
      await sleep(ms);
      resolve();
      child.kill("SIGCONT");
      const { exit, stderr } = await finished;
      expect(stderr).toContain("IVR601");
      expect(exit).toBeOneOf([1, 3]);
      expect(namesOf(records)).toEqual(["Front desk", "Night", "Sales"]);
      expect((await own.jsonPast("plan")).value.changes).toEqual([]);
    },
  );

  test("while an intent was on the way: it comes too late, and that create is not sent", async () => {
    const { gate, records, own } = await behindGate();
    const { promise, resolve } = held();
    let isOnTheWay = false;
    gate.fate = (asked) => {
      if (!says(asked, "intent", "night")) return pass;
      isOnTheWay = true;
      return { kind: "pass", after: promise };
    };
    const { finished } = own.start("apply", "--auto-approve", "--lock-id", "first");
    await until(() => isOnTheWay);
    expect((await own.runPast("unlock", "first")).exit).toBe(0);
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
