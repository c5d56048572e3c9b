// @ts-check
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { generate } from "./generate.mjs";
import {
  alternate,
  weighed,
  count,
  megabytes,
  ratio,
  run,
  show,
  spread,
  table,
} from "./measure.mjs";

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

/**
 * What is drawn of many menus: how long it takes next to reading them, and how large it is.
 * @param {boolean} smoke
 */
export async function benchPreview(smoke) {
  const sizes = smoke ? [4] : [1, 500];
  const rounds = smoke ? 1 : 2;
  const projects = sizes.map((menus) => ({
    menus,
    ...generate({ menus, agents: 200, shape: "snapshot" }),
  }));
  try {
    const drawn = projects.flatMap((project) => draw(project, rounds));
    const opened = await inBrowser(projects, smoke ? 1 : 5);
    return `Menus have about 40 lines and 7 keys; there are 200 agents. Whole processes, median (quartiles) of ${rounds} rounds in turn. \`validate\` reads the same files; memory is the most that a run held.

${table(["menus", "command", "ms", "times `validate`", "KB", "MB held"], drawn)}

${opened}
`;
  } finally {
    for (const { remove } of projects) remove();
  }
}

/** @typedef {{ menus: number, folder: string }} Project */

/**
 * @param {Project} project
 * @param {number} rounds
 */
function draw({ menus, folder }, rounds) {
  const commands = [
    ["preview", "--out", "site", "--quiet"],
    ["graph", "--format", "mermaid"],
    ["graph", "--format", "dot"],
    ["graph", "--format", "svg"],
    ["graph", "--format", "svg", "--out", "pictures", "--quiet"],
  ];
  const contestants = commands.map((args) => weighed(folder, args));
  const [validate, ...measured] = alternate(
    [weighed(folder, ["validate"]), ...contestants],
    rounds,
  );
  return commands.map((args, index) => {
    const [own, contestant] = [measured[index], contestants[index]];
    if (own === undefined || contestant === undefined) return [];
    return [
      count(menus),
      `\`${args.filter((word) => word !== "--quiet").join(" ")}\``,
      show(spread(own.times)),
      show(ratio(own, validate), 2),
      sizeOf(folder, args, contestant),
      megabytes(own.mb),
    ];
  });
}

/**
 * Of the page or the picture; pictures of each menu are not counted.
 * @param {string} folder
 * @param {readonly string[]} args
 * @param {import("./measure.mjs").Contestant} contestant
 */
function sizeOf(folder, args, contestant) {
  if (args[0] === "preview") return kilobytes(statSync(join(folder, "site/index.html")).size);
  return args.includes("--out") ? "" : kilobytes(Buffer.byteLength(run(contestant).stdout));
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return count(Math.round(bytes / 1000));
}

/**
 * The page that `preview --out` wrote: how long it keeps people waiting.
 * @param {readonly Project[]} projects
 * @param {number} rounds
 */
async function inBrowser(projects, rounds) {
  if (!existsSync(executablePath)) return "There was no chromium to open the page in.";
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--headless", "--disable-gpu"],
  });
  try {
    const rows = [];
    for (const project of projects) rows.push(await open(browser, project, rounds));
    return `The page in chromium, from the disk, ${rounds} rounds: from the start of the navigation until the list is painted; from a letter in the search field until the list is laid out anew; from a click on a menu until its keypad, picture and tests are laid out.

${table(["menus", "opened, ms", "searched, ms", "menu opened, ms"], rows)}`;
  } finally {
    await browser.close();
  }
}

/**
 * @param {import("playwright-core").Browser} browser
 * @param {Project} project
 * @param {number} rounds
 */
async function open(browser, { menus, folder }, rounds) {
  /** @type {Record<"opened" | "searched" | "shown", number[]>} */
  const times = { opened: [], searched: [], shown: [] };
  for (let round = 0; round < rounds; round += 1) {
    const tab = await browser.newPage();
    await tab.goto(pathToFileURL(join(folder, "site/index.html")).href);
    times.opened.push(await tab.evaluate(painted));
    times.searched.push(await tab.evaluate(searched));
    times.shown.push(await tab.evaluate(shown));
    await tab.close();
  }
  return [count(menus), ...Object.values(times).map((own) => show(spread(own), 1))];
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
