import { expect, test } from "vitest";
import { applyPlan } from "../../src/deploy/apply/apply-plan.ts";
import { Pace } from "../../src/deploy/service/pace.ts";
import { bindOutcomes, stateAfter } from "../../src/deploy/plan/reconcile.ts";
import { LiveMenus, LiveNumbers } from "../../src/deploy/plan/observed.ts";
import { reachedOn } from "../../src/deploy/plan/names.ts";
import type { Attempted } from "../../src/deploy/service/outcome.ts";
import type { PhoneNumber } from "../../src/deploy/service/service.ts";
import { StateProblem } from "../../src/deploy/state/store.ts";
import type { Session } from "../../src/deploy/state/log/session.ts";
import type { StateView } from "../../src/deploy/state/state.ts";
import type { StateEvent } from "../../src/schema/state.ts";
import { numberRecord } from "../../src/deploy/state/view.ts";
import { skipWaits, stopClock } from "../support/waits.ts";
import { History, payload, planFor } from "../plan/histories.ts";
import { clock } from "../support/host.ts";

const desk = payload("Desk");
const main = "+912241234567";
const sales = "+912241234568";
const at = "2026-01-01T18:05:00.000Z";
const settings = { kinds: new Map(), retries: "timeout_tries", noSmsTemplate: "0" } as const;
const menu = listed("1");

/** The menu `desk` in a list. Key 1 goes to the agent with this eid. */
function listed(eid: string) {
  const destination = { type: "extension", id: eid };
  const options = [{ key: "1", destination, smsTemplate: "0", webhook: "0" }];
  return { id: "7", name: "Desk", fields: {}, destinations: {}, options };
}

function line(number: string, destination: string | null, name = "Line"): PhoneNumber {
  return { id: number.slice(-1), number, alias: null, name, destination };
}

type List = readonly PhoneNumber[] | string;

interface Scene {
  /** What the service answers to each bind, in turn. The last answer is repeated. */
  readonly answers: readonly Attempted[];
  /** What the list of phone numbers shows each time it is read. The last one is repeated. */
  readonly lists: readonly List[];
  readonly numbers?: readonly string[];
  /** The kinds of events that the store does not record. */
  readonly broken?: readonly StateEvent["kind"][];
  readonly menus?: readonly (typeof menu)[];
  /** Called when events are recorded. */
  readonly recording?: () => void;
}

/** Applies a plan that binds numbers to the menu `desk`, whose id is 7. */
async function apply({
  answers,
  lists,
  numbers = [main],
  broken = [],
  menus = [menu],
  recording = () => {},
}: Scene) {
  const history = new History().created("desk", desk).identified("desk", "7");
  const events: StateEvent[] = [];
  const sent: { readonly name: string | null; readonly destination: string }[] = [];
  const session = {
    state: history.state,
    isConfirmed: true,
    async append(...added: readonly StateEvent[]) {
      recording();
      const refused = added.find(({ kind }) => broken.includes(kind));
      if (refused !== undefined) throw new StateProblem("IVR603", "The store is gone.");
      events.push(...added);
      return added.map((event) => history.happened(event).last);
    },
    async confirm() {},
  } as Partial<Session> as Session;
  const lines = new LiveNumbers(
    numbers.map((number) => line(number, null)),
    [],
    at,
  );
  const live = new LiveMenus([menu], [], settings, at);
  const planned = planFor(history, { desk: { payload: desk, numbers } }, [], {
    menus: live,
    numbers: lines,
  });
  const inTurn = <T>(all: readonly T[]) => {
    const rest = [...all];
    return () => {
      const next = rest.length > 1 ? rest.shift() : rest[0];
      if (next === undefined) throw new Error("there is no answer");
      return next;
    };
  };
  const [answer, list] = [inTurn(answers), inTurn(lists)];
  const applied = await applyPlan(planned.plan, {
    session,
    service: {
      async bindNumber({ name }: Pick<PhoneNumber, "id" | "name">, destination: string) {
        sent.push({ name, destination });
        return answer();
      },
    } as never,
    list: async (_, withNumbers) => {
      const listed = { menus: new LiveMenus(menus, [], settings, at) };
      if (!withNumbers) return listed;
      const read = list();
      return typeof read === "string"
        ? read
        : { ...listed, numbers: new LiveNumbers(read, [], at) };
    },
    concurrency: 1,
    clock,
    pace: new Pace(null, clock),
    timeout: 30,
    watcher: { sending() {}, waiting() {}, finished() {} },
    halt: new AbortController().signal,
    stop: new AbortController().signal,
  });
  return {
    applied,
    sent,
    state: history.state,
    // The record of the menu gets the number first.
    kinds: events.flatMap((event) => {
      if (event.kind === "named") return [];
      return event.kind === "outcome" ? `${event.how}: ${event.as}` : event.kind;
    }),
    outcomes: applied.results.map(({ outcome }) => outcome),
    messages: applied.results.map(({ message }) => message),
  };
}

