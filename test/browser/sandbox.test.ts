import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseFault } from "../../src/sandbox/fault-grammar.ts";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/server.ts";
import { launchBrowser, noBrowser } from "../support/browser.ts";
import { folder } from "../support/cli.ts";
import { violationsOf } from "../support/preview.ts";
import { call, create, sandboxFor } from "../sandbox/client.ts";

const hostile =
  '"><script>document.title = "owned"</script><img src=x onerror=alert(1)>\u202E\u0007';

/** A sandbox with an example of everything that the page can show. */
async function busySandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const faults = { seed: 1, rules: [parseFault("status=503 name=Flaky")] };
  const sandbox = await sandboxFor({ faults, ...options });
  await create(sandbox.url, { name: "Front desk", description: "The first one" });
  await create(sandbox.url, {
    name: "Support",
    option: ["1", 2, "*"],
    destination: ["extension||500106", "extension||500105", "extension||500104"],
    sms_template: ["77", "", ""],
    timeout_retries: 3,
    recording_invalid: "recording||9",
    timeout_tries: 1,
  });
  await create(sandbox.url, { name: hostile, description: hostile });
  await create(sandbox.url, { name: "Flaky" });
  await create(sandbox.url, { name: "Front desk", description: "The second one" });
  await call(sandbox.url, { headers: { authorization: "Bearer s3cret" }, body: "{" });
  await call(sandbox.url, { headers: { authorization: "Basic s3cret" }, path: "/x?key=s3cret" });
  return sandbox;
}

describe("the page as it is served", () => {
  test("allows only its own style, and shows no secrets", async () => {
    const { url } = await busySandbox();
    const { status, headers, text } = await call(url, { method: "GET", path: "/" });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(headers["refresh"]).toBeUndefined();
    expect(text).not.toMatch(/<script|<img|s3cret|https?:/);
    expect((await call(url, { method: "HEAD", path: "/" })).status).toBe(200);
  });

  test("shows menus that another process has added to the data file", async () => {
    const dataFile = `${folder({})}/records.jsonl`;
    const [one, other] = [await sandboxFor({ dataFile }), await sandboxFor({ dataFile })];
    await create(other.url, { name: "From elsewhere" });
    expect((await call(one.url, { method: "GET", path: "/" })).text).toContain("From elsewhere");
  });

  test("limits the lists, and shows the counts", async () => {
    const { url } = await sandboxFor();
    const many = Array.from({ length: 150 }, (_, i) => i);
    await create(url, {
      name: "Long",
      option: many,
      destination: many.map(() => "extension||500101"),
    });
    for (const i of many) {
      await Promise.all([create(url, { name: `A${i}` }), create(url, { name: `B${i}` })]);
      if (i === 0) {
        const { text } = await call(url, { method: "GET", path: "/" });
        expect(text).toContain("and 50 more options");
      }
    }
    const { text } = await call(url, { method: "GET", path: "/" });
    expect(text).toContain("The first 50 of 301 menus");
    expect(text.match(/<article/g)).toHaveLength(50);
    const all = await call(url, { method: "GET", path: "/?all=on" });
    expect(all.text.match(/<article/g)).toHaveLength(301);
    expect(text).toContain("The latest 50 of 301");
    expect(text.match(/<tr>/g)).toHaveLength(51);
  });
});

