import { expect, test } from "vitest";
import { applyPlan } from "../../src/deploy/apply/apply-plan.ts";
import { Pace } from "../../src/deploy/service/pace.ts";
import { LiveMenus, LiveNumbers } from "../../src/deploy/plan/observed.ts";
import type { Session } from "../../src/deploy/state/log/session.ts";
import { History, payload, planFor } from "../plan/histories.ts";
import { clock } from "../support/host.ts";

const at = "2026-01-01T18:05:00.000Z";
const settings = { kinds: new Map(), retries: "timeout_tries", noSmsTemplate: "0" } as const;

test("nothing is deleted if the list of phone numbers fails between the plan and the delete", async () => {
  const history = new History().created("desk", payload("Desk")).identified("desk", "7");
  const { state } = history;
  const menu = { id: "7", name: "Desk", fields: {}, destinations: {}, options: [] };
  const lists = {
    menus: new LiveMenus([menu], [], settings, at),
    numbers: new LiveNumbers([], [], at),
  };
  const { plan } = planFor(history, {}, [], lists, ["delete"]);
  expect(plan.steps).toMatchObject([{ ref: "menu:desk", op: "delete", holds: [] }]);
  const { results, listProblem } = await applyPlan(plan, {
    session: { state } as Partial<Session> as Session,
    // Every request would fail.
    service: {} as never,
    list: async (_, withNumbers) => (withNumbers ? "No list." : lists),
    concurrency: 1,
    clock,
    pace: new Pace(null, clock),
    timeout: 30,
    watcher: { sending() {}, waiting() {}, finished() {} },
    halt: new AbortController().signal,
    stop: new AbortController().signal,
  });
  expect(results).toMatchObject([{ key: "desk", outcome: "not_attempted", attempts: 0 }]);
  expect(listProblem).toBe("No list.");
});
