import type { Browser, Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { readFaults } from "../../src/sandbox/faults.ts";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { useBrowser } from "../support/browser.ts";
import { violationsOf } from "../support/preview.ts";
import { call, create, sandboxFor } from "./client.ts";

const hostile =
  '"><script>document.title = "owned"</script><img src=x onerror=alert(1)>\u202E\u0007';

/** A sandbox with an example of everything that the page can show. */
async function busySandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const faults = readFaults(["503:Flaky"]);
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

  test("limits the requests, and shows the counts", async () => {
    const { url } = await sandboxFor();
    for (let i = 0; i < 60; i += 1) await create(url, { name: `A${i}` });
    const { text } = await call(url, { method: "GET", path: "/" });
    expect(text).toContain("60 menus, newest first.");
    expect(text.match(/<details/g)).toHaveLength(60);
    expect(text).toContain("The last 50 of 60 requests");
    expect(text.match(/<tr>/g)).toHaveLength(51);
  });
});

describe("the page in a browser", () => {
  const browser = useBrowser();

  async function open(url: string, options: Parameters<Browser["newPage"]>[0] = {}) {
    const page = await browser().newPage(options);
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

  const menu = (page: Page, index: number) => page.locator("details").nth(index);

  test("shows menus in words, newest first", async () => {
    const { url } = await busySandbox();
    const opened = await open(url);
    const { page, complaints } = opened;
    expect(await page.locator("details[open]").count()).toBe(4);
    expect(await menu(page, 0).innerText()).toContain("The second one");
    const support = await menu(page, 2).innerText();
    for (const words of [
      "→ अनिल देशपांडे (Support), SMS template 77",
      "→ Meera Joshi (Support, blocked)",
      "→ Front Desk (extension 500104)",
      "invalid_destination\n→ Front Desk (extension 500104)",
      "timeout_tries\n1",
      "timeout_retries\n3",
    ]) {
      expect(support).toContain(words);
    }
    const rows = await page.locator("tbody tr").allInnerTexts();
    expect(rows).toHaveLength(7);
    expect(rows[0]).toMatch(/POST \/x\s+404/);
    expect(rows[3]).toMatch(
      /POST \/v1\/ivr\s+Flaky\s+503 Fault simulated by the sandbox, fault 503:Flaky/,
    );
    // The policy allows the style.
    expect(await page.evaluate("getComputedStyle(document.body).margin")).toBe("0px");
    expect(complaints).toEqual([]);
  });

  test("a hostile name is shown as text", async () => {
    const { url } = await busySandbox();
    const opened = await open(url);
    const { page, complaints } = opened;
    expect(await menu(page, 1).locator("summary strong").innerText()).toBe(
      hostile.replace("\u202E", "\\u{202E}").replace("\u0007", "␇"),
    );
    expect(await page.title()).toBe("4 menus · ivrctl sandbox");
    expect(await page.locator("script, img").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test.for(["light", "dark"] as const)("%s: axe finds no violation", async (colorScheme) => {
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
    const [wide, narrow] = colorScheme === "light" ? [1280, 390] : [390, 1280];
    for (const [url, width] of [
      [busy.url, wide],
      [`${numbers.url}/#menu-3`, narrow],
      [empty.url, wide],
    ] as const) {
      const opened = await open(url, { colorScheme, viewport: { width, height: 800 } });
      const { page } = opened;
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(await violationsOf(page)).toEqual([]);
      // What a key reaches has room on every screen.
      const widths = page
        .locator("details[open] dd")
        .evaluateAll((all) => all.map((element) => element.clientWidth));
      expect(Math.min(200, ...(await widths))).toBeGreaterThan(150);
      grounds.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
    }
    expect(new Set(grounds)).toEqual(
      new Set([colorScheme === "light" ? "rgb(246, 247, 249)" : "rgb(20, 23, 27)"]),
    );
  });

  test("many menus are closed at first, and a link opens the menu that it points to", async () => {
    const { url } = await busySandbox();
    for (let i = 0; i < 20; i += 1) await create(url, { name: `Line ${i}` });
    await create(url, { name: "Last", option: ["1"], destination: ["ivr||2"] });
    const opened = await open(url, { viewport: { width: 390, height: 844 } });
    const { page, complaints } = opened;
    expect(await page.locator("details[open]").count()).toBe(0);
    // The keyboard opens a menu too.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "menu 2, “Support”" }).click();
    await page.getByText("Meera Joshi").first().waitFor();
    expect(await page.locator("details[open]").count()).toBe(2);
    expect(complaints).toEqual([]);
  });
});
