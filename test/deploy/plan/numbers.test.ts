import { describe, expect, test } from "vitest";
import { Agents } from "../../../src/compile/agents.ts";
import { learn, stateAfter } from "../../../src/deploy/plan/learn.ts";
import { LiveMenus } from "../../../src/deploy/plan/live.ts";
import { LiveNumbers, reachedWords } from "../../../src/deploy/plan/live-numbers.ts";
import { makePlan } from "../../../src/deploy/plan/make-plan.ts";
import { describeOutside } from "../../../src/deploy/plan/outside.ts";
import { type Permission, type WantedMenu } from "../../../src/deploy/plan/plan.ts";
import { Patterns } from "../../../src/deploy/plan/targets.ts";
import type { LiveMenu } from "../../../src/deploy/service/live-menu.ts";
import type { PhoneNumber } from "../../../src/deploy/service/service.ts";
import { Diagnostics } from "../../../src/diagnostics/diagnostic.ts";
import { Source } from "../../../src/diagnostics/source.ts";
import type { OperationName } from "../../../src/schema/operations.ts";
import { type Payload, menuReference } from "../../../src/schema/wire.ts";
import { History, made, payload } from "./histories.ts";
import { hintText } from "../../../src/util/suggest.ts";

const main = "+912241234567";
const sales = "+912241234568";

/** A phone number of the account that leads to this destination. */
function line(number: string, destination: string | null, id = `line ${number}`): PhoneNumber {
  return { id, number, alias: null, name: null, destination };
}

const settings = { kinds: new Map(), retries: "timeout_tries", noSmsTemplate: "0" } as const;
const at = "2026-01-01T18:05:00.000Z";

/** A menu as the service lists it. Fields that the list does not have are not compared. */
function listed([id, { name, option, destination }]: readonly [string, Payload]): LiveMenu {
  const options = option.map((key, nth) => {
    const [type = "", to = ""] = (destination[nth] ?? "").split("||");
    return { key: String(key), destination: { type, id: to }, smsTemplate: "0", webhook: "0" };
  });
  return { id, name, fields: { name }, destinations: {}, options };
}

interface File {
  readonly payload: Payload;
  readonly numbers?: readonly string[];
  readonly movedFrom?: string;
  readonly onChange?: "replace";
}

interface Service {
  readonly menus: Readonly<Record<string, Payload>>;
  readonly lines: readonly PhoneNumber[];
  readonly operations?: readonly OperationName[];
  readonly allowed?: readonly Permission[];
  readonly targets?: readonly string[];
}

function liveOf({ menus, lines }: Service) {
  return {
    live: new LiveMenus(Object.entries(menus).map(listed), [], settings, at),
    numbers: new LiveNumbers(lines, [], at),
    agents: new Agents([
      {
        id: 1,
        name: "Asha Rao",
        eid: "500101",
        intercom: null,
        custom_status: 0,
        team: null,
        departments: [],
      },
    ] as never),
  };
}

function contentOf({ payload: own, numbers = [] }: File) {
  const content = made(own);
  const naming = numbers.length === 0 ? content.naming : { ...content.naming, numbers };
  return { ...content, naming };
}

