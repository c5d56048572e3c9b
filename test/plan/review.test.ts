import { expect, test } from "vitest";
import type { Lists } from "../../src/deploy/plan/steps/resources.ts";
import { review } from "../../src/deploy/plan/steps/review.ts";
import { type Step, nameIn } from "../../src/deploy/plan/steps/step.ts";
import type { StateEvent } from "../../src/schema/state.ts";
import { Log, type Saved, type Sent, applySaved, idIn, save } from "./apply.ts";
import {
  type Allowed,
  type Files,
  type Listed,
  type Menu,
  desk,
  destination,
  f,
  full,
  li,
  listsOf,
  m,
  ravi,
  up,
} from "./world.ts";

/** A service that does what it is told. `answers` has the outcomes of the next requests. */
class Service {
  menus: Listed[] = [];
  numbers: Record<string, string | null> = { "+901": null };
  answers: ("done" | "failed" | "lost" | "killed")[] = [];
  readonly log = new Log();
  #sent: string[] = [];
  #nextId = 1;

  lists(): Lists {
    return listsOf(structuredClone(this.menus), { ...this.numbers });
  }

  send({ ref, op, id }: Step, sent: Sent): "done" | "failed" | "unknown" {
    const answer = this.answers.shift() ?? "done";
    this.#sent.push(`${op} ${ref}`);
    if (answer === "failed" || answer === "lost") return answer === "lost" ? "unknown" : "failed";
    if (sent === "delete") this.menus = this.menus.filter((one) => one.id !== id);
    else if ("leads" in sent) this.numbers[nameIn(ref)] = sent.leads;
    else if (op === "create") {
      this.menus.push({ id: String(this.#nextId), payload: sent.payload });
      this.#nextId += 1;
    } else {
      this.menus = this.menus.map((one) => (one.id === id ? { ...one, ...sent } : one));
    }
    if (answer === "killed") throw new Error("killed");
    return "done";
  }

  plan(name: string, files: Files, allowed: Allowed = up): Saved {
    return save(name, files, this.log, this.lists(), allowed);
  }

  /** What is sent, and how it ends. */
  apply(saved: Saved): string {
    this.#sent = [];
    let end: readonly string[];
    try {
      const { refused, unneeded } = applySaved(saved, this, this.log);
      const refs = new Set(unneeded.map(({ ref }) => `${ref} is not needed`));
      end = refused === undefined ? [...refs] : [refused];
    } catch {
      end = ["killed"];
    }
    return [...this.#sent, ...end].join(", ");
  }

  edit(id: string, menu: Menu): void {
    this.menus = this.menus.map((one) => (one.id === id ? li(id, menu) : one));
  }
}

function made(files: Files): Service {
  const service = new Service();
  service.apply(service.plan("first", files));
  return service;
}

function identified(key: string, id: string): StateEvent {
  return { kind: "identified", key, follow_up: null, id, how: "person", evidence: null };
}

const two = { a: f("A"), b: f("B") };
const changed = { a: f("A", { "1": desk }), b: f("B") };
const circle = { a: f("A", { "2": "menu:b" }), b: f("B", { "2": "menu:a" }) };

test("a plan that is applied twice has nothing to do the second time", () => {
  const service = made(two);
  const plan = service.plan("p", changed);
  expect([service.apply(plan), service.apply(plan)]).toEqual(["update menu:a", ""]);
});

test("a menu that was changed on the console after the plan is left alone", () => {
  const service = made(two);
  const plan = service.plan("p", changed);
  service.edit("1", m("A", { wait: "8" }));
  expect(service.apply(plan)).toBe("steps");
});

test("other menus may change", () => {
  const service = made(two);
  const plan = service.plan("p", changed, { update: true, targets: ["a"] });
  const other = { a: f("A"), b: f("B", { "1": ravi }) };
  const second = service.plan("q", other, { update: true, targets: ["b"] });
  expect([service.apply(second), service.apply(plan)]).toEqual(["update menu:b", "update menu:a"]);
});

test("the same plan continues after a run was killed between two creates", () => {
  const service = new Service();
  const plan = service.plan("p", two);
  service.answers = ["killed"];
  const runs = [service.apply(plan), service.apply(plan), service.apply(plan)];
  expect(runs).toEqual(["create menu:a, killed", "create menu:b", ""]);
});

test("the same plan tries a create again that the service refused", () => {
  const service = new Service();
  const plan = service.plan("p", two);
  service.answers = ["failed"];
  const runs = [service.apply(plan), service.apply(plan)];
  expect(runs).toEqual(["create menu:a, create menu:b", "create menu:a"]);
});

test("a lost create is never sent again, until a person resolves it", () => {
  const service = new Service();
  const plan = service.plan("p", two);
  service.answers = ["lost"];
  const runs = [service.apply(plan), service.apply(plan)];
  expect(runs).toEqual(["create menu:a, create menu:b", ""]);
  service.log.add("person", { kind: "resolved", key: "a", as: "absent", evidence: null });
  expect(service.apply(plan)).toBe("create menu:a");
});

test("the same plan continues after the first half of a circle", () => {
  const service = new Service();
  const plan = service.plan("p", circle);
  service.answers = ["killed"];
  const runs = [service.apply(plan), service.apply(plan), service.apply(plan)];
  expect(runs).toEqual(["create menu:b, killed", "create menu:a, update menu:b", ""]);
});

test("a menu gets no number while its circle is not complete", () => {
  const service = new Service();
  const plan = service.plan("p", { ...circle, b: { ...circle.b, numbers: ["+901"] } });
  service.answers = ["done", "failed"];
  const runs = [service.apply(plan), service.apply(plan)];
  const rest = "create menu:a, update menu:b, update number:+901";
  expect(runs).toEqual(["create menu:b, create menu:a", rest]);
});

test("the same plan continues after a run was killed between a menu and its number", () => {
  const service = new Service();
  const plan = service.plan("p", { a: f("A", {}, { numbers: ["+901"] }) });
  service.answers = ["killed"];
  const runs = [service.apply(plan), service.apply(plan)];
  expect(runs).toEqual(["create menu:a, killed", "update number:+901"]);
});

test("an old plan sends nothing after a rollback", () => {
  const service = made(two);
  const plan = service.plan("p", changed);
  service.apply(plan);
  service.apply(service.plan("q", two));
  expect(service.apply(plan)).toBe("stale");
});

test("a menu that is listed again is not created again", () => {
  const service = made({ c: f("C") });
  const all = service.menus;
  service.menus = [];
  const plan = service.plan("p", { c: f("C") }, { update: true, allow: ["recreate"] });
  service.menus = all;
  expect(service.apply(plan)).toBe("menu:c is not needed");
});

test("a menu that was waiting at review is left alone, although the id is known now", () => {
  const service = new Service();
  service.answers = ["lost"];
  service.apply(service.plan("first", { b: f("B") }));
  service.log.add("person", { kind: "resolved", key: "b", as: "created", evidence: null });
  const plan = service.plan("p", { a: f("A", { "2": "menu:b" }), b: f("B") });
  service.menus = [li("1", m("B"))];
  expect(service.apply(plan)).toBe("");
});

test("a link to a menu that has another id now is not sent", () => {
  const service = made(two);
  const files = { a: f("A", { "2": "menu:b" }), b: f("B") };
  const plan = service.plan("p", files, { update: true, targets: ["a"] });
  service.log.add("person", identified("b", "7"));
  service.menus.push(li("7", m("B")));
  expect(service.apply(plan)).toBe("steps");
});

test("a menu that a number points to now is not deleted", () => {
  const service = made(two);
  const plan = service.plan("p", { b: f("B") }, full);
  service.numbers["+901"] = "ivr||1";
  expect(service.apply(plan)).toBe("holds");
});

test("a number that points elsewhere now is not taken", () => {
  const service = made(two);
  const plan = service.plan("p", { ...two, a: f("A", {}, { numbers: ["+901"] }) });
  service.numbers["+901"] = destination(ravi);
  expect(service.apply(plan)).toBe("holds");
});

test("a menu is not deleted before the menu that links to it is changed", () => {
  const service = made({ main: f("Main", { "2": "menu:sub" }), sub: f("Sub") });
  const plan = service.plan("p", { main: f("Main") }, full);
  service.answers = ["failed"];
  const runs = [service.apply(plan), service.apply(plan)];
  expect(runs).toEqual(["update menu:main", "update menu:main, delete menu:sub"]);
});

test("a permission to delete is not for another menu with the same key", () => {
  const service = made(two);
  const plan = service.plan("p", { b: f("B") }, full);
  service.log.add("person", identified("a", "7"));
  service.menus.push(li("7", m("A")));
  expect(service.apply(plan)).toBe("steps");
});

test("what was held back at review is left alone, whatever it needs now", () => {
  const service = made(two);
  const [first, ...rest] = service.menus;
  service.menus = rest;
  const plan = service.plan("p", { a: f("A"), b: f("B", { "1": desk }) });
  service.menus = [{ ...first, ...li("1", m("A", { wait: "8" })) }, ...rest];
  expect(service.apply(plan)).toBe("update menu:b");
});

test("a step with other content was not reviewed", () => {
  const service = made(two);
  const { steps: then } = service.plan("p", changed);
  const { steps: now } = service.plan("q", { ...changed, a: f("A", { "1": ravi }) });
  const idOf = idIn(service.log.state);
  expect(review(then, then, idOf)).toMatchObject({ doable: [{ ref: "menu:a" }], unreviewed: [] });
  expect(review(then, now, idOf)).toMatchObject({ doable: [], unreviewed: [{ ref: "menu:a" }] });
});