/** What a list of phone numbers proves. */
function learnedFrom(state: StateView, lines: readonly PhoneNumber[]): StateEvent[] {
  const reached = reachedOn(state, new LiveMenus([menu], [], settings, at));
  return bindOutcomes(state, new LiveNumbers(lines, [], at), reached);
}

const done: Attempted = { kind: "done", status: 200, message: "OK" };
const lost: Attempted = { kind: "unknown", status: null, message: "no answer" };
const free = [line(main, null), line(sales, null)];

test("a bind records its intent, sends the name as it is listed now, and records the outcome", async () => {
  const { sent, kinds, outcomes } = await apply({
    answers: [done],
    lists: [[line(main, null, "New name")]],
  });
  expect(sent).toEqual([{ name: "New name", destination: "ivr||7" }]);
  expect(kinds).toEqual(["intent", "answer: done"]);
  expect(outcomes).toEqual(["bound"]);
});

test.each<[string, string | null, string, string]>([
  ["bound, if it points to the menu", "ivr||7", "bound", "menu desk (7)"],
  ["not bound, if it points to what it did before", null, "failed", "nothing"],
  ["not bound, if it points to something else", "extension||5", "failed", "extension 5"],
])(
  "a lost answer is followed by one look at the list: %s",
  async (_, destination, outcome, leads) => {
    const { sent, kinds, outcomes, state, messages } = await apply({
      answers: [lost],
      lists: [free, [line(main, destination)]],
    });
    expect(sent).toHaveLength(1);
    const found = outcome === "bound" ? "list: done" : "list: not-done";
    expect(kinds).toEqual(["intent", "answer: unknown", found]);
    expect(outcomes).toEqual([outcome]);
    expect(messages[0]).toContain(`it points to ${leads}; 1 phone number listed`);
    expect(numberRecord(state, main)?.pending ?? null).toBeNull();
  },
);

test("if the list cannot be read after a lost answer, the next plan or apply learns the outcome", async () => {
  const { outcomes, state, applied } = await apply({ answers: [lost], lists: [free, "No list."] });
  expect(outcomes).toEqual(["unknown"]);
  expect(applied.listProblem).toBe("No list.");
  expect(numberRecord(state, main)?.pending).toMatchObject({
    key: "desk",
    before: null,
    after: "ivr||7",
  });
  const learned = learnedFrom(state, [line(main, "ivr||7")]);
  expect(learned).toMatchObject([{ kind: "outcome", number: main, as: "done" }]);
  expect(numberRecord(stateAfter(state, learned, at), main)?.pending).toBeNull();
});

