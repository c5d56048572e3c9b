import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { menuPicture, overview } from "../../../src/call/graph/menus.ts";
import { svg } from "../../../src/call/graph/svg.ts";
import { launchBrowser } from "../../support/browser.ts";
import { menuOf, twelve } from "./menus.ts";

let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const one = menuOf("One", [["1", undefined, twelve.invalid.destination]]);
const both = [twelve, one].map((menu) => ({ key: menu.key, name: menu.name, menu }));
const drawn = { twelve: menuPicture(twelve), one: menuPicture(one), overview: overview(both) };

describe("in a browser", () => {
  test.each(Object.entries(drawn))("no text of %s leaves its box", async (_, picture) => {
    const page = await browser?.newPage();
    if (page === undefined) return;
    await page.setContent(svg(picture));
    const texts = page.locator("svg g g text");
    expect(await texts.count()).toBeGreaterThan(4);
    const outside = await texts.evaluateAll((all) =>
      all.flatMap((text) => {
        const own = text.getBoundingClientRect();
        const box = text.parentElement?.querySelector("rect")?.getBoundingClientRect();
        const fits =
          box && own.left >= box.left && own.right <= box.right && own.bottom <= box.bottom + 1;
        return fits ? [] : [text.textContent];
      }),
    );
    expect(outside).toEqual([]);
    await page.close();
  });

  test("an SVG is XML, with no script, and changes with the colours of the page", async () => {
    const page = await browser?.newPage();
    if (page === undefined) return;
    const colours: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setContent("<p>");
      const found = await page.evaluate(
        (text) => {
          const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
          document.body.append(document.importNode(parsed.documentElement, true));
          const ground = document.querySelector(".ground");
          return {
            faults: parsed.querySelectorAll("parsererror, script, image, a, foreignObject").length,
            title: parsed.querySelector("title")?.textContent,
            fill: ground ? getComputedStyle(ground).fill : "",
          };
        },
        svg(menuPicture(twelve)),
      );
      expect(found).toMatchObject({ faults: 0, title: twelve.name });
      colours.push(found.fill);
    }
    expect(new Set(colours).size).toBe(2);
    await page.close();
  });
});
