import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { git } from "../support/ci/repository.ts";
import { exampleProject, root, startIvrctl } from "../support/cli.ts";
import { violationsOf } from "../support/preview.ts";
import { until } from "../support/project.ts";

const browser = useBrowser();

/** Three towns that share their keys, and names in many scripts. */
const files = {
  "ivrs/towns/_defaults.yaml": `recording: welcome
options:
  1: { for: "Sales in {{town}}", agent: Asha Rao }
  3: { for: Billing, agent: Ravi Kumar, team: Billing }
invalid: { destination: Front Desk }
timeout: { destination: Front Desk }
`,
  ...Object.fromEntries(
    ["Pune", "ठाणे", "دبي"].map((town, at) => [
      `ivrs/towns/town-${at + 1}.yaml`,
      `name: ${town}\ndescription: Callers in ${town}\nvars: { town: ${town} }\nnumbers: ["+91202600100${at}"]\n`,
    ]),
  ),
};

/** Starts `ivrctl edit` and opens its page. */
async function openEditor(width: number) {
  const cwd = exampleProject(files);
  const file = join(cwd, "ivrctl.yaml");
  writeFileSync(
    file,
    `${readFileSync(join(root, "ivrctl.yaml"), "utf8")}sms_templates: { pay: "7" }\n`,
  );
  git(cwd, "init", "-q");
  git(cwd, "config", "user.name", "Somebody");
  git(cwd, "config", "user.email", "somebody@localhost");
  git(cwd, "add", "-A");
  git(cwd, "commit", "-q", "-m", "Before");
  const { printed } = startIvrctl(["edit", "--port", "0"], { cwd });
  await until(() => printed().includes("\n"));
  const context = await browser().newContext({ viewport: { width, height: 844 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", ({ message }) => complaints.push(message));
  // A browser complains about every refusal.
  const isRefusal = (text: string) => text.includes("409 (Conflict)");
  onTestFinished(() => expect(complaints.filter((text) => !isRefusal(text))).toEqual([]));
  await page.goto(printed().trim());
  await page.getByText("Edits are written to your files").waitFor({ state: "attached" });
  return { page, cwd };
}

/** The changed lines of the files since the last look. */
function diff(cwd: string): string[] {
  git(cwd, "add", "--intent-to-add", "-A");
  const lines = git(cwd, "diff", "-U0", "--no-renames").split("\n");
  const changed = lines.filter((line) => /^[-+](?![-+])/.test(line));
  git(cwd, "commit", "-q", "-a", "-m", "Edit");
  return changed;
}

/** What has the focus, as a screen reader calls it. */
const focused = `(() => {
  const { activeElement: at } = document;
  const label = [...document.querySelectorAll("label")].find((one) => one.control === at);
  return (at.getAttribute("aria-label") ?? label?.textContent ?? at.textContent).trim();
})()`;

/** Presses Tab until something with this name has the focus. */
async function tabTo(page: Page, name: RegExp, selector = "*"): Promise<void> {
  for (let tabs = 0; tabs < 120; tabs += 1) {
    await page.keyboard.press("Tab");
    const isAt = await page.evaluate(`document.activeElement.matches("${selector}")`);
    if (isAt === true && name.test(String(await page.evaluate(focused)))) return;
  }
  expect.unreachable(`Tab does not reach ${name}`);
}

async function press(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press("Enter");
}

async function openMenu(page: Page, name: string): Promise<void> {
  await page.keyboard.press("/");
  await page.locator("#search:focus").waitFor();
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name, level: 1 }).waitFor();
}

/** Chooses a person in the form that is open. */
async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole("combobox", { name: /Goes to|key|Silence|Instead/ }).waitFor();
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await page.locator(".chip:focus").waitFor();
}

async function fill(page: Page, label: RegExp, text: string): Promise<void> {
  await tabTo(page, label);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(text);
}

/** Sends the form, and waits until it is written. */
async function submit(page: Page): Promise<void> {
  const form = page.locator("form.form");
  await tabTo(page, /./, "form [type=submit]");
  await page.keyboard.press("Enter");
  await form.waitFor({ state: "detached" });
}

/** What axe finds, in both color schemes. */
async function violationsInBoth(page: Page): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await violationsOf(page)));
  }
  return found;
}

