import { expect, test } from "vitest";
import type { Step } from "../../src/deploy/plan/steps/step.ts";
import { asRef } from "../../src/schema/ref.ts";
import type { Clock } from "../../src/util/host.ts";
import { ApplyProgress } from "../../src/views/apply-progress.ts";
import { withProgress } from "../../src/views/progress.ts";
import { testHost } from "../support/host.ts";

/** The same as `Promise.withResolvers`, which Node 20 does not have. */
function pending<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((ok, failed) => {
    resolve = ok;
    reject = failed;
  });
  return { promise, resolve, reject };
}

/** What is printed, and a clock that a test controls. */
function stage(format = "text") {
  let now = 0;
  let tick = () => {};
  let shown = "";
  const clock: Clock = {
    now: () => new Date(now),
    elapsed: () => now,
    sleep: async () => {},
    after: (_, act) => {
      tick = act;
      return () => (tick = () => {});
    },
  };
  const terminal = {
    note: (text: string) => (shown += text),
    style: (_: never, text: string) => text,
  };
  return {
    audience: { format, host: testHost({ clock }), terminal } as never,
    pass: (milliseconds: number) => {
      now += milliseconds;
      tick();
    },
    /** What was printed since the last call. */
    shown: () => {
      const text = shown;
      shown = "";
      return text;
    },
  };
}

test.each(["ends", "fails"])(
  "a command that waits shows the time until its work %s",
  async (how) => {
    const { audience, pass, shown } = stage();
    const work = pending<string>();
    const ended = withProgress(audience, () => "Waiting for the agent list", work.promise);
    expect(shown()).toBe("");
    pass(5000);
    expect(shown()).toBe("Waiting for the agent list, 0:05 elapsed\n");
    pass(3_600_000);
    expect(shown()).toBe("Waiting for the agent list, 1:00:05 elapsed\n");
    if (how === "ends") work.resolve("done");
    else work.reject(new Error("failed"));
    await expect(ended.catch((error: Error) => error.message)).resolves.toMatch(/done|failed/);
    pass(5000);
    expect(shown()).toBe("");
  },
);

test("there is no progress in a format for programs", async () => {
  const { audience, pass, shown } = stage("json");
  const work = pending<string>();
  const ended = withProgress(audience, () => "Waiting for the agent list", work.promise);
  pass(5000);
  work.resolve("done");
  await expect(ended).resolves.toBe("done");
  expect(shown()).toBe("");
});

test("apply shows how much is done and in flight, and the time left", async () => {
  const { audience, pass, shown } = stage();
  const progress = new ApplyProgress(audience);
  const refs = ["menu:a", "menu:b", "number:1"].map(asRef);
  const about = { op: "update", after: { to: null }, links: {}, needs: [], holds: [] } as const;
  const steps = refs.map((ref): Step => ({ ref, ...about }));
  const work = pending<void>();
  const ended = progress.during(
    { steps },
    () => [],
    () => work.promise,
  );
  progress.sending("a");
  progress.sending("b");
  pass(5000);
  expect(shown()).toBe("0/3 done, 2 in flight, 0:05 elapsed\n");
  const answer = { outcome: "updated", status: 200, message: null, attempts: 1 } as const;
  progress.finished({ ref: asRef("menu:a"), key: "a", name: "A", action: "update", ...answer });
  expect(shown()).toBe("a: updated\n");
  pass(5000);
  expect(shown()).toBe("1/3 done, about 0:20 left, 1 in flight, 0:10 elapsed\n");
  work.resolve();
  await ended;
});
