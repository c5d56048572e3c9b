import { describe, expect, test } from "vitest";
import { flowPicture, menuPicture } from "../../src/graph/picture.ts";
import { svg } from "../../src/graph/svg.ts";
import { useBrowser } from "../support/browser.ts";
import { menuOf, twelve } from "./menus.ts";

const browser = useBrowser();

const one = menuOf("One", [["1", undefined, twelve["invalid.destination"]]]);
const both = [twelve, one].map((menu) => ({ key: menu.key, name: menu.name, call: menu }));
const around = { menus: new Map(), faulty: new Set<string>() };
const drawn = {
  twelve: menuPicture(twelve),
  one: menuPicture(one),
  flow: flowPicture(both, around),
};

describe("in a browser", () => {
  test.each(Object.entries(drawn))("all text of %s fits in its box", async (_, picture) => {
    const page = await browser().newPage();
    await page.setContent(svg(picture));
    const texts = page.locator("svg g g text");
    expect(await texts.count()).toBeGreaterThan(4);
    const outside = await texts.evaluateAll((all) =>
      all.flatMap((text) => {
        const bounds = text.getBoundingClientRect();
        const box = text.parentElement?.querySelector("rect")?.getBoundingClientRect();
        const fits =
          box &&
          bounds.left >= box.left &&
          bounds.right <= box.right &&
          bounds.bottom <= box.bottom + 1;
        return fits ? [] : [text.textContent];
      }),
    );
    const hasHindi = await page.evaluate(`(() => {
      const canvas = document.createElement("canvas").getContext("2d");
      const [letter, missing] = ["\u0915", "\u{10FFFD}"].map((one) => canvas.measureText(one).width);
      return letter !== missing;
    })()`);
    // Without a font for Hindi, a browser draws a wide box for each letter.
    const isDrawn = (text: string | null) => hasHindi === true || !/\p{sc=Deva}/u.test(text ?? "");
    expect(outside.filter(isDrawn)).toEqual([]);
    await page.close();
  });

  test("the SVG is valid XML without scripts, and follows the color scheme", async () => {
    const page = await browser().newPage();
    const colors = new Set<unknown>();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const data = Buffer.from(svg(menuPicture(twelve))).toString("base64");
      // Opened as a separate document, because the browser then shows XML errors.
      await page.goto(`data:image/svg+xml;base64,${data}`);
      expect(await page.locator("parsererror, script, image, a, foreignObject").count()).toBe(0);
      expect(await page.title()).toBe(twelve.name);
      colors.add(await page.evaluate("getComputedStyle(document.querySelector('.ground')).fill"));
    }
    expect(colors.size).toBe(2);
    await page.close();
  });
});
