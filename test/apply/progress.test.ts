import { describe, expect, test } from "vitest";
import type { Step } from "../../src/deploy/plan/steps/step.ts";
import { asRef } from "../../src/schema/ref.ts";
import { menuReference } from "../../src/schema/wire.ts";
import { ApplyProgress } from "../../src/views/apply-progress.ts";
import { LastLine, clearLine } from "../../src/views/output.ts";
import type { Clock } from "../../src/util/host.ts";
import { testHost } from "../support/host.ts";
import { Progress, progressLine } from "../../src/views/progress.ts";
import type { Terminal } from "../../src/views/terminal.ts";
import { commandText } from "../../src/util/suggest.ts";

const task = { what: "Waiting for the agent list", noun: "menu" };

describe("a line of progress", () => {
  const amounts = { done: 57, total: 200, inFlight: 4 };

  test("says how much is done and in flight, and the time left", () => {
    expect(progressLine(task, amounts, 12_000)).toBe(
      "57 of 200 menus done, about 0:30 left, 4 in flight, 0:12 elapsed",
    );
  });
});

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

/** A terminal and a clock that a test controls. */
function stage({ live = true, format = "text", quiet = false } = {}) {
  let now = 0;
  let tick = () => {};
  let shown = "";
  const screen = new LastLine((text) => (shown += text));
  const page = {
    path: (path: string) => path,
    command: commandText,
    style: (_: unknown, text: string) => text,
    columns: 80,
    wordWrap: 80,
    prose: 80,
    verbose: false,
  };
  const terminal: Terminal = {
    ...page,
    result: page,
    out: () => {},
    data: () => {},
    say: (text) => screen.above(text, () => (shown += text)),
    note: (text) => screen.above(text, () => (shown += text)),
    status: (text) => screen.show(text),
    showsProgress: format === "text" && !quiet,
    live,
    interactive: false,
  };
  const clock: Clock = {
    now: () => new Date(now),
    elapsed: () => now,
    sleep: async () => {},
    after: (_, act) => {
      tick = act;
      return () => (tick = () => {});
    },
  };
  const host = testHost({ clock });
  return {
    progress: new Progress(task, { host, terminal }),
    terminal,
    host,
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

describe("progress at a terminal", () => {
  test("starts after a second, and is removed at the end", () => {
    const { progress, pass, shown } = stage();
    progress.update({ done: 1, total: 4 });
    pass(999);
    progress.update({ done: 1, total: 4 });
    expect(shown()).toBe("");
    pass(1);
    progress.update({ done: 2, total: 4 });
    expect(shown()).toBe(`${clearLine}2 of 4 menus done, about 0:01 left, 0:01 elapsed`);
    progress.end();
    expect(shown()).toBe(clearLine);
    progress.end();
    expect(shown()).toBe("");
  });

  test("stays below the lines that are printed meanwhile", () => {
    const { progress, terminal, pass, shown } = stage();
    pass(1000);
    progress.update({ done: 1, total: 4 });
    const bar = shown().slice(clearLine.length);
    terminal.say("a: created\n");
    expect(shown()).toBe(`${clearLine}a: created\n${bar}`);
    terminal.say("Continue? ");
    expect(shown()).toBe(`${clearLine}Continue? `);
    terminal.say("yes\n");
    expect(shown()).toBe("yes\n");
  });

  test("shows the time while it waits, and ends when the work ends or fails", async () => {
    for (const outcome of ["ends", "fails"]) {
      const { progress, pass, shown } = stage();
      const work = pending<string>();
      const ended = progress.during(work.promise);
      pass(2000);
      expect(shown()).toBe(`${clearLine}Waiting for the agent list, 0:02 elapsed`);
      pass(1000);
      expect(shown()).toContain("0:03 elapsed");
      if (outcome === "ends") work.resolve("done");
      else work.reject(new Error("failed"));
      await expect(ended.catch((error: Error) => error.message)).resolves.toMatch(/done|failed/);
      expect(shown()).toBe(clearLine);
      pass(5000);
      expect(shown()).toBe("");
    }
  });
});

describe("progress in a log", () => {
  test("is a line every five seconds", () => {
    const { progress, pass, shown } = stage({ live: false });
    pass(4999);
    progress.update({ done: 1, total: 4 });
    expect(shown()).toBe("");
    pass(1);
    progress.update({ done: 2, total: 4 });
    expect(shown()).toBe("2 of 4 menus done, about 0:05 left, 0:05 elapsed\n");
    progress.update({ done: 3, total: 4 });
    progress.end();
    expect(shown()).toBe("");
  });
});

test.each([{ format: "json" }, { format: "junit" }, { quiet: true }])(
  "there is no progress with %j",
  (options) => {
    for (const live of [true, false]) {
      const { progress, pass, shown } = stage({ ...options, live });
      pass(60_000);
      progress.update({ done: 1, total: 2 });
      progress.end();
      expect(shown()).toBe("");
    }
  },
);

test.each([
  ["menus", ["menu:a"], "0 of 1 step done"],
  ["phone numbers", ["number:1"], "0 of 1 step done"],
  ["both", ["menu:a", "number:1", "number:2"], "0 of 3 steps done"],
])("apply counts what it sends: %s", async (_, refs, line) => {
  const { host, terminal, pass, shown } = stage({ live: false });
  const globals = { quiet: false, verbose: false, directory: undefined };
  const progress = new ApplyProgress({ format: "text", globals, host, terminal } as never);
  const facts = { destination: menuReference("a") };
  const steps = refs.map((ref): Step => ({
    ref: asRef(ref),
    op: "update",
    after: { facts },
    links: {},
    needs: [],
    holds: [],
  }));
  const work = pending<void>();
  const ended = progress.during(
    { steps },
    () => [],
    () => work.promise,
  );
  progress.sending("a");
  pass(5000);
  expect(shown()).toContain(line);
  work.resolve();
  await ended;
});
