import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layOut } from "../../src/graph/layout.ts";
import { flowPicture, menuPicture } from "../../src/graph/picture.ts";
import { mermaid } from "../../src/graph/mermaid.ts";
import { svg } from "../../src/graph/svg.ts";
import { visible } from "../../src/util/visible.ts";
import { odd } from "../support/rendered.ts";
import { agent, desk, menuOf } from "./menus.ts";
import { runs } from "../support/runs.ts";
import type { CallMenu } from "../../src/model/call-menu.ts";

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

describe("names of any kind", () => {
  const named = fc
    .tuple(odd, odd, odd, odd)
    .map(([name, who, purpose, key]) =>
      menuOf(name, [[key, purpose, { ...desk, ...agent(who, "1", purpose) }]], "k"),
    );
  const label = String.raw`"(?:[^!-~\n\r]|[0-9A-Za-z(),?!'/:._-]|#\d+;|<br/>)*"`;

  test("stay in the labels of Mermaid", () => {
    const statement = new RegExp(
      `^(?:n\\d+\\(${label}\\)|n\\d+ -->\\|${label}\\| n\\d+(?:\\(\\[${label}\\]\\)|\\(${label}\\))?)$`,
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

  test("are on their own side of an arrow in a right-to-left script", () => {
    const gulf = menuOf("Gulf", [["1", "مبيعات", agent("محمد", "1")]], "gulf");
    // The mark before the arrow is a left-to-right mark.
    expect(svg(flow([gulf, small]))).toContain("مبيعات \u200E→ محمد");
    expect(svg(flow([small, gulf]))).toContain("Sales → Asha Rao");
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
});