/** Plans these files. */
function plan(
  { state: recorded }: History,
  files: Readonly<Record<string, File>>,
  service: Service,
) {
  const { live, numbers, agents } = liveOf(service);
  const { operations = ["list", "update", "numbers"], allowed = [], targets = [] } = service;
  const menus = Object.entries(files).map(([key, file]): WantedMenu => {
    const source = new Source(`ivrs/${key}.yaml`, "name: N\nmoved_from: M\n");
    const top = source.span(0, 4);
    return {
      key,
      content: contentOf(file),
      movedFrom: file.movedFrom,
      onChange: file.onChange,
      links: new Map(),
      vars: new Map(),
      numbers: new Map((file.numbers ?? []).map((number) => [number, top])),
      at: { top, name: top, movedFrom: top },
    };
  });
  const lesson = learn(recorded, live, { numbers, agents });
  const state = stateAfter(recorded, lesson.events, live.at);
  const diagnostics = new Diagnostics();
  const made = makePlan(
    {
      environment: "test",
      address: "sandbox",
      menus,
      state,
      lists: { menus: live, numbers },
      lesson,
      agents,
      can: {
        operations: new Set(operations),
        allowed: new Set(allowed),
        targets: new Patterns(targets),
      },
    },
    diagnostics,
  );
  return {
    plan: made,
    actions: made.changes.map(({ key, action }) => `${key} ${action}`),
    binds: made.changes.flatMap((change) =>
      change.bind.map(
        ({ number, before, reached, after }) =>
          `${change.key} ${number}: ${reachedWords(before, reached)} → ${after}`,
      ),
    ),
    codes: diagnostics.sorted().map(({ code }) => code),
    messages: diagnostics
      .sorted()
      .map(({ message, hint }) => `${message} ${hint && hintText(hint)}`),
  };
}

const desk = payload("Desk");
const shop = payload("Shop");
const changed = payload("Desk", "2");
/** The menu `desk` with the id 7, and `shop` with the id 8. */
const both = () =>
  new History()
    .created("desk", desk)
    .identified("desk", "7")
    .created("shop", shop)
    .identified("shop", "8");
const menus = { "7": desk, "8": shop };

describe("a number", () => {
  test("of a new menu is bound when the id is known", () => {
    const { actions, binds } = plan(
      new History(),
      { desk: { payload: desk, numbers: [main] } },
      { menus: {}, lines: [line(main, null)] },
    );
    expect([actions, binds]).toEqual([
      ["desk create"],
      [`desk ${main}: nothing → ${menuReference("desk")}`],
    ]);
  });

  test("that leads to its menu needs nothing, in whatever form the list has it", () => {
    const forms = [
      line(main, "ivr||7"),
      line("912241234567", "ivr||7"),
      line("+91 22-4123 4567", "ivr||7"),
      { ...line("02241234567", "ivr||7"), alias: "912241234567" },
    ];
    for (const form of forms) {
      const files = { desk: { payload: desk, numbers: [main] }, shop: { payload: shop } };
      const planned = plan(both(), files, { menus, lines: [form] });
      expect([planned.actions, planned.codes]).toEqual([[], []]);
      expect(planned.plan.unchanged).toBe(2);
    }
  });

  test("is the only change of a menu whose content is unchanged", () => {
    const {
      plan: made,
      actions,
      binds,
    } = plan(
      both(),
      { desk: { payload: desk, numbers: [main] }, shop: { payload: shop } },
      { menus, lines: [line(main, null)] },
    );
    expect([actions, binds]).toEqual([["desk bind"], [`desk ${main}: nothing → ivr||7`]]);
    expect(made).toMatchObject({ unchanged: 1, list: { menus: 2, numbers: 1 } });
  });

  test("moves from one menu to another with one bind", () => {
    const { actions, binds, codes } = plan(
      both(),
      { desk: { payload: desk }, shop: { payload: shop, numbers: [main] } },
      { menus, lines: [line(main, "ivr||7")] },
    );
    expect([actions, binds, codes]).toEqual([
      ["shop bind"],
      [`shop ${main}: menu desk (7) → ivr||8`],
      [],
    ]);
  });

  test("is bound together with an update, a replacement, a restore and a move", () => {
    const lines = [line(main, "ivr||7")];
    const numbers = [main];
    const files = (file: File) => ({ desk: file, shop: { payload: shop } });
    const elsewhere = { menus, lines: [line(main, "ivr||8")] };
    expect(plan(both(), files({ payload: changed, numbers }), elsewhere)).toMatchObject({
      actions: ["desk update"],
      binds: [`desk ${main}: menu shop (8) → ivr||7`],
    });
    const replacing = { payload: changed, numbers, onChange: "replace" } as const;
    const replaced = plan(both(), files(replacing), { menus, lines });
    expect(replaced).toMatchObject({
      actions: ["desk replace"],
      binds: [`desk ${main}: menu desk (7) → ${menuReference("desk")}`],
      plan: { changes: [{ reachedBy: [] }] },
    });
    const history = both().created("desk", changed).identified("desk", "9");
    const now = { menus: { ...menus, "9": changed }, lines: [line(main, "ivr||9")] };
    expect(
      plan(history, files({ payload: desk, numbers, onChange: "replace" }), now),
    ).toMatchObject({
      actions: ["desk restore"],
      binds: [`desk ${main}: menu desk (9) → ivr||7`],
    });
    // The old menu is not what its record says any more, so it is not restored, and nothing is identical.
    const { "7": _, ...others } = now.menus;
    for (const listedMenus of [others, { ...now.menus, "7": payload("Desk", "5") }]) {
      const back = files({ payload: desk, numbers, onChange: "replace" });
      expect(plan(history, back, { ...now, menus: listedMenus })).toMatchObject({
        actions: ["desk replace"],
        binds: [`desk ${main}: menu desk (9) → ${menuReference("desk")}`],
        codes: [],
      });
    }
    const moved = { hall: { payload: desk, numbers, movedFrom: "desk" }, shop: { payload: shop } };
    expect(plan(both(), moved, elsewhere)).toMatchObject({
      actions: ["hall move"],
      binds: [`hall ${main}: menu shop (8) → ivr||7`],
    });
    expect(plan(both(), moved, { menus, lines }).binds).toEqual([]);
    const movedAndChanged = { ...moved, hall: { ...moved.hall, payload: changed } };
    expect(plan(both(), movedAndChanged, elsewhere)).toMatchObject({
      actions: ["hall update"],
      binds: [`hall ${main}: menu shop (8) → ivr||7`],
    });
  });

  test("of a menu that is not a target is left alone", () => {
    const files = { desk: { payload: desk, numbers: [main] }, shop: { payload: shop } };
    const lines = [line(main, null)];
    expect(plan(both(), files, { menus, lines, targets: ["shop"] }).actions).toEqual([]);
  });
});

