import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layOut } from "../../src/graph/layout.ts";
import { flowPicture, menuPicture } from "../../src/graph/picture.ts";
import { mermaid } from "../../src/graph/mermaid.ts";
import { svg } from "../../src/graph/svg.ts";
import type { CallMenu } from "../../src/call/model.ts";
import { visible } from "../../src/util/visible.ts";
import { odd } from "../support/rendered.ts";
import { agent, desk, menuOf, twelve } from "./menus.ts";
import { runs } from "../support/runs.ts";

const asha = agent("Asha Rao", "1");
const small = menuOf("Desk", [
  ["1", "Sales", asha],
  ["2", undefined, asha],
]);
const around = { menus: new Map(), faulty: new Set<string>() };
const flow = (menus: readonly CallMenu[], starts?: ReadonlySet<string>) =>
  flowPicture(
    menus.map(listed),
    { ...around, menus: new Map(menus.map((menu) => [menu.key, menu])) },
    starts,
  );
const listed = (menu: CallMenu) => ({ key: menu.key, name: menu.name, call: menu });

describe("the picture of a menu", () => {
  test("has the keys in order, then wrong key and silence, and each agent once", () => {
    expect(mermaid(menuPicture(small)).join("\n")).toMatchInlineSnapshot(`
      "flowchart LR
      n0("Desk<br/>desk<br/>plays welcome (7)<br/>“Press a key.”")
      n0 -->|"key 1 (Sales)"| n1["Asha Rao<br/>Sales"]
      n0 -->|"key 2"| n1
      n0 -->|"wrong key: asks 1 more time"| n2["Front Desk<br/>extension 9"]
      n0 -->|"silence: waits 5"| n2"
    `);
  });

  test("marks agents that are blocked or not on the list", () => {
    const blocked = { kind: "agent", name: "Meera", eid: "5", team: null, blocked: true } as const;
    const gone = { kind: "unreachable", name: "Nina", why: "not-listed" } as const;
    const other = { kind: "other", name: "department", id: "12" } as const;
    const { places } = menuPicture(
      menuOf("Desk", [
        ["1", undefined, blocked],
        ["2", undefined, gone],
        ["3", undefined, other],
      ]),
    );
    expect(places.slice(0, 3)).toEqual([
      { lines: ["Meera", "extension 5", "blocked"], mark: "blocked" },
      { lines: ["Nina", "not on the agent list"], mark: "fault" },
      { lines: ["department 12"], mark: undefined },
    ]);
  });

  test("has separate boxes for agents with the same name", () => {
    const picture = menuPicture(
      menuOf("Desk", [
        ["1", undefined, agent("Ravi", "2")],
        ["2", undefined, agent("Ravi", "3")],
      ]),
    );
    expect(picture.places).toHaveLength(3);
  });
});

test("a flow has only menus as boxes, and each menu names what else it leads to", () => {
  const other = menuOf("Other", [["0", "Operator", desk]], "other");
  const broken = { key: "broken", name: undefined, call: undefined };
  const picture = flowPicture([listed(small), listed(other), broken], around);
  expect(mermaid(picture).join("\n")).toMatchInlineSnapshot(`
    "flowchart LR
    n0("Desk<br/>desk<br/>keys 1, 2 (Sales) → Asha Rao<br/>wrong key, silence → Front Desk")
    n1("Other<br/>other<br/>key 0 (Operator), wrong key, silence → Front Desk")
    n2("broken<br/>has errors")
    classDef fault fill:#ffebe9,stroke:#cf222e,color:#1f2328,stroke-dasharray:6 4
    class n2 fault"
  `);
});

