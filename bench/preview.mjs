// @ts-check
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { generate } from "./generate.mjs";
import { command, run, show, spread, table } from "./measure.mjs";

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

/**
 * The page that `preview --out` writes: how large it is, and how long it keeps people waiting.
 * @param {boolean} smoke
 */
export async function benchPreview(smoke) {
  if (!existsSync(executablePath)) return "There was no chromium to measure it in.";
  const rounds = smoke ? 1 : 10;
  const sizes = smoke ? [1, 4] : [1, 500, 2_000];
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--headless", "--disable-gpu"],
  });
  try {
    const rows = [];
    for (const size of sizes) rows.push(await measure(browser, size, rounds));
    return `Menus have about 40 lines and 7 keys; there are 200 agents. In chromium, from the disk, median (quartiles) of ${rounds} rounds: from the start of the navigation until the list is painted; from a letter in the search field until the list is laid out anew; from a click on a menu until its keypad, picture and tests are laid out.

${table(["menus", "page, KB", "written, ms", "opened, ms", "searched, ms", "menu opened, ms"], rows)}`;
  } finally {
    await browser.close();
  }
}

/**
 * @param {import("playwright-core").Browser} browser
 * @param {number} menus
 * @param {number} rounds
 */
async function measure(browser, menus, rounds) {
  const { folder, remove } = generate({ menus, agents: 200, shape: "snapshot" });
  try {
    const args = [command, "preview", "--out", "site", "--quiet"];
    const written = Array.from({ length: rounds }, () => {
      return run({ name: "preview --out", args, cwd: folder }).ms;
    });
    const page = join(folder, "site/index.html");
    /** @type {Record<"opened" | "searched" | "shown", number[]>} */
    const times = { opened: [], searched: [], shown: [] };
    for (let round = 0; round < rounds; round += 1) {
      const tab = await browser.newPage();
      await tab.goto(pathToFileURL(page).href);
      times.opened.push(await tab.evaluate(painted));
      times.searched.push(await tab.evaluate(searched));
      times.shown.push(await tab.evaluate(shown));
      await tab.close();
    }
    return [
      String(menus),
      String(Math.round(statSync(page).size / 1000)),
      show(spread(written)),
      ...Object.values(times).map((own) => show(spread(own), 1)),
    ];
  } finally {
    remove();
  }
}

// These run in the page, as text: its types are not those of Node.
const painted = `new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now()))))`;

const searched = `(() => {
  const field = document.querySelector("#search");
  const start = performance.now();
  field.value = "a";
  field.dispatchEvent(new Event("input"));
  document.body.getBoundingClientRect();
  return performance.now() - start;
})()`;

const shown = `(async () => {
  const changed = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
  const start = performance.now();
  document.querySelector("#menus li a").click();
  await changed;
  document.body.getBoundingClientRect();
  return performance.now() - start;
})()`;