describe("everyday edits with the keyboard alone", () => {
  test.each([1280, 390])("%i wide, light and dark", async (width) => {
    const { page, cwd } = await openEditor(width);

    // Who answers key 3 in one town.
    await openMenu(page, "ठाणे");
    await press(page, /^Edit key 3/);
    await press(page, /Choose again/);
    await choose(page, "अनिल");
    expect(await violationsInBoth(page)).toEqual([]);
    await submit(page);
    expect(await page.evaluate(focused)).toMatch(/^Edit key 3/);
    await page.getByText("Callers notice nothing until this is merged and applied.").waitFor();
    expect(diff(cwd)).toEqual(["+options: { 3: { for: Billing, agent: अनिल देशपांडे } }"]);

    // Who answers key 1 in all towns.
    await openMenu(page, "Pune");
    await press(page, /^Edit key 1/);
    await press(page, /Choose again/);
    await choose(page, "ravi sales");
    await tabTo(page, /^Only in Pune/);
    await page.keyboard.press("ArrowDown");
    await submit(page);
    expect(diff(cwd)).toEqual([
      '-  1: { for: "Sales in {{town}}", agent: Asha Rao }',
      '+  1: { for: "Sales in {{town}}", agent: Ravi Kumar, team: Sales }',
    ]);

    // A new key.
    await openMenu(page, "Front desk");
    await press(page, /Add a key$/);
    await choose(page, "anil 1006".replace("anil", "अनिल"));
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.type("Support");
    await submit(page);
    expect(diff(cwd)).toEqual(["+  3: { for: Support, agent: अनिल देशपांडे }"]);

    // Removed again.
    await press(page, /^Edit key 3/);
    await press(page, /^Remove key 3/);
    await submit(page);
    expect(diff(cwd)).toEqual(["-  3: { for: Support, agent: अनिल देशपांडे }"]);

    // What callers hear.
    await press(page, /^Edit what callers hear/);
    await fill(page, /^What the recording says/, "Namaste. नमस्ते.");
    expect(await violationsInBoth(page)).toEqual([]);
    await submit(page);
    expect(diff(cwd).at(-1)).toBe("+    says: Namaste. नमस्ते.");

    // How long the menu waits.
    await press(page, /^Edit 3 times 5 seconds of silence/);
    await fill(page, /^Time to press a key/, "8");
    await submit(page);
    expect(diff(cwd).join()).toContain("wait: 8");

    // A name and a number.
    await openMenu(page, "دبي");
    await press(page, /^Edit name and numbers/);
    await fill(page, /^Name$/, "دبي مول");
    await fill(page, /^Phone numbers/, "+971 4 123 4567");
    expect(await violationsInBoth(page)).toEqual([]);
    await submit(page);
    expect(diff(cwd).filter((line) => line.startsWith("+"))).toEqual([
      "+name: دبي مول",
      expect.stringContaining("+97141234567"),
    ]);

    // A person everywhere.
    await page.evaluate("location.hash = '#people'");
    await page.getByRole("heading", { name: "People", level: 1 }).waitFor();
    await press(page, /^Replace अनिल देशपांडे everywhere/);
    await choose(page, "front");
    expect(await violationsInBoth(page)).toEqual([]);
    await submit(page);
    expect(diff(cwd)).toEqual([
      "-options: { 3: { for: Billing, agent: अनिल देशपांडे } }",
      "+options: { 3: { for: Billing, agent: Front Desk } }",
    ]);
  });
});

test("a refused edit says why, and Undo and a saved branch leave nothing behind", async () => {
  const { page, cwd } = await openEditor(1280);
  await openMenu(page, "Front desk");
  await press(page, /^Edit key 1/);
  await press(page, /Choose again/);
  await page.keyboard.type("meera");
  // A blocked agent cannot be chosen.
  await page.keyboard.press("Enter");
  expect(await page.locator(".choice").getAttribute("aria-disabled")).toBe("true");
  await page.keyboard.press("Escape");
  await press(page, /^Edit key 2/);
  await fill(page, /^Key$/, "1");
  await press(page, /^Change$/);
  expect(await page.getByRole("alert").innerText()).toMatch(/^Not written\./);
  await page.keyboard.press("Escape");
  await press(page, /^Edit key 2/);
  await press(page, /Choose again/);
  await choose(page, "asha");
  await submit(page);
  // A test fails now, and can expect what happens now.
  const review = page.getByRole("complementary");
  await review.getByText("1 test fails").waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await review.waitFor({ state: "detached" });
  expect(git(cwd, "status", "--porcelain")).toBe("");
  await press(page, /^Edit key 2/);
  await press(page, /Choose again/);
  await choose(page, "asha");
  await submit(page);
  await review.getByRole("link", { name: "Review" }).click();
  await page.getByRole("button", { name: "Expect Asha Rao" }).click();
  await review.getByText("all tests pass").waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await review.getByRole("button", { name: "Save as branch…" }).click();
  expect(await violationsInBoth(page)).toEqual([]);
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved on branch change-example").waitFor();
  expect(git(cwd, "status", "--porcelain")).toBe("");
  expect(git(cwd, "log", "-1", "--format=%s")).toBe(
    "Front desk, key 2 (Billing): Ravi Kumar (Billing) → Asha Rao",
  );
});