describe("names of any kind", () => {
  const named = fc
    .tuple(odd, odd, odd, odd)
    .map(([name, who, purpose, key]) =>
      menuOf(name, [[key, purpose, { ...desk, ...agent(who, "1", purpose) }]], "k"),
    );
  const label = String.raw`"(?:[^!-~\n\r]|[0-9A-Za-z(),?!'/:._-]|#\d+;|<br/>)*"`;

  test("stay in the labels of Mermaid", () => {
    const statement = new RegExp(
      `^(?:n\\d+\\(${label}\\)|n\\d+ -->\\|${label}\\| n\\d+(?:\\[${label}\\])?)$`,
    );
    fc.assert(
      fc.property(named, (menu) => {
        for (const picture of [menuPicture(menu), flow([menu, small])]) {
          for (const line of mermaid(picture).slice(1)) expect(line).toMatch(statement);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test("are not read as entities by XML", () => {
    const picture = menuPicture(menuOf('\\N &lt; "\uFFFE', []));
    expect(svg(picture)).toContain("<title>\\N &#38;lt; &#34;\uFFFD</title>");
  });

  test("are valid text in an SVG", () => {
    const tag =
      /^<(?:\/(?:g|title|desc|style|svg|text)|(?:title|desc|style|svg|g|rect|text|path)(?: [a-zA-Z]+="[^"<>&]*")*\/?)>$/;
    fc.assert(
      fc.property(named, (menu) => {
        const text = svg(menuPicture(menu)).replace(/<style>.*?<\/style>/s, "");
        for (const [found] of text.matchAll(/<[^>]*>/g)) expect(found).toMatch(tag);
        const between = text.replace(/<[^>]*>/g, "");
        expect(between).toMatch(
          /^(?:[\t\n\u0020-%'-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]|&#\d+;)*$/u,
        );
        expect(text).toContain(`<title>${escaped(visible(menu.name))}</title>`);
      }),
      { numRuns: runs(300) },
    );
  });

  function escaped(text: string): string {
    return text
      .replace(/[\uFFFE\uFFFF]/g, "\uFFFD")
      .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  }
});

describe("the layout", () => {
  const menus = fc.array(
    fc.array(fc.tuple(fc.constantFrom("1", "2"), fc.integer({ min: 0, max: 9 })), {
      minLength: 1,
      maxLength: 6,
    }),
    { minLength: 1, maxLength: 6 },
  );

  test("has no overlapping boxes, and all boxes are inside the picture", () => {
    fc.assert(
      fc.property(menus, (all) => {
        const picture = flow(
          all.map((options, at) =>
            menuOf(
              `Menu ${at}`,
              options.map(([key, who]) => [key, undefined, agent(`Agent ${who}`, `${who}`)]),
              `m${at}`,
            ),
          ),
        );
        const { size, menus, paths, places } = layOut(picture);
        for (const column of [menus, paths, places.toSorted((a, b) => a.top - b.top)]) {
          for (const [at, box] of column.entries()) {
            const above = column[at - 1];
            expect(box.top).toBeGreaterThanOrEqual(above ? above.top + above.height : 0);
            expect(box.top + box.height).toBeLessThanOrEqual(size.height + 1e-6);
            expect(box.left + box.width).toBeLessThanOrEqual(size.width);
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test("puts an agent with one key next to the key, if there is room", () => {
    const picture = menuPicture(
      menuOf("Desk", [
        ["1", "Something to say\u3000".repeat(6), asha],
        ["2", "Something to say\u3000".repeat(6), agent("Ravi", "2")],
      ]),
    );
    const { paths, places } = layOut(picture);
    for (const at of [0, 1]) {
      const [path, place] = [paths[at], places[at]];
      const middle = (box: typeof path) => (box ? box.top + box.height / 2 : Number.NaN);
      expect(middle(place)).toBeCloseTo(middle(path));
    }
  });

  test("draws many menus and agents, with the name of the agent next to the keys", () => {
    const agentOf = (at: number, key: number) => `${(at * 7 + key * 31) % 200}`;
    const keys = [0, 1, 2, 3, 4, 5];
    const numbers = Array.from({ length: runs(500) }, (_, at) => at);
    const many = numbers.map((at) => {
      const options = keys.map((key) => {
        const who = agentOf(at, key);
        return [`${key}`, undefined, agent(`Agent ${who}`, who)] as const;
      });
      return menuOf(`Menu ${at}`, options, `menu-${at}`);
    });
    const text = svg(flow(many));
    expect(text.match(/class="menu"/g)).toHaveLength(many.length);
    expect(text).not.toContain('class="place"');
    expect(text).toContain("→ Agent 93</text>");
  });
});

test("twelve keys keep their order", () => {
  const caps = svg(menuPicture(twelve)).matchAll(/class="key"[^>]*>([^<]*)</g);
  expect([...caps].map(([, key]) => key).join("")).toBe("123456789*0#");
});

describe("the picture of a flow", () => {
  const to = (key: string) => ({ kind: "menu", key }) as const;
  const main = menuOf("Main", [["1", "Sales", to("sales")]], "main");
  const sales = menuOf(
    "Sales",
    [
      ["1", "India", asha],
      ["9", "Back", to("main")],
    ],
    "sales",
  );

  test("has a level for the menus that a menu leads to, and real links back", () => {
    const picture = flow([sales, main], new Set(["main"]));
    expect(picture.menus.map(({ lines }) => lines[0])).toEqual(["Main", "Sales"]);
    expect(picture.levels).toEqual([0, 1]);
    expect(mermaid(picture)).toContain('n0 -->|"key 1 (Sales)"| n1');
    expect(mermaid(picture)).toContain('n1 -->|"key 9 (Back)"| n0');
  });

  test("begins with the first menu if menus lead only to each other", () => {
    expect(flow([main, sales]).levels).toEqual([0, 1]);
  });

  test("places the next menu to the right of the path to it, and nothing above the edge", () => {
    const { menus, paths, places, targets } = layOut(flow([main, sales], new Set(["main"])));
    expect(targets[0]).toBe(menus[1]);
    expect(menus[1]?.left).toBeGreaterThan((paths[0]?.left ?? 0) + (paths[0]?.width ?? 0));
    expect(places).toEqual([]);
    expect(paths.map(({ texts }) => texts[0]?.text)).toContain("Back → Main");
    for (const { top } of [...menus, ...paths, ...places]) expect(top).toBeGreaterThanOrEqual(0);
  });

  test("has no lines to agents, because each path names its destination", () => {
    const many = Array.from({ length: 13 }, (_, at) =>
      menuOf(`Menu ${at}`, [["1", undefined, at === 12 ? asha : to(`m${at + 1}`)]], `m${at}`),
    );
    const { places, targets } = layOut(flow(many));
    expect(places).toEqual([]);
    expect(targets.filter((target) => target !== undefined)).toHaveLength(12);
    expect(svg(flow(many))).toContain("→ Asha Rao");
  });

  test("shows blocked agents and errors at the path to them, in red and in words", () => {
    const blocked = { ...asha, blocked: true };
    const broken = { kind: "unreachable", name: "Nobody", why: "not-listed" } as const;
    const odd = menuOf(
      "Sales",
      [
        ["1", "India", blocked],
        ["2", undefined, broken],
      ],
      "sales",
    );
    const picture = svg(flow([main, odd], new Set(["main"])));
    expect(picture).toMatch(/<g class="path blocked".*→ Asha Rao, .*blocked/);
    expect(picture).toMatch(/<g class="path fault".*→ Nobody, not on the agent list/);
  });

  test("a single menu names the menus that it leads to, and marks those with errors", () => {
    const menus = new Map([
      ["sales", sales],
      ["broken", undefined],
      ["wrong", menuOf("Wrong", [], "wrong")],
    ]);
    const links = menuOf(
      "Main",
      [
        ["1", "Sales", to("sales")],
        ["2", "Broken", to("broken")],
        ["3", "Wrong", to("wrong")],
        ["4", "Gone", to("gone")],
      ],
      "main",
    );
    const { places } = menuPicture(links, { menus, faulty: new Set(["wrong"]) });
    expect(places.slice(0, 4)).toMatchObject([
      { lines: ["Sales", "sales"], mark: undefined, menu: "sales" },
      { lines: ["broken", "has errors"], mark: "fault", menu: "broken" },
      { lines: ["Wrong", "wrong", "has errors"], mark: "fault", menu: "wrong" },
      { lines: ["gone", "no such menu"], mark: "fault", menu: "gone" },
    ]);
  });
});
