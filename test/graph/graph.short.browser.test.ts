import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { layOut } from "../../src/graph/layout.ts";
import { flowPicture, menuPicture } from "../../src/graph/picture.ts";
import { svg } from "../../src/graph/svg.ts";
import { useBrowser } from "../support/browser.ts";
import { folder } from "../support/cli.ts";
import { need } from "../support/needs.ts";
import { agent, menuOf, twelve } from "./menus.ts";

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

  test("another renderer shows the same colors, and menus and people look different", async () => {
    need("librsvg");
    const page = await browser().newPage();
    const file = join(folder({ "menu.svg": svg(linked) }), "menu.svg");
    const png = execFileSync("rsvg-convert", ["--format", "png", file]).toString("base64");
    await page.setContent(`<body style="margin:0">${svg(linked)}`);
    const shot = (await page.locator("svg").screenshot()).toString("base64");
    const [there, here] = await Promise.all([png, shot].map((image) => colorsOf(page, image)));
    // The ground, a menu, a person, and a menu that a key goes to.
    expect(there).toEqual([
      [255, 255, 255],
      [221, 244, 255],
      [246, 248, 250],
      [221, 244, 255],
    ]);
    expect(there).toEqual(here);
    await page.close();
  });

  const linked = menuPicture(
    menuOf("One", [
      ["1", undefined, agent("Asha Rao", "1")],
      ["2", undefined, { kind: "menu", key: "two" }],
    ]),
  );

  /** The colors of a picture of `linked` at its corner and right of the left border of each of its boxes. */
  async function colorsOf(page: Page, png: string): Promise<unknown> {
    const { menus, places } = layOut(linked);
    const points = [...menus, ...places.slice(0, 2)].map((box) => [
      box.left + 16 + 5,
      box.top + 16 + box.height / 2,
    ]);
    return page.evaluate(`(async () => {
      const image = Object.assign(new Image(), { src: "data:image/png;base64,${png}" });
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      return ${JSON.stringify([[16, 3], ...points])}.map(([x, y]) =>
        [...canvas.getImageData(x, y, 1, 1).data].slice(0, 3));
    })()`);
  }
});
