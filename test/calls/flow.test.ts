import { describe, expect, test } from "vitest";
import {
  type CountedClaim,
  type Invariant,
  endClaim,
  findViolations,
  lengthClaim,
} from "../../src/call/invariants.ts";
import { callFlow } from "../../src/call/callable-menu.ts";
import { answers, isReached, walk } from "../../src/call/simulated-call.ts";
import { measureCoverage } from "../../src/call/suites.ts";
import { readAgentList } from "../../src/project/agent-list.ts";
import { compileProject } from "../../src/workspace/compile-project.ts";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { openFiles } from "../../src/workspace/open-project.ts";
import { TextFiles } from "../../src/project/text-files.ts";
import type { CallMenu } from "../../src/model/call-menu.ts";

const config = `version: 1
default_environment: sandbox
environments: { sandbox: { service: sandbox } }
defaults:
  description: A menu
  recording: "10"
  invalid: { retries: 1, recording: "11", destination: Asha }
  timeout: { wait: 5, retries: 1, retry_recording: "12", recording: "13", destination: Asha }
`;

const notBlocked = endClaim("", answers);
const maxSteps = (most: number) => lengthClaim("steps", most);

const agents = [
  { name: "Asha", eid: "1" },
  { name: "Blocked", eid: "2", blocked: true },
];

/** Menus by key, each as the text of its options, with further fields after a semicolon. */
function flow(menus: Readonly<Record<string, string>>) {
  const sources = Object.entries(menus).map(([key, text]) => {
    const [options, ...fields] = text.split(";");
    const lines = [`name: ${key}`, `options: { ${options} }`, ...fields];
    return new Source(`ivrs/${key}.yaml`, `${lines.join("\n")}\n`);
  });
  const files = new TextFiles({
    "ivrctl.yaml": config,
    ...Object.fromEntries(sources.map(({ file, text }) => [file, text])),
  });
  const texts = openFiles(files, { environment: undefined, variables: {} });
  const list = new Source("agents.lock.json", JSON.stringify(agents));
  const compiled = compileProject(texts, {
    agents: readAgentList(list, undefined, new Diagnostics()),
    lint: false,
  });
  const menuLinks = callFlow(compiled.menus, [], []);
  const byKey = menuLinks.menus;
  const all = [...byKey.values()].filter((menu): menu is CallMenu => menu !== undefined);
  const menu = (key: string) => byKey.get(key) ?? expect.unreachable(key);
  const broken = (claim: CountedClaim, overrides: Partial<Invariant> = {}) => {
    const rule = { name: "i", at: sources[0]?.top() ?? expect.unreachable(), claims: [claim] };
    const scope = { isAbout: () => true, isExempt: () => false };
    return findViolations(all, { ...rule, ...scope, ...overrides }, menuLinks).map(
      (found) => `${found.key}: ${found.walk.steps.map(({ press }) => press).join(",")}`,
    );
  };
  return { menuLinks, byKey, all, menu, broken };
}

/** Every key of a level goes to one of two menus of the next level. */
function ladder(levels: number): Record<string, string> {
  const menus: Record<string, string> = {};
  for (let level = 0; level < levels; level += 1) {
    const [left, right] = [`{ menu: a${level + 1} }`, `{ menu: b${level + 1} }`];
    for (const side of "ab") menus[`${side}${level}`] = `1: ${left}, 2: ${right}, 3: ${left}`;
  }
  for (const side of "ab") menus[`${side}${levels}`] = "1: Asha, 2: Blocked";
  return menus;
}

describe("a flow of menus", () => {
  test("begins in menus that no other menu links to, unless `entry` says otherwise", () => {
    const { menuLinks } = flow({
      main: "1: { menu: sales }, 2: { menu: main }",
      sales: "1: Asha, 9: { menu: main };entry: false",
      day: "1: { menu: day }",
      spare: "1: Asha;entry: false",
      both: "1: { menu: forced }",
      forced: "1: Asha;entry: true",
    });
    expect([...menuLinks.entries].sort()).toEqual(["both", "day", "forced"]);
  });

  test("breaks an invariant in the menu where the call begins, once", () => {
    const { broken } = flow({
      main: "1: { menu: sales }, 2: Asha;entry: true",
      sales: "1: Asha, 2: Blocked, 9: { menu: main }",
    });
    expect(broken(notBlocked)).toEqual(["main: 1,2"]);
    expect(broken(maxSteps(5))).toEqual(["main: _,9,1,_,8,1"]);
    expect(broken(maxSteps(6))).toEqual([]);
    const isSales = (key: string) => key === "sales";
    const exceptSales = { isAbout: (key: string) => !isSales(key), isExempt: isSales };
    expect(broken(notBlocked, exceptSales)).toEqual([]);
    expect(broken(notBlocked, { isAbout: isSales })).toEqual(["sales: 2"]);
  });

  test("checks the path of a key in every menu, and where it goes", () => {
    const asha = { kind: "agent", name: "Asha", eid: "1", team: null, blocked: false } as const;
    const { broken } = flow({
      main: "1: { menu: sales }, 2: Asha;entry: true",
      sales: "1: Asha, 2: Asha, 9: { menu: main }",
      other: "1: { menu: last }",
      last: "1: Blocked",
    });
    const claim = endClaim("", (end) => isReached(asha, end));
    // Going back to the first menu does not count as going on.
    expect(broken(claim, { key: "1" })).toEqual(["last: 1", "other: 1,1"]);
  });

  test("is explored in time that does not depend on the number of paths", () => {
    const { broken, menu, byKey } = flow(ladder(60));
    expect(broken(notBlocked)).toHaveLength(2);
    const [call] = broken(maxSteps(0));
    expect(call?.split(",")).toHaveLength(61 * 3);
    expect(walk(menu("a0"), ["2", "1"], byKey).in).toBe("a2");
  });

  test("is covered by every path that a call takes", () => {
    const { all, menu, byKey } = flow({ main: "1: { menu: sales }", sales: "1: Asha" });
    const coverage = measureCoverage(all, [walk(menu("main"), ["1", "1"], byKey)]);
    expect(coverage.menus.map(({ untested }) => untested)).toEqual([
      ["invalid", "timeout"],
      ["invalid", "timeout"],
    ]);
  });

  test("ends a silent call that goes in circles", () => {
    const { menu, byKey } = flow({
      a: "1: Asha;timeout: { destination: { menu: b } }",
      b: "1: Asha;timeout: { destination: { menu: a } }",
    });
    const { state, steps } = walk(menu("a"), [], byKey);
    expect(state.destination).toEqual({ kind: "menu", key: "a" });
    expect(steps).toHaveLength(4);
  });
});
