import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CountedClaim,
  type Invariant,
  endClaim,
  findViolations,
  invariantRoutes,
  lengthClaim,
} from "../../src/call/invariants.ts";
import { type Call, answers, begin, press, walk } from "../../src/call/simulated-call.ts";
import { menuFlow } from "../../src/compile/flow.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { type CallMenu, pathName } from "../../src/model/call-menu.ts";

const phoneKeys = "0123456789*#".split("");

function menu(keys: readonly string[], invalid: number, timeout: number): CallMenu {
  const agent = (name: string) =>
    ({ kind: "agent", name, eid: name, team: null, blocked: name === "key 3" }) as const;
  const recording = { id: "1" };
  return {
    key: "m",
    name: "M",
    description: "",
    recording,
    options: keys.map((key) => ({ key, destination: agent(`key ${key}`) })),
    "invalid.retries": String(invalid),
    "invalid.recording": recording,
    "invalid.destination": agent("invalid"),
    "timeout.wait": "5",
    "timeout.retries": String(timeout),
    "timeout.retry_recording": recording,
    "timeout.recording": recording,
    "timeout.destination": agent("timeout"),
  };
}

/** Simulates every possible call. Returns the numbers of steps and recordings for each destination. */
function everyCall(callMenu: CallMenu) {
  const landings = new Map<string, { steps: Set<number>; heard: Set<number> }>();
  const go = (call: Call): void => {
    const { steps, state } = call;
    if (state.at === "ended") {
      const { destination } = state;
      const place = destination.kind === "agent" ? destination.name : "?";
      const seen = landings.get(place) ?? { steps: new Set(), heard: new Set() };
      landings.set(place, seen);
      seen.steps.add(steps.length);
      seen.heard.add(1 + steps.flatMap(({ heard }) => heard).length);
      return;
    }
    const wrong = phoneKeys.find((key) => !callMenu.options.some((option) => option.key === key));
    for (const key of [...callMenu.options.map((option) => option.key), wrong ?? [], "_"].flat()) {
      go(press(call, key));
    }
  };
  go(begin(callMenu));
  return landings;
}

const invariant = (claim: CountedClaim): Invariant => ({
  name: "i",
  at: new Source("ivrctl.yaml", "x").top(),
  isAbout: () => true,
  isExempt: () => false,
  claims: [claim],
});

/** Menus that link to no other menu. */
const alone = { ...menuFlow([]), menus: new Map(), faulty: new Set<string>() };

describe("the paths through a menu", () => {
  const menus = fc
    .tuple(fc.uniqueArray(fc.constantFrom(...phoneKeys), { minLength: 1 }), fc.nat(3), fc.nat(3))
    .map(([keys, invalid, timeout]) => menu(keys, invalid, timeout));

  test("are complete, each with its shortest and longest call", () => {
    fc.assert(
      fc.property(menus, (callMenu) => {
        const calls = everyCall(callMenu);
        const paths = invariantRoutes(callMenu);
        expect(new Set(paths.map(pathName))).toEqual(new Set(calls.keys()));
        for (const path of paths) {
          const { steps, heard } = calls.get(pathName(path)) ?? { steps: [], heard: [] };
          const [short, long] = [walk(callMenu, path.shortest), walk(callMenu, path.longest)];
          expect([short.steps.length, long.steps.length]).toEqual([
            Math.min(...steps),
            Math.max(...steps),
          ]);
          expect(long.heard.length).toBe(Math.max(...heard));
          for (const call of [short, long]) {
            expect(call.unused).toEqual([]);
            expect(call.state.destination).toBe(path.destination);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test("do not include wrong keys if every phone key is an option", () => {
    expect(invariantRoutes(menu(phoneKeys, 2, 2)).map(pathName)).not.toContain("invalid");
  });

  test("do not include an option with the key _", () => {
    expect(invariantRoutes(menu(["_", "1"], 0, 0)).map(pathName)).toEqual([
      "key 1",
      "invalid",
      "timeout",
    ]);
  });

  test("violate an invariant exactly if some call does", () => {
    fc.assert(
      fc.property(menus, fc.nat(9), (callMenu, most) => {
        const calls = [...everyCall(callMenu)];
        const breaks = (claim: CountedClaim) =>
          findViolations([callMenu], invariant(claim), alone).length > 0;
        expect(breaks(lengthClaim("heard", most))).toBe(
          calls.some(([, { heard }]) => Math.max(...heard) > most),
        );
        expect(breaks(lengthClaim("steps", most))).toBe(
          calls.some(([, { steps }]) => Math.max(...steps) > most),
        );
        expect(breaks(endClaim("", answers))).toBe(calls.some(([place]) => place === "key 3"));
      }),
      { numRuns: 60 },
    );
  });

  test("are found quickly, however many retries and keys there are", () => {
    const callMenu = menu(phoneKeys.slice(0, 11), 1000, 1000);
    expect(invariantRoutes(callMenu)).toHaveLength(13);
    const [broken] = findViolations([callMenu], invariant(lengthClaim("heard", 2001)), alone);
    expect(broken?.walk.heard).toHaveLength(2002);
  });
});