test("a kill between the intent and the outcome leaves what the list resolves", async () => {
  // The store records nothing after the intent, as if the process were gone.
  const { outcomes, state, applied } = await apply({
    answers: [done],
    lists: [free],
    broken: ["outcome"],
  });
  expect(outcomes).toEqual(["unknown"]);
  expect([applied.problem?.code, applied.unrecorded]).toEqual(["IVR603", []]);
  expect(numberRecord(state, main)?.pending).toMatchObject({ seen: null });
  const as = (destination: string | null, lines = [line(main, destination)]) =>
    learnedFrom(state, lines).map((event) => (event.kind === "outcome" ? event.as : event.kind));
  expect([as("ivr||7"), as(null), as("ivr||8")]).toEqual([["done"], ["not-done"], ["not-done"]]);
  // A number that is not listed proves nothing.
  expect(as(null, [])).toEqual([]);
});

test("nothing is sent if the intent cannot be recorded", async () => {
  const { sent, outcomes } = await apply({
    answers: [done],
    lists: [free],
    broken: ["intent"],
    numbers: [main, sales],
  });
  expect(sent).toEqual([]);
  expect(outcomes).toEqual(["not_attempted", "not_attempted"]);
});

test("a number that points elsewhere than the plan was compared with is not sent", async () => {
  const lines = [line(main, "extension||5"), line(sales, "ivr||7")];
  const { sent, kinds, outcomes, messages } = await apply({
    answers: [done],
    lists: [lines],
    numbers: [main, sales],
  });
  expect([sent, kinds]).toEqual([[], []]);
  expect(outcomes).toEqual(["not_attempted", "bound"]);
  expect(messages).toEqual([
    "somebody changed what it points to since the plan was made: nothing → extension 5",
    "it already points to this menu",
  ]);
});

test("a number is not bound to a menu that is gone or changed, or if it is gone itself", async () => {
  const gone = await apply({ answers: [done], lists: [free], menus: [] });
  expect(gone.messages).toEqual(["the service no longer lists menu 7"]);
  const changed = await apply({ answers: [done], lists: [free], menus: [listed("2")] });
  expect(changed.messages).toEqual(["its menu was not updated"]);
  const unlisted = await apply({ answers: [done], lists: [[]] });
  expect(unlisted.messages).toEqual(["the service no longer lists the number"]);
  expect([...gone.sent, ...changed.sent, ...unlisted.sent]).toEqual([]);
});

test("403 stops the run, and other refusals do not", async () => {
  const refused = (status: number, stop: boolean): Attempted => ({
    kind: "failed",
    status,
    message: "The description field is required",
    stop,
  });
  const scene = { lists: [free], numbers: [main, sales] };
  const forbidden = await apply({ ...scene, answers: [refused(403, true)] });
  expect(forbidden.outcomes).toEqual(["failed", "not_attempted"]);
  expect(forbidden.kinds).toEqual(["intent", "answer: not-done"]);
  const invalid = await apply({ ...scene, answers: [refused(422, false), done] });
  expect(invalid.outcomes).toEqual(["failed", "bound"]);
  expect(invalid.messages[0]).toContain("ivrctl does not send the description of a number");
});

test("a bind that the service did not process is sent again, with its own intent", async () => {
  skipWaits();
  const busy = { kind: "not-processed", status: 429, message: "busy", retryAfter: 1 } as const;
  const { sent, kinds, applied } = await apply({ answers: [busy, done], lists: [free] });
  expect(sent).toHaveLength(2);
  expect(kinds).toEqual(["intent", "answer: not-done", "intent", "answer: done"]);
  expect(applied.results).toMatchObject([{ outcome: "bound", attempts: 2 }]);
});

test("a bind is withdrawn if the number points elsewhere when its intent is recorded at last", async () => {
  const clock = stopClock();
  const { sent, kinds, state, outcomes } = await apply({
    answers: [done],
    lists: [free, [line(main, "extension||5")]],
    recording: () => clock.pass(6000),
  });
  expect(sent).toEqual([]);
  expect(kinds).toEqual(["intent", "answer: not-done"]);
  expect(outcomes).toEqual(["not_attempted"]);
  expect(numberRecord(state, main)?.pending ?? null).toBeNull();
});
