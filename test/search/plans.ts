import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Menu, destinationsOf, openLinks } from "../../src/model/menu.ts";
import { menuFields } from "../../src/schema/fields.ts";
import type { MenuOutput } from "../../src/schema/output/menu.ts";
import { menuDigest } from "../support/payload-facts.ts";
import { Finding, agree, shownOf } from "./checks.ts";
import type { Faults } from "./faults.ts";
import type { Menus } from "./menus.ts";
import type { People } from "./people.ts";
import type { Random } from "./random.ts";
import type { Stage } from "./stage.ts";

/** Checks that apply does what its plan announced, and never twice. */
export class Plans {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #menus: Menus;
  readonly #faults: Faults;
  readonly #people: People;

  constructor(stage: Stage, random: Random, menus: Menus, faults: Faults, people: People) {
    this.#stage = stage;
    this.#random = random;
    this.#menus = menus;
    this.#faults = faults;
    this.#people = people;
  }

  /** Saves a plan, sometimes edits a menu, and applies the plan. A second apply must be refused if the first had an effect. */
  async saved(): Promise<void> {
    const [stage, random] = [this.#stage, this.#random];
    const { learned = [] } = await stage.plan("--out", "plan.json");
    if (!existsSync(join(stage.root, "plan.json"))) return;
    // The list that apply reads may not prove any more what the plan says about an earlier request.
    const resolved = new Set(learned.flatMap(({ key, resolved }) => (resolved ? key : [])));
    const scope = (key: string) => !resolved.has(key);
    if (random.chance(0.15)) stage.steps.push(`edit: ${this.#menus.edit()}`);
    if (stage.can("list") && random.chance(0.4)) this.#people.useConsole();
    await this.#faults.startFaults();
    this.#people.interfere();
    await stage.apply({ ...this.#faults.disturbed(), args: ["plan.json"], scope });
    await this.#faults.calm();
    // An interrupted apply continues. When everything is done, there is nothing more to send.
    const { exit } = await stage.apply({ args: ["plan.json"], scope });
    if (exit === 0) await this.#isDone();
    rmSync(join(stage.root, "plan.json"), { force: true });
  }

  /** Checks that a plan that is done sends nothing when it is applied again. */
  async #isDone(): Promise<void> {
    const stage = this.#stage;
    const writes = stage.recorder.writes.length;
    const ran = await stage.apply({ args: ["plan.json"] });
    if (stage.recorder.writes.length !== writes) {
      throw new Finding(`(6) a plan was applied twice${shownOf(ran)}`);
    }
  }

  /** Checks that apply does what the plan announced, if nothing disturbs it. */
  async truth(): Promise<void> {
    const stage = this.#stage;
    // The older build may refuse the state.
    if (stage.mounted || (stage.isOlder && stage.journal().isLater)) return;
    const kept = this.#random.chance(0.5);
    const plan = await stage.plan(...(kept ? ["--out", "plan.json"] : []));
    if (plan.refused) return;
    const before = stage.recorder.writes.length;
    const { exit, stdout } = await stage.apply(kept ? { args: ["plan.json"] } : {});
    const { results, matters } = JSON.parse(stdout) as {
      results: readonly { key: string; action: string; outcome: string }[];
      matters: readonly { kind: string; exit: number }[];
    };
    const outcomes: Record<string, string> = {
      create: "created",
      replace: "created",
      move: "moved",
      forget: "forgotten",
      restore: "restored",
      update: "updated",
      delete: "deleted",
      bind: "bound",
      waiting: "waiting",
      missing: "missing",
      drift: "drift",
      blocked: "not_attempted",
      unknown: "unknown",
    };
    agree("(6) announced, and done", [
      plan.changes.map(({ key, action }) => `${key} ${action} ${outcomes[action]}`),
      results.map(({ key, action, outcome }) => `${key} ${action} ${outcome}`),
    ]);
    const deletes = plan.changes.filter(({ action }) => action === "delete").length;
    const sending = plan.changes
      .filter(({ action }) => /^(?:create|replace|update)$/.test(action))
      .flatMap(({ after, first }) => [...(first ? [first] : []), ...(after ? [after] : [])])
      .map(flatMenu);
    // The ids of new menus were not known yet.
    const announced = sending.map((menu) =>
      openLinks(destinationsOf(menu)).length > 0 ? menu.name : menuDigest(menu),
    );
    const sent = stage.recorder.writes
      .slice(before)
      .filter(({ operation }) => operation === "create" || operation === "update");
    const of = (operation: string) =>
      stage.recorder.writes.slice(before).filter((write) => write.operation === operation).length;
    agree("(6) numbers and deletes announced, and sent", [
      [`${plan.changes.flatMap(({ bind = [] }) => bind).length}`, `${deletes} deletes`],
      [`${of("bind")}`, `${of("delete")} deletes`],
    ]);
    agree("(6) payloads announced, and sent", [
      announced,
      sent.map(({ name, digest }) => (announced.includes(digest) ? digest : name)),
    ]);
    // What is left was announced, and decides the exit code.
    const kindOf = ({ kind }: { kind: string }) =>
      kind.replace(/^waiting-.*/, "waiting").replace("will-point", "to-point");
    const announcedKinds = new Set([
      ...plan.matters.map(kindOf),
      ...plan.changes.map(({ action }) => action),
    ]);
    const surprising = matters.filter((one) => one.exit > 0 && !announcedKinds.has(kindOf(one)));
    agree("(6) matters announced, and left", [surprising.map(({ kind }) => kind), []]);
    const isUnknown = plan.changes.some(({ action }) => action === "unknown");
    const isLeft = plan.changes.some(({ action }) =>
      /^(?:waiting|missing|drift|blocked)$/.test(action),
    );
    // What only a person can point on the console is no failure of apply.
    const own = matters.filter(({ kind }) => kind !== "to-point");
    const expected = Math.max(isUnknown ? 3 : isLeft ? 1 : 0, ...own.map((one) => one.exit));
    if (exit !== expected) throw new Finding(`(6) exit ${exit}, not ${expected}`);
    if (kept) await this.#isDone();
    rmSync(join(stage.root, "plan.json"), { force: true });
    const after = await stage.plan();
    const left = after.changes.filter(
      ({ action }) => !/^(?:unknown|waiting|missing|drift|blocked)$/.test(action),
    );
    agree("(6) left to do after an apply", [left.map(({ key, action }) => `${key} ${action}`), []]);
  }
}

/** A menu that a plan shows nested, as states have it. */
function flatMenu(nested: MenuOutput): Menu {
  const fields = menuFields.flatMap((path) => {
    let value: unknown = nested;
    for (const part of path.split(".")) value = Object(value)[part];
    if (value === undefined) return [];
    return [[path, typeof value === "number" ? String(value) : value] as const];
  });
  return Object.fromEntries(fields) as unknown as Menu;
}
