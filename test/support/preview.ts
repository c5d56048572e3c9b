import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { folder } from "./cli.ts";
import { ivrctl } from "./commands.ts";

interface Opened {
  readonly cwd: string;
  readonly hash?: string;
  readonly options?: BrowserContextOptions;
  readonly args?: readonly string[];
}

/** Opens the page that `preview --out` writes for a project from the disk. It must not complain. */
export async function openPreview(
  browser: Browser,
  { cwd, hash, options, args = [] }: Opened,
): Promise<Page> {
  return openPage(browser, await pageOf(cwd, ...args), hash, options);
}

/** Returns the page that `preview --out` writes for a project. */
export async function pageOf(cwd: string, ...args: readonly string[]): Promise<string> {
  await ivrctl(["preview", "--out", "site", ...args], { cwd });
  return readFileSync(join(cwd, "site/index.html"), "utf8");
}

export async function openPage(
  browser: Browser,
  html: string,
  hash = "",
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("dialog", (dialog) => complaints.push(dialog.message()));
  page.on("request", (request) => {
    if (!/^(?:file|data):/.test(request.url())) complaints.push(request.url());
  });
  const complaints: string[] = [];
  onTestFinished(() => expect(complaints).toEqual([]));
  await page.goto(
    `${pathToFileURL(join(folder({ "index.html": html }), "index.html")).href}${hash}`,
  );
  return page;
}

/** The call so far, line by line, and its end. */
export async function walkOf(page: Page): Promise<string[]> {
  const lines = await page.locator(".try :is(.transcript li, .end)").allInnerTexts();
  return lines.map((line) => line.replace(/\s+/g, " "));
}

/** What axe finds on the page. Also says if the colors were not checked, or if the page scrolls sideways. */
export async function violationsOf(page: Page): Promise<unknown[]> {
  if (await page.evaluate("globalThis.axe === undefined")) await page.evaluate(axe.source);
  const { violations, passes }: axe.AxeResults = await page.evaluate("axe.run()");
  const width = await page.evaluate("document.documentElement.scrollWidth");
  return [
    ...violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    ...(passes.some(({ id }) => id === "color-contrast") ? [] : ["The colors were not checked."]),
    ...(width === page.viewportSize()?.width ? [] : [`The page is ${String(width)} px wide.`]),
  ];
}
