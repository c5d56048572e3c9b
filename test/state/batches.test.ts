import { describe, expect, test } from "vitest";
import { Batches } from "../../src/deploy/state/batches.ts";
import { link } from "../../src/deploy/state/entries.ts";
import type { StateEvent } from "../../src/schema/state.ts";
import { until } from "../support/project.ts";
import { stopClock } from "../support/waits.ts";
import { begun, created, intent } from "./events.ts";
import { clock as real } from "../support/host.ts";

/** A queue that waits for four intents, 250 ms for more of them, and a second for the first one. */
function queue() {
  const clock = stopClock();
  const commits: string[][] = [];
  const batches = new Batches(
    async (linked) => {
      commits.push(linked.map(({ entry }) => nameOf(entry.event)));
    },
    real,
    { intents: 4, forMore: 250, forIntent: 1000 },
  );
  let seq = 0;
  const append = (event: StateEvent) => {
    seq += 1;
    const at = "2026-01-01T00:00:00.000Z";
    return batches.append([link("", { seq, at, run: "r", by: "b", event })]);
  };
  return { clock, commits, batches, append };
}

function nameOf(event: StateEvent): string {
  return "key" in event ? `${event.kind} ${event.key}` : event.kind;
}

describe("a queue that gathers entries", () => {
  test("commits at once when enough intents wait", async () => {
    const { commits, append, clock } = queue();
    await Promise.all(["a", "b", "c", "d"].map((key) => append(intent(key))));
    expect(commits).toEqual([["intent a", "intent b", "intent c", "intent d"]]);
    expect(clock.waits).toEqual([]);
  });

  test("waits for more intents, but not long", async () => {
    const { commits, append, clock } = queue();
    const asked = append(intent("a"));
    await until(() => clock.waiting === 1);
    clock.pass(249);
    expect(commits).toEqual([]);
    clock.pass(1);
    await asked;
    expect(commits).toEqual([["intent a"]]);
  });

  test("keeps outcomes for the next intents", async () => {
    const { commits, append, clock } = queue();
    const outcome = append(created("a"));
    await until(() => clock.waiting === 1);
    clock.pass(900);
    const next = append(intent("b"));
    await until(() => clock.waits.length === 2);
    clock.pass(250);
    await Promise.all([outcome, next]);
    expect(commits).toEqual([["outcome a", "intent b"]]);
  });

  test("commits outcomes after a second without an intent", async () => {
    const { commits, append, clock } = queue();
    const outcome = append(created("a"));
    await until(() => clock.waiting === 1);
    clock.pass(999);
    expect(commits).toEqual([]);
    clock.pass(1);
    await outcome;
    expect(commits).toEqual([["outcome a"]]);
  });

  test("does not wait with other events, with a task, or when it closes", async () => {
    const { commits, append, batches, clock } = queue();
    await append(begun("production"));
    const first = append(intent("a"));
    await batches.act(async () => {});
    await first;
    const last = append(created("a"));
    await until(() => clock.waiting === 1);
    await batches.drained();
    await last;
    expect(commits).toEqual([["begun"], ["intent a"], ["outcome a"]]);
  });
});