describe("a number cannot be bound", () => {
  const files = { desk: { payload: desk, numbers: [main] }, shop: { payload: shop } };

  test("if the account does not have it", () => {
    const { codes, messages } = plan(both(), files, { menus, lines: [line(sales, null)] });
    expect(codes).toEqual(["IVR665"]);
    expect(messages[0]).toContain(`Did you mean \`${sales}\`?`);
  });

  test("if the list has it twice", () => {
    const lines = [line(main, "ivr||7", "1"), line("912241234567", null, "2")];
    const { codes, binds, messages } = plan(both(), files, { menus, lines });
    expect([codes, binds]).toEqual([["IVR665"], []]);
    expect(messages[0]).toContain("(ids 1, 2)");
  });

  test.each([
    ["an agent", "extension||500101", "Asha Rao (extension 500101)"],
    ["a department", "department||12", "department 12"],
    ["the end of the call", "hangup||1", "the end of the call"],
    ["a menu that is not on record", "ivr||5", "menu “Old” (5)"],
    ["a menu that does not exist", "ivr||6", "menu 6, which does not exist"],
  ])("without a permission, if it leads to %s", (what, destination, words) => {
    const service = { menus: { ...menus, "5": payload("Old") }, lines: [line(main, destination)] };
    const refused = plan(both(), files, service);
    expect(refused.codes).toEqual(["IVR667"]);
    const why = what.endsWith("exist") ? " and is not on record" : ", which ivrctl does not manage";
    expect(refused.messages[0]).toContain(`leads to ${words}${why}.`);
    const taken = plan(both(), files, { ...service, allowed: ["take-number"] });
    expect(taken).toMatchObject({
      codes: [],
      binds: [`desk ${main}: ${words} → ivr||7`],
      plan: { allowed: ["take-number"] },
    });
  });

  test("while its menu waits, is missing, was changed on the console or is unknown", () => {
    const lines = [line(main, null)];
    const missing = plan(both(), files, { menus: { "8": shop }, lines });
    expect(missing.plan.changes).toMatchObject([{ action: "missing" }]);
    const operations = ["list", "numbers"] as const;
    const drift = plan(both(), files, { menus: { ...menus, "7": changed }, lines, operations });
    expect(drift.plan.changes).toMatchObject([{ action: "drift" }]);
    const history = both().sent("new", payload("New"));
    const open = {
      ...files,
      desk: { payload: desk },
      new: { payload: payload("New"), numbers: [main] },
    };
    const unknown = plan(history, open, { menus, lines });
    expect(unknown.plan.changes).toMatchObject([{ action: "unknown" }]);
    const link = payload("Link", "1", { destination: [menuReference("nowhere")] });
    const waiting = plan(
      both(),
      { ...files, desk: { payload: desk }, link: { payload: link, numbers: [main] } },
      { menus, lines },
    );
    expect(waiting.plan.changes).toMatchObject([{ action: "waiting" }]);
    for (const one of [missing, drift, unknown, waiting]) expect(one.binds).toEqual([]);
  });

  test("while the id of its menu is not on record", () => {
    const history = new History().created("desk", desk);
    const { codes, binds } = plan(
      history,
      { desk: { payload: desk, numbers: [main] } },
      { menus: {}, lines: [line(main, null)] },
    );
    expect([codes, binds]).toEqual([["IVR637", "IVR637"], []]);
  });
});

