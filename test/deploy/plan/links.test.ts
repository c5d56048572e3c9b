import { describe, expect, test } from "vitest";
import { menuReference } from "../../../src/schema/wire.ts";
import { History, payload, planFor } from "./histories.ts";
import { runs } from "../../support/runs.ts";

const sales = payload("Sales");
const support = payload("Support");
const to = (name: string, ...keys: readonly string[]) =>
  payload(name, "1", {
    option: keys.map((_, at) => String(at)),
    destination: keys.map(menuReference),
  });
const main = to("Main", "sales");
const sent = (name: string, ...ids: readonly string[]) => ({
  ...to(name, ...ids),
  destination: ids.map((id) => `ivr||${id}`),
});

/** What the menu waits for, as `KEY because`. */
function waits({ plan }: ReturnType<typeof planFor>, key: string): string[] {
  const change = plan.changes.find((one) => one.key === key);
  if (change?.action !== "waiting") throw new Error(`${key} does not wait`);
  return change.waitsFor.map((one) => `${one.key} ${one.because}`);
}

describe("a menu that leads to a menu", () => {
  test("comes after the menus that it leads to, which are otherwise sorted", () => {
    const planned = planFor(new History(), {
      all: to("All", "main", "sales"),
      billing: payload("Billing"),
      main,
      sales,
      support,
    });
    expect(planned.actions).toEqual([
      "sales create",
      "main waiting",
      "all waiting",
      "billing create",
      "support create",
    ]);
    expect(waits(planned, "all")).toEqual(["main waiting", "sales sent"]);
  });

  test("can be one of very many levels", () => {
    const keys = Array.from({ length: runs(20_000) }, (_, at) => `menu-${at}`);
    const files = keys.map((key, at) => [key, to(key, ...keys.slice(at + 1, at + 2))] as const);
    const { plan } = planFor(new History(), Object.fromEntries(files));
    expect(plan.changes[0]).toMatchObject({ key: keys.at(-1), action: "create" });
    expect(plan.changes.at(-1)).toMatchObject({ key: "menu-0", action: "waiting" });
  });

  test("is sent with the id on record, and names the key of the menu", () => {
    const history = new History().created("sales", sales).identified("sales", "71");
    const { plan, actions } = planFor(history, { main, sales });
    expect(actions).toEqual(["main create"]);
    expect(plan.changes[0]).toMatchObject({
      after: { payload: sent("Main", "71"), naming: { menus: { "71": "sales" } } },
    });
  });

  test("is unchanged while the other menu has the same id, also under a new key", () => {
    const history = new History()
      .created("sales", sales)
      .identified("sales", "71")
      .created("main", sent("Main", "71"));
    expect(planFor(history, { main, sales }).actions).toEqual([]);
    const moved = planFor(history, {
      main: to("Main", "orders"),
      orders: { payload: sales, movedFrom: "sales" },
    });
    expect(moved.actions).toEqual(["orders move"]);
    expect(moved.plan.named).toMatchObject([
      { key: "main", naming: { menus: { "71": "orders" } } },
    ]);
  });

  test("waits if the other menu is replaced, unknown, without an id or not there", () => {
    const known = () =>
      new History()
        .created("sales", sales)
        .identified("sales", "71")
        .created("main", sent("Main", "71"));
    const changed = payload("Sales", "2");
    const replaced = planFor(known(), { main, sales: changed });
    expect(replaced.actions).toEqual(["sales replace", "main waiting"]);
    expect(waits(replaced, "main")).toEqual(["sales sent"]);
    const unknown = planFor(known().unknown("sales", changed), { main, sales: changed });
    expect(waits(unknown, "main")).toEqual(["sales unknown"]);
    const unidentified = planFor(known().created("sales", changed), { main, sales: changed });
    expect(unidentified.actions).toEqual(["main waiting"]);
    expect(waits(unidentified, "main")).toEqual(["sales unidentified"]);
    expect(waits(planFor(new History(), { main, sales }, ["main"]), "main")).toEqual([
      "sales absent",
    ]);
  });

  test("is restored together with the other menu, because that one has its old id again", () => {
    const history = new History()
      .created("sales", sales)
      .identified("sales", "71")
      .created("main", sent("Main", "71"))
      .created("sales", payload("Sales", "2"))
      .identified("sales", "73")
      .created("main", sent("Main", "73"));
    expect(planFor(history, { main, sales }).actions).toEqual(["sales restore", "main restore"]);
  });

  test("waits for a restored or moved menu without an id until the plan is applied", () => {
    const history = new History()
      .created("sales", sales)
      .created("sales", payload("Sales", "2"))
      .identified("sales", "73");
    expect(waits(planFor(history, { main, sales }), "main")).toEqual(["sales sent"]);
    const moved = planFor(new History().created("old", sales), {
      main,
      sales: { payload: sales, movedFrom: "old" },
    });
    expect(waits(moved, "main")).toEqual(["sales sent"]);
  });

  test("uses the current id of a menu that is not a target", () => {
    const history = new History().created("sales", sales).identified("sales", "71");
    const files = { main, sales: payload("Sales", "2") };
    expect(planFor(history, files, ["main"]).actions).toEqual(["main create"]);
    expect(planFor(history, files).actions).toEqual(["sales replace", "main waiting"]);
  });

  test("finds the id of a menu that moves later under its former key", () => {
    const history = new History().created("sales", sales).identified("sales", "71");
    const files = {
      main: to("Main", "orders"),
      orders: { payload: sales, movedFrom: "sales" },
    };
    expect(planFor(history, files, ["main"]).actions).toEqual(["main create"]);
  });

  test("does not wait for a menu for which nothing may be sent", () => {
    const history = new History().unknown("other", sales);
    const planned = planFor(history, { main, other: sales, sales });
    expect(planned.actions).toEqual(["main waiting", "other unknown"]);
    expect(waits(planned, "main")).toEqual(["sales absent"]);
    expect(planned.codes).toEqual(["IVR615"]);
  });
});

describe("menus in a circle", () => {
  const back = to("Sales", "main");
  const known = () =>
    new History()
      .created("sales", sent("Sales", "72"))
      .created("main", sent("Main", "71"))
      .identified("sales", "71")
      .identified("main", "72");

  test("are refused if one of them has to be created", () => {
    expect(planFor(new History(), { main, sales: back }).codes).toEqual(["IVR619"]);
    expect(planFor(known(), { main, sales: { ...back, timeout: "9" } }).codes).toEqual(["IVR619"]);
    expect(planFor(new History(), { main: to("Main", "main") }).codes).toEqual(["IVR619"]);
  });

  test("can stay as they are, and do not concern other menus", () => {
    expect(planFor(known(), { main, sales: back })).toMatchObject({ actions: [], codes: [] });
    const others = { main, sales: back, support };
    expect(planFor(new History(), others, ["support"])).toMatchObject({
      actions: ["support create"],
      codes: [],
    });
  });
});