describe("the page in a browser", () => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  async function open(url: string, options: Parameters<Browser["newPage"]>[0] = {}) {
    if (browser === undefined) return undefined;
    const page = await browser.newPage(options);
    onTestFinished(() => page.close());
    const complaints: string[] = [];
    page
      .on("console", (message) => complaints.push(message.text()))
      .on("pageerror", (error) => complaints.push(error.message))
      .on("dialog", (dialog) => complaints.push(dialog.message()))
      .on("request", (request) => {
        if (!request.url().startsWith(url)) complaints.push(request.url());
      });
    await page.goto(url);
    return { page, complaints };
  }

  const article = (page: Page, index: number) => page.locator("article").nth(index);

  test("shows menus in words, newest first", async (context) => {
    const { url } = await busySandbox();
    const opened = await open(url);
    if (opened === undefined) return context.skip(noBrowser);
    const { page, complaints } = opened;
    expect(await page.getByRole("heading", { level: 3 }).count()).toBe(4);
    expect(await article(page, 0).innerText()).toContain("The second one");
    const support = await article(page, 2).innerText();
    expect(support).toContain("1 → अनिल देशपांडे (Support), SMS template 77\n");
    expect(support).toContain("2 → Meera Joshi (Support, blocked)\n");
    expect(support).toContain("* → Front Desk (extension 500104)\n");
    expect(support).toContain(
      "plays recording 19550, asks 2 more times → Front Desk (extension 500104)",
    );
    expect(support).toContain(
      "waits 5, asks 1 more time (recording 19551), then recording 19552 → Front Desk (extension 500104)",
    );
    expect(support).toContain("timeout_retries");
    expect(await article(page, 3).innerText()).toContain("2 → Ravi Kumar (Billing)\n");
    const marked = page.locator("article", { hasText: "2 live menus have this name" });
    expect(await marked.count()).toBe(2);
    const rows = await page.locator("tbody tr").allInnerTexts();
    expect(rows).toHaveLength(7);
    expect(rows[0]).toMatch(/POST \/x\s+404/);
    expect(rows[3]).toMatch(
      /POST \/v1\/ivr\s+Flaky\s+503 not processed\s+Simulated fault: status=503/,
    );
    // The policy allows the style.
    expect(await page.evaluate("getComputedStyle(document.body).margin")).toBe("0px");
    expect(complaints).toEqual([]);
  });

  test("a hostile name is shown as text", async (context) => {
    const { url } = await busySandbox();
    const opened = await open(url);
    if (opened === undefined) return context.skip(noBrowser);
    const { page, complaints } = opened;
    expect(await article(page, 1).getByRole("heading").innerText()).toBe(
      hostile.replace("\u202E", "\\u{202E}").replace("\u0007", "␇"),
    );
    expect(await page.title()).toBe("4 menus · ivrctl sandbox");
    expect(await page.locator("script, img").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test.for(["light", "dark"] as const)(
    "%s: axe finds no violation",
    async (colorScheme, context) => {
      const [busy, numbers] = [await busySandbox(), await busySandbox({ operations: ["numbers"] })];
      const empty = await sandboxFor();
      const binding = { name: hostile, destination: "ivr||3" };
      await call(numbers.url, {
        method: "PUT",
        path: "/v1/my_number/901",
        body: JSON.stringify(binding),
      });
      for (const name of ["One", "Two"]) await create(numbers.url, { name });
      const grounds: unknown[] = [];
      for (const [url, width] of [
        [busy.url, 1280],
        [`${busy.url}/?picture=2`, 390],
        [`${numbers.url}/?open=3`, 1280],
        [`${numbers.url}/?open=3`, 390],
        [`${numbers.url}/?q=zebra`, 390],
        [empty.url, 1280],
      ] as const) {
        const opened = await open(url, { colorScheme, viewport: { width, height: 800 } });
        if (opened === undefined) return context.skip(noBrowser);
        const { page } = opened;
        // Only pictures scroll sideways.
        expect(await violationsOf(page)).toEqual([]);
        grounds.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
      }
      expect(new Set(grounds)).toEqual(
        new Set([colorScheme === "light" ? "rgb(246, 247, 249)" : "rgb(20, 23, 27)"]),
      );
    },
  );

  test("on a phone, the requests fit on the screen", async (context) => {
    const { url } = await busySandbox();
    const opened = await open(url, { viewport: { width: 390, height: 844 } });
    if (opened === undefined) return context.skip(noBrowser);
    const table = await opened.page.locator(".requests").boundingBox();
    expect((table?.x ?? 0) + (table?.width ?? 0)).toBeLessThanOrEqual(390);
    // A time is not broken into lines.
    const time = await opened.page.locator(".requests time").first().boundingBox();
    expect(time?.height).toBeLessThan(30);
  });

  test("Tab reaches links, with a visible focus", async (context) => {
    const { url } = await busySandbox();
    const opened = await open(url);
    if (opened === undefined) return context.skip(noBrowser);
    const { page } = opened;
    const seen: unknown[] = [];
    for (let i = 0; i < 7; i += 1) {
      await page.keyboard.press("Tab");
      seen.push(
        await page.evaluate(
          "[document.activeElement.innerText.trim().slice(0, 8), getComputedStyle(document.activeElement).outlineWidth]",
        ),
      );
    }
    expect(seen).toEqual([
      ["Menus", "3px"],
      ["Requests", "3px"],
      ["Live ref", "3px"],
      ...Array.from({ length: 4 }, () => ["Show the", "3px"]),
    ]);
  });

  test("refreshes every 5 seconds after a click, until another click", async (context) => {
    const { url } = await sandboxFor();
    const opened = await open(url);
    if (opened === undefined) return context.skip(noBrowser);
    const { page } = opened;
    const live = page.getByRole("switch", { name: "Live refresh" });
    expect(await live.innerText()).toBe("Live refresh: off");
    await live.click();
    await page.getByText("Live refresh: on, every 5 seconds").waitFor();
    expect(await live.getAttribute("aria-checked")).toBe("true");
    await create(url, { name: "Late" });
    await page.getByRole("heading", { name: "Late" }).waitFor();
    await live.click();
    await page.getByText("Live refresh: off").waitFor();
    expect(await live.getAttribute("aria-checked")).toBe("false");
  });

  test("many menus are closed at first, and a search finds them by name and agent", async (context) => {
    const { url } = await busySandbox();
    for (let i = 0; i < 59; i += 1) await create(url, { name: `Line ${i}` });
    await create(url, { name: "Line 59", option: ["1"], destination: ["ivr||2"] });
    const opened = await open(url, { viewport: { width: 390, height: 844 } });
    if (opened === undefined) return context.skip(noBrowser);
    const { page, complaints } = opened;
    const height = await page.evaluate("document.querySelector('main section').offsetHeight");
    expect(height).toBeLessThan(50 * 100);
    const search = page.getByRole("searchbox", { name: "Search menus" });
    for (const [query, count] of [
      // Line 59 leads to it.
      ["SUPPORT", 2],
      ["meera", 1],
      ["no such menu", 0],
    ] as const) {
      await search.fill(query);
      await search.press("Enter");
      await page.getByText(`of 64 found for “${query}”`).waitFor();
      expect(await page.locator("article").count()).toBe(count);
    }
    await page.getByRole("link", { name: "Clear the search" }).click();
    // What is open stays open when the page refreshes.
    await page.locator("h3 a", { hasText: "Line 59" }).click();
    await page.getByRole("link", { name: "Line 58" }).click();
    await page.getByRole("switch").click();
    await page.getByText("Live refresh: on").waitFor();
    expect(await page.locator("article:not(.closed)").count()).toBe(2);
    // A link opens its menu, even if that is not one of the latest.
    await page.getByRole("link", { name: "menu 2, “Support”" }).click();
    await page.getByText("Meera Joshi").waitFor();
    const toggle = page.locator("h3 a", { hasText: "Line 59" });
    expect(await toggle.getAttribute("aria-expanded")).toBe("true");
    await toggle.click();
    await page.locator("h3 [aria-expanded=false]", { hasText: "Line 59" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("shows the picture of a menu inside the page, with a way back", async (context) => {
    const { url } = await busySandbox();
    const opened = await open(url, { viewport: { width: 390, height: 844 } });
    if (opened === undefined) return context.skip(noBrowser);
    const { page, complaints } = opened;
    await page.getByRole("link", { name: "Show the picture of menu 2" }).click();
    const picture = page.getByRole("region", { name: "Picture of menu 2" });
    expect(await picture.locator("svg title").textContent()).toBe("Support");
    expect(await picture.innerHTML()).toContain("Meera Joshi");
    await page.getByRole("link", { name: "Hide the picture of menu 2" }).click();
    await page.getByRole("link", { name: "Show the picture of menu 2" }).waitFor();
    expect(await picture.count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
