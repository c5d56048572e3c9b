import { standardWire } from "../../src/project/environment.ts";
import { expect, test } from "vitest";
import { applyPlan } from "../../src/deploy/apply/apply-plan.ts";
import type { Lists } from "../../src/deploy/listed/read-account.ts";
import type { Plan } from "../../src/deploy/plan/plan.ts";
import { Pace } from "../../src/deploy/service/pace.ts";
import type { Session } from "../../src/deploy/state/log/session.ts";
import type { StateEvent } from "../../src/schema/state.ts";
import { History, planFor } from "../plan/histories.ts";
import { listsOf, payloadOf } from "../plan/world.ts";
import { clock } from "../support/host.ts";
import { stopClock } from "../support/waits.ts";

const desk = (agent: string) => payloadOf({ name: "Desk", "1": agent, invalid: "ext:0" });
const onService = (agent: string) => listsOf([{ id: "7", payload: desk(agent) }], []);

/** Applies a plan. Every list comes from `list`, and the service accepts updates. */
async function apply(
  plan: Plan,
  history: History,
  list: (withNumbers: boolean) => Lists | string,
  recording = () => {},
) {
  const recorded: string[] = [];
  const session = {
    state: history.state,
    isConfirmed: true,
    async append(...events: readonly StateEvent[]) {
      recording();
      recorded.push(...events.map((event) => ("as" in event ? event.as : event.kind)));
      return events.map((event) => history.happened(event).last);
    },
  } as Partial<Session> as Session;
  let sent = 0;
  const updateMenu = async () => ({ kind: "done", status: 200, message: String((sent += 1)) });
  const applied = await applyPlan(plan, {
    session,
    wire: standardWire,
    service: { updateMenu } as never,
    list: async (_, withNumbers) => list(withNumbers),
    concurrency: 1,
    clock,
    pace: new Pace(null, clock),
    timeout: 30,
    recordingTimeout: 0,
    watcher: { sending() {}, waiting() {}, making() {}, finished() {} },
    halt: new AbortController().signal,
    stop: new AbortController().signal,
  });
  return { ...applied, recorded, sent };
}

test("nothing is deleted if the list of phone numbers fails between the plan and the delete", async () => {
  const history = new History().created("desk", desk("ext:1")).identified("desk", "7");
  const lists = onService("ext:1");
  const plan = planFor(history, {}, [], lists, ["delete"]);
  expect(plan.steps).toMatchObject([{ ref: "menu:desk", op: "delete", holds: [] }]);
  const { results, listProblem } = await apply(plan, history, (withNumbers) =>
    withNumbers ? "No list." : lists,
  );
  expect(results).toMatchObject([{ key: "desk", outcome: "not_attempted", attempts: 0 }]);
  expect(listProblem).toBe("No list.");
});

test("an update is withdrawn if the menu has changed when its intent is recorded at last", async () => {
  const history = new History().created("desk", desk("ext:1")).identified("desk", "7");
  const changed = { payload: desk("ext:2"), numbers: [] };
  const plan = planFor(history, { desk: changed }, [], onService("ext:1"));
  const time = stopClock();
  const lists = ["ext:1", "ext:3"];
  const { results, recorded, sent } = await apply(
    plan,
    history,
    () => onService(lists.shift() ?? "ext:3"),
    () => time.pass(6000),
  );
  expect([sent, recorded]).toEqual([0, ["intent", "not-done"]]);
  expect(results).toMatchObject([{ outcome: "not_attempted" }]);
});
