import fc from "fast-check";
import { expect, test } from "vitest";
import { begin, press, silence } from "../../src/call/simulated-call.ts";
import type { CallDestination, CallMenu } from "../../src/model/call-menu.ts";
import { compare, deadEnds, exitsTo, isEnd, reachable } from "../../src/reach/walk.ts";
import type { End, Instance, Target, World } from "../../src/reach/world.ts";

/** A menu in short: where its keys, wrong keys and silence go, and how it sounds. */
interface Short {
  readonly keys: Readonly<Record<string, string>>;
  readonly invalid: string;
  readonly timeout: string;
  readonly retries: number;
  readonly sound: string;
}

interface ShortWorld {
  readonly entries: Readonly<Record<string, string>>;
  readonly menus: Readonly<Record<string, Short>>;
}

const people = ["asha", "ravi", "nobody"];
const names = ["a", "b", "c"];
const phone = ["1", "2", "3"];

const target = fc.constantFrom(...people, ...names.map((name) => `@${name}`));
const menus: fc.Arbitrary<ShortWorld["menus"]> = fc.dictionary(
  fc.constantFrom(...names),
  fc.record({
    keys: fc.dictionary(fc.constantFrom(...phone), target, { minKeys: 1 }),
    invalid: target,
    timeout: target,
    retries: fc.nat(2),
    sound: fc.constantFrom("x", "x", "y"),
  }),
);
const worlds: fc.Arbitrary<ShortWorld> = fc.record({
  entries: fc.dictionary(fc.constantFrom("+1", "+2"), target, { minKeys: 1 }),
  menus,
});

/** One thing that differs: what a menu sounds like, a key that it lacks, or where a place goes. */
const edits = fc.constantFrom<(menu: Short) => Short>(
  (menu) => ({ ...menu, sound: menu.sound === "x" ? "y" : "x" }),
  ({ keys: { "1": _, ...keys }, ...menu }) => ({ ...menu, keys }),
  (menu) => ({ ...menu, keys: { ...menu.keys, "1": "asha" } }),
  (menu) => ({ ...menu, timeout: "@b" }),
  (menu) => ({ ...menu, invalid: "ravi" }),
);

/** Mostly small changes, because two worlds that differ everywhere prove little. */
const pairs = fc.oneof(
  fc.tuple(worlds, worlds),
  { weight: 4, arbitrary: fc.tuple(worlds, edits, fc.constantFrom(...names)).map(edited) },
  worlds.map((one): [ShortWorld, ShortWorld] => [one, one]),
);

function edited([world, edit, name]: [ShortWorld, (menu: Short) => Short, string]): [
  ShortWorld,
  ShortWorld,
] {
  const menu = world.menus[name];
  return [world, menu ? { ...world, menus: { ...world.menus, [name]: edit(menu) } } : world];
}

// ---- As the model has it ----

function endOf(name: string): End {
  const answers = name === "nobody" ? "no" : "yes";
  return { kind: "end", is: name, words: name, answers };
}

function targetOf(name: string): Target {
  return name.startsWith("@") ? { kind: "menu", id: name.slice(1) } : endOf(name);
}

function worldOf({ entries, menus }: ShortWorld): World {
  const instances = Object.entries(menus).map(([key, one]): [string, Instance] => {
    const exits = [
      ...Object.entries(one.keys).map(([pressed, to]) => [`key ${pressed}`, to] as const),
      ["invalid", one.invalid] as const,
      ["timeout", one.timeout] as const,
    ];
    const reached = new Map(exits.map(([exit, to]) => [exit, targetOf(to)]));
    return [key, { key, name: key, exits: reached, sound: one.sound }];
  });
  const starts = Object.entries(entries).map(([entry, to]) => [entry, targetOf(to)] as const);
  return { entries: new Map(starts), menus: new Map(instances) };
}

// ---- As calls are simulated ----

function callDestination(name: string): CallDestination {
  if (name.startsWith("@")) return { kind: "menu", key: name.slice(1) };
  return { kind: "agent", eid: name, name, team: null, blocked: name === "nobody" };
}

const menusOf = new WeakMap<ShortWorld["menus"], ReadonlyMap<string, CallMenu>>();

function callMenus({ menus }: ShortWorld): ReadonlyMap<string, CallMenu> {
  const cached = menusOf.get(menus);
  if (cached) return cached;
  const recording = { id: "1" };
  const all = Object.entries(menus).map(([key, one]): [string, CallMenu] => [
    key,
    {
      key,
      name: key,
      description: "",
      recording: { id: one.sound },
      options: Object.entries(one.keys).map(([pressed, to]) => ({
        key: pressed,
        destination: callDestination(to),
      })),
      "invalid.retries": String(one.retries),
      "invalid.recording": recording,
      "invalid.destination": callDestination(one.invalid),
      "timeout.wait": "5",
      "timeout.retries": String(one.retries),
      "timeout.retry_recording": recording,
      "timeout.recording": recording,
      "timeout.destination": callDestination(one.timeout),
    },
  ]);
  menusOf.set(menus, new Map(all));
  return new Map(all);
}