describe("a number is never unbound", () => {
  const named = () => {
    const { naming } = contentOf({ payload: desk, numbers: [main] });
    return both().happened({ kind: "named", key: "desk", naming });
  };
  const lines = [line(main, "ivr||7")];

  test("if no file names it any more", () => {
    const files = { desk: { payload: desk }, shop: { payload: shop } };
    const left = plan(named(), files, { menus, lines });
    expect([left.actions, left.codes]).toEqual([[], ["IVR669"]]);
    expect(plan(named(), files, { menus, lines: [line(main, null)] }).codes).toEqual([]);
    const other = { desk: { payload: desk }, shop: { payload: shop, numbers: [main] } };
    expect(plan(named(), other, { menus, lines }).codes).toEqual([]);
  });

  test("if the file of its menu was deleted", () => {
    const gone = plan(named(), { shop: { payload: shop } }, { menus, lines });
    expect(gone.plan.changes).toMatchObject([{ action: "forget", reachedBy: [main] }]);
    const taken = plan(named(), { shop: { payload: shop, numbers: [main] } }, { menus, lines });
    expect(taken.plan.changes).toMatchObject([
      { action: "forget", reachedBy: [] },
      { action: "bind", key: "shop" },
    ]);
  });
});

test("a menu is not deleted while a number leads to it, unless the plan binds it elsewhere", () => {
  const lines = [line(main, "ivr||7")];
  const operations = ["list", "numbers", "delete"] as const;
  const service = { menus, lines, operations, allowed: ["delete"] } as const;
  expect(plan(both(), { shop: { payload: shop } }, service).codes).toEqual(["IVR640"]);
  const bound = plan(both(), { shop: { payload: shop, numbers: [main] } }, service);
  expect([bound.actions, bound.codes]).toEqual([["desk delete", "shop bind"], []]);
});

test("a number of a record that leads elsewhere is no change of a file", () => {
  const { naming } = contentOf({ payload: desk, numbers: [main] });
  const history = both().happened({ kind: "named", key: "desk", naming });
  const files = { desk: { payload: desk, numbers: [main, sales] }, shop: { payload: shop } };
  const found = (to: string) => {
    const lines = [line(main, to), line(sales, "ivr||8")];
    const { plan: made } = plan(history, files, { menus, lines, allowed: ["take-number"] });
    return made.changes.flatMap(describeOutside);
  };
  expect(found("ivr||7")).toEqual([]);
  expect(found("extension||500101")).toEqual([
    "+91 22 4123 4567 leads to Asha Rao (extension 500101) instead of `desk`.",
  ]);
});