/** What a caller hears and reaches who takes these turns: a key until it counts, or silence until it does. */
function callOf(
  world: ShortWorld,
  entry: string,
  turns: readonly string[],
): { heard: string; end?: string; at?: string; isOver: boolean } {
  const to = world.entries[entry];
  if (to === undefined) return { heard: "", end: "nothing", isOver: true };
  if (!to.startsWith("@")) return { heard: "", end: to, isOver: true };
  const all = callMenus(world);
  const first = all.get(to.slice(1));
  if (first === undefined) return { heard: "", end: "gone", isOver: true };
  let call = begin(first);
  const heard = [first.recording.id];
  for (const turn of turns) {
    const inMenu = call.menu;
    const isKey = inMenu.options.some(({ key }) => key === turn);
    const times = isKey ? 1 : Number(inMenu["invalid.retries"]) + 1;
    for (let nth = 0; nth < times; nth += 1) call = press(call, turn, all);
    if (call.state.at === "ended") break;
    heard.push(call.menu.recording.id);
  }
  if (call.state.at === "waiting") {
    return { heard: heard.join(), at: call.menu.key, isOver: false };
  }
  const { destination } = call.state;
  const end = destination.kind === "agent" ? destination.eid : "gone";
  return { heard: heard.join(), end, isOver: true };
}

/** All turns that callers can take, up to a length at which every pair of menus was reached. */
function* everyTurn(length: number): Generator<readonly string[]> {
  yield [];
  if (length === 0) return;
  for (const rest of everyTurn(length - 1)) {
    if (rest.length < length - 1) continue;
    for (const turn of [...phone, "9", silence]) yield [...rest, turn];
  }
}

const turnOf = (exit: string) =>
  exit === "timeout" ? silence : exit === "invalid" ? "9" : exit.replace("key ", "");

/** Where a turn in a menu leads: a person, `gone`, or `@` and a menu. */
function afterTurn(world: ShortWorld, to: string, turn: string): string {
  const { end, at } = callOf({ ...world, entries: { "+": to } }, "+", [turn]);
  return end ?? `@${at}`;
}

/**
 * Whether callers who get to these two places notice a difference by any turns. Nine pairs of menus have no
 * longer way to a new pair than nine turns.
 */
function isNoticedFrom(
  [before, after]: readonly [ShortWorld, ShortWorld],
  [a, b]: readonly [string, string],
  seen = new Set<string>(),
): boolean {
  const [was, is] = [
    callOf({ ...before, entries: { "+": a } }, "+", []),
    callOf({ ...after, entries: { "+": b } }, "+", []),
  ];
  if (was.isOver || is.isOver) return was.end !== is.end;
  if (was.heard !== is.heard) return true;
  if (seen.has(`${a} ${b}`)) return false;
  seen.add(`${a} ${b}`);
  return [...phone, "9", silence].some((turn) =>
    isNoticedFrom([before, after], [afterTurn(before, a, turn), afterTurn(after, b, turn)], seen),
  );
}

test("the walk finds what a simulation of all calls finds", () => {
  fc.assert(
    fc.property(pairs, ([before, after]) => {
      const { noticing, differences } = compare(worldOf(before), worldOf(after));
      const entries = new Set([...Object.keys(before.entries), ...Object.keys(after.entries)]);
      for (const entry of entries) {
        const [a, b] = [before.entries[entry] ?? "nothing", after.entries[entry] ?? "nothing"];
        const isNoticed = isNoticedFrom([before, after], [a, b]);
        expect(noticing.has(entry)).toBe(isNoticed);
      }
      for (const { before: was, after: is, ...place } of differences) {
        const { entry } = place;
        // What is behind two different menus is not compared.
        for (let { step } = place; step; step = step.last) {
          expect(step.before.key).toBe(step.after.key);
        }
        const turns = exitsTo(place).map(turnOf);
        const [one, other] = [callOf(before, entry, turns), callOf(after, entry, turns)];
        if (isEnd(was)) expect(one).toMatchObject({ end: was.is, isOver: true });
        else expect(one.isOver).toBe(false);
        if (isEnd(is)) expect(other).toMatchObject({ end: is.is, isOver: true });
        else expect(other.isOver).toBe(false);
      }
    }),
    { numRuns: 400 },
  );
});

test("the same world has no difference, and dead ends are where simulated calls reach nobody", () => {
  fc.assert(
    fc.property(worlds, (short) => {
      const world = worldOf(short);
      expect(compare(world, worldOf(short)).differences).toEqual([]);
      for (const found of deadEnds(world)) {
        const { entry, reached } = found;
        const turns = exitsTo(found).map(turnOf);
        const call = callOf(short, entry, turns);
        if (isEnd(reached)) expect(["nobody", "gone", "nothing"]).toContain(call.end);
        // From a circle, nobody is reached, whatever the caller does.
        else {
          const further = [...everyTurn(3)].map((some) =>
            callOf(short, entry, [...turns, ...some]),
          );
          expect(further.every(({ end }) => end !== "asha" && end !== "ravi")).toBe(true);
        }
      }
      const found = new Set(deadEnds(world).map((one) => [one.entry, ...exitsTo(one)].join(" ")));
      for (const entry of Object.keys(short.entries)) {
        const isAnswered = [...everyTurn(3)].some((turns) =>
          ["asha", "ravi"].includes(callOf(short, entry, turns).end ?? ""),
        );
        if (!isAnswered) expect(found).toContain(entry);
      }
    }),
    { numRuns: 400 },
  );
});

test("takes time in proportion to the menus, not to the paths", () => {
  const size = 400;
  const chain = (last: string): ShortWorld => ({
    entries: { "+1": "@m0" },
    menus: Object.fromEntries(
      Array.from({ length: size }, (_, at) => {
        const next = at + 1 < size ? `@m${at + 1}` : last;
        const keys = { "1": next, "2": next, "3": next };
        return [`m${at}`, { keys, invalid: next, timeout: next, retries: 1, sound: "x" }];
      }),
    ),
  });
  const { differences, noticing } = compare(worldOf(chain("asha")), worldOf(chain("ravi")));
  // 5 ^ 400 paths.
  expect(differences).toHaveLength(5);
  expect(noticing).toEqual(new Set(["+1"]));
  expect(reachable(worldOf(chain("asha"))).size).toBe(size);
});
