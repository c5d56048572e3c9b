import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { git } from "../support/ci/repository.ts";
import { exampleProject, folder, root } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { openPreview, violationsOf, walkOf } from "../support/preview.ts";
import { menu } from "../support/project.ts";

const browser = useBrowser();

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** A menu with a blocked agent and a warning that comes before the error in its file. */
const blocked = menu("Night").replace(
  "options: { 1: Asha Rao }",
  "options: { 1: { for: Doctor, agent: Asha Rao }, 2: { for: Nurse, agent: Meera Joshi } }",
);

async function styleOf(page: Page, selector: string, property: string): Promise<unknown> {
  return page.evaluate(
    `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`,
  );
}

describe("the overview", () => {
  test("lists the worst problems first, each once, with its menus and its place", async () => {
    const cwd = exampleProject({ "ivrs/night.yaml": blocked, "ivrs/a.yaml": menu("A") });
    const page = await openPreview(browser(), { cwd });
    await page.getByText("1 error, 2 warnings", { exact: true }).click();
    const faulty = await page.locator(".problems .findings > li").allInnerTexts();
    expect(faulty.map((text) => text.replace(/\s+/g, " "))).toEqual([
      expect.stringMatching(
        /^error IVR304 blocked-agent Meera Joshi is blocked .* Night ivrs\/night\.yaml:4:/,
      ),
      expect.stringMatching(
        /^warning IVR703 zero-not-operator Key 0 is not an option.* A, Night Add/,
      ),
    ]);
    // The way to the overview is a link that looks like one.
    await page.getByRole("link", { name: "Night" }).first().click();
    await page.locator("section.call").waitFor();
    expect(await styleOf(page, ".tabs a", "textDecorationLine")).toBe("underline");
    await page.getByRole("link", { name: "Overview" }).click();
    await page.locator(".problems").waitFor();
  });

  test("a project with one menu opens that menu, with the problems of the project", async () => {
    const config = `version: 1\ndefault_environment: sandbox\nenvironments: { sandbox: { service: sandbox } }\n`;
    const cwd = exampleProject({
      "ivrctl.yaml": `${config}colour: red\n`,
      "ivrs/example.yaml": menu("One"),
    });
    const page = await openPreview(browser(), { cwd });
    expect(await page.locator("h1").innerText()).toBe("One");
    expect(await page.locator("section.project").innerText()).toContain("colour");
    expect(await page.locator("nav[aria-label=Menus]").count()).toBe(0);
  });

  test("the list begins with the menus where calls begin, then goes by folder", async () => {
    const cwd = exampleProject({
      "ivrs/z.yaml": menu("Start", "{ menu: b/two }"),
      "ivrs/b/two.yaml": menu("Two", "{ menu: a/one }"),
      "ivrs/a/one.yaml": menu("One"),
    });
    const page = await openPreview(browser(), { cwd });
    expect(await page.locator("#menus :is(summary, .name)").allInnerTexts()).toEqual([
      "Calls begin here 2",
      "Front desk",
      "Start",
      "a 1",
      "One",
      "b 1",
      "Two",
    ]);
    // A search begins at its first hit.
    await page.getByRole("searchbox").fill("two");
    expect(await page.locator("#menus .name").allInnerTexts()).toEqual(["Two", "Start"]);
    expect(await page.locator("#menus .why").allInnerTexts()).toEqual(["1 → b/two"]);
  });

  test("begins with phone numbers, whom they reach, and the flow of the chosen one", async () => {
    const call = 'numbers: ["+912241234567"]';
    const cwd = exampleProject({
      "ivrs/main.yaml": menu("Main", "{ menu: town/t17 }", call),
      "ivrs/town/t17.yaml": menu("Town 17", "{ menu: town/t2 }"),
      "ivrs/town/t2.yaml": menu("Town 2", "{ agent: Ravi Kumar, team: Billing }"),
    });
    const page = await openPreview(browser(), { cwd });
    const rows = await page.locator("section.numbers li").allInnerTexts();
    expect(rows.map((row) => row.replace(/\s+/g, " "))).toEqual([
      "+91 22 4123 4567 → Main reaches Front Desk, Ravi Kumar · 3 menus · 3 warnings Call",
      expect.stringMatching(/^Front desk reaches Asha Rao, Ravi Kumar, Front Desk Call$/),
    ]);
    expect(await page.locator("#menus details").last().locator(".name").allInnerTexts()).toEqual([
      "Town 2",
      "Town 17",
    ]);
    await page.getByRole("button", { name: /^Front desk/ }).click();
    expect(await page.locator("svg title").textContent()).toBe("Front desk");
    await page.getByRole("button", { name: "+91" }).click();
    // The boxes of the flow are links. A number is found as people write it, and a key by its person.
    expect(await page.locator("svg a[href='#/town/t2']").count()).toBe(1);
    const search = page.getByRole("searchbox");
    await search.fill("4123 4567");
    expect(await page.locator("#menus li").allInnerTexts()).toEqual([
      expect.stringMatching(/^Main[^]*4123 4567$/),
    ]);
    await search.fill("1 ravi");
    expect(await page.locator("#menus .why").first().innerText()).toBe("1 → Ravi Kumar");
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Call Main" }).click();
    await page.locator("section.call").waitFor();
  });
});

describe("one menu", () => {
  test("shows errors first, and keeps the border of a blocked agent", async () => {
    const page = await openPreview(browser(), {
      cwd: exampleProject({ "ivrs/night.yaml": blocked }),
      hash: "#/night",
    });
    const titles = await page.locator("section.checks li strong").allInnerTexts();
    expect(titles.map((title) => title.split(" ")[0])).toEqual(["error", "warning"]);
    const border = "svg .place.blocked > rect";
    const color = await styleOf(page, border, "stroke");
    // The keypad warns before the call.
    await page.getByRole("button", { name: "2 Nurse blocked" }).click();
    await page.locator("svg .place.blocked.taken").waitFor();
    expect(await styleOf(page, border, "stroke")).toBe(color);
  });

  test.each([1280, 390])("at %i px, the keys never move during a call", async (width) => {
    const cwd = folder({});
    cpSync(join(root, "examples/flow"), cwd, { recursive: true });
    const options = { viewport: { width, height: 844 } };
    const page = await openPreview(browser(), { cwd, hash: "#/main", options });
    const places = new Set<string>();
    const look = async () =>
      places.add(JSON.stringify(await page.locator('[data-press="1"]').boundingBox()));
    await look();
    for (const key of "9s112") {
      await page.keyboard.press(key);
      await look();
    }
    expect(await page.locator(".screen.ended").count()).toBe(1);
    expect([...places]).toHaveLength(1);
  });

  test("a key to a menu with errors is marked on the keypad, in the table and in the picture", async () => {
    const cwd = exampleProject({
      "ivrs/main.yaml": menu("Main", "{ menu: sales }"),
      "ivrs/sales.yaml": "name: [\n",
      "ivrs/first.yaml": menu("First", "{ menu: second }"),
      "ivrs/second.yaml": menu("Second", "Nobody Here"),
    });
    const page = await openPreview(browser(), { cwd, hash: "#/first" });
    // A menu that can be called can have errors too.
    expect(await page.getByRole("button", { name: "1 second error" }).count()).toBe(1);
    expect(await page.locator("svg .menu.fault").textContent()).toBe("Secondsecondhas errors");
    await page.goto(page.url().replace("first", "main"));
    expect(await page.getByRole("button", { name: "1 sales error" }).count()).toBe(1);
    expect(await page.locator("section.sheet .row:has(.mark.error)").innerText()).toContain(
      "has errors",
    );
    expect(await page.locator("svg .menu.fault").textContent()).toContain("has errors");
    await page.keyboard.press("1");
    expect(await page.locator(".screen.failed").innerText()).toContain("Not connected: menu sales");
  });

  test("on a phone, the keypad is on the first screen, and the list opens on demand", async () => {
    const page = await openPreview(browser(), {
      cwd: exampleProject({ "ivrs/night.yaml": blocked }),
      hash: "#/night",
      options: phone,
    });
    expect(await page.locator(".shortcuts").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Try it" }).click();
    const keypad = await page.getByRole("group", { name: "Keypad", exact: true }).boundingBox();
    expect((keypad?.y ?? 0) + (keypad?.height ?? 0)).toBeLessThan(844);
    const list = page.locator("#menus");
    expect(await list.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menus", exact: true }).click();
    expect(await list.locator("li:visible").count()).toBe(2);
    await list.getByRole("link", { name: "Front desk" }).click();
    await page.locator("h1", { hasText: "Front desk" }).waitFor();
    expect(await list.isVisible()).toBe(false);
    expect(await violationsOf(page)).toEqual([]);
  });
});

test("a call continues in another menu, with a way back", async () => {
  const cwd = folder({});
  cpSync(join(root, "examples/flow"), cwd, { recursive: true });
  const page = await openPreview(browser(), { cwd, hash: "#/main" });
  await page.keyboard.type("91");
  // The page stays, and the keypad is that of the menu that the caller is in.
  expect(await page.locator("h1").innerText()).toBe("Main");
  expect(await page.locator("section.call").innerText()).toContain("Other countries");
  // The map stays, and the path of the call lights up. The trail leads back.
  expect(await page.locator("svg .here .name").allTextContents()).toEqual(["Sales"]);
  expect(await page.locator("svg .menu.taken .name").allTextContents()).toEqual(["Main", "Sales"]);
  await page.locator(".trail button", { hasText: "Main" }).click();
  expect(await walkOf(page)).toEqual([]);
  await page.keyboard.type("912");
  expect((await page.locator("svg .taken text").allTextContents()).join(" ")).toContain(
    "Other countries",
  );
  const back = page.getByRole("button", { name: "Go back" });
  await back.click();
  expect(await page.locator(".trail").innerText()).toContain("Sales");
  await back.click();
  await back.click();
  expect(await walkOf(page)).toEqual([]);
  // The boxes of menus are links.
  expect(await page.locator("svg a[href='#/sales/world']").count()).toBe(1);
  await page.locator(".sheet").getByRole("link", { name: "Sales" }).click();
  await page.locator("h1", { hasText: "Sales" }).waitFor();
});

describe("what callers hear", () => {
  const config = (fields: string) => `version: 1
default_environment: sandbox
environments: { sandbox: { service: sandbox } }
recordings:
  "w": { id: "10", says: Namaste, seconds: 2.5, language: hi }
  invalid: { id: "11", says: Not in use${fields} }
`;

  test("is spoken in its language on request", async () => {
    const cwd = exampleProject({ "ivrctl.yaml": config(""), "ivrs/m.yaml": menu("M") });
    const page = await openPreview(browser(), { cwd, hash: "#/m" });
    await page.evaluate(
      "window.spoken = []; speechSynthesis.speak = ({ text, lang }) => spoken.push([text, lang]);",
    );
    const hear = page.getByRole("button", { name: "Hear it" });
    await hear.first().click();
    await page.keyboard.press("9");
    expect(await page.evaluate("spoken")).toEqual([["Namaste", "hi"]]);
    await hear.last().click();
    expect(await page.evaluate("spoken.at(-1)")).toEqual(["Not in use", ""]);
  });
});

describe("compared with a revision", () => {
  /** A project whose last commit has other menus than its files. */
  function changedProject(): string {
    const old = (name: string) => menu(name).replace("options: { 1: Asha Rao }", oldOptions);
    const cwd = exampleProject({
      "ivrs/desk.yaml": old("Desk"),
      "ivrs/gone.yaml": menu("Gone"),
      "ivrs/same.yaml": menu("Same"),
    });
    git(cwd, "init", "-q");
    git(cwd, "add", "-A");
    git(cwd, "commit", "-q", "-m", "Before");
    rmSync(join(cwd, "ivrs/gone.yaml"));
    writeFileSync(join(cwd, "ivrs/new.yaml"), menu("New"));
    const desk = old("Desk").replace("agent: Asha Rao }", "agent: Ravi Kumar, team: Billing }");
    writeFileSync(
      join(cwd, "ivrs/desk.yaml"),
      desk.replace("9: Front Desk", "3: Front Desk").replace("A menu called", "The menu"),
    );
    return cwd;
  }

  const oldOptions = `options:
  1: Front Desk
  2: { for: Billing, agent: Asha Rao }
  9: Front Desk`;

  const rows = async (page: Page) =>
    (await page.locator(".row:has(.mark)").allInnerTexts()).map((row) => row.replace(/\s+/g, " "));

  test("lists changed menus first, marks differences, and calls both versions at once", async () => {
    const cwd = changedProject();
    const page = await openPreview(browser(), { cwd, args: ["--base", "HEAD"] });
    // The same words as `diff` and `plan`.
    const diff = (await ivrctl(["diff"], { cwd })).stdout.replace(/\s+/g, " ");
    const shown = page.locator("section.changes .reasons li");
    for (const line of await shown.allInnerTexts()) expect(diff).toContain(line);
    expect(await shown.count()).toBe(6);
    expect(await page.locator("nav li .name").allInnerTexts()).toEqual([
      "Desk",
      "Front desk",
      "New",
      "Same",
      "Gone",
    ]);
    await page.locator("section.changes").getByRole("link", { name: "Desk" }).click();
    await page.locator("section.call").waitFor();
    expect(await page.locator("section.changes").innerText()).toContain("Asha Rao → Ravi Kumar");
    expect(await rows(page)).toEqual([
      expect.stringMatching(/^2 Billing .*Asha Rao Ravi Kumar Billing.* changed$/),
      "3 FD Front Desk 1004 new",
      "9 FD Front Desk 1004 removed",
    ]);
    // The picture marks the same.
    expect(
      await page.locator("svg .place:is(.added, .changed, .removed)").allTextContents(),
    ).toEqual([
      "Ravi KumarBillingwas Asha Rao",
      "Front Deskextension 500104new",
      "Front Deskextension 500104removed",
    ]);
    await page.keyboard.press("2");
    const screens = page.locator(".screen");
    expect(await screens.allInnerTexts()).toEqual([
      expect.stringMatching(/^Before\s+Connected to Asha Rao/),
      expect.stringMatching(/^Now\s+Connected to Ravi Kumar/),
    ]);
    await page.keyboard.type("r1");
    expect(await screens.allInnerTexts()).toEqual([
      expect.stringMatching(/^Connected to Front Desk/),
    ]);
    // Before, key 9 ended the call. Now it is a wrong key, and the new call goes on.
    await page.keyboard.type("r92");
    expect(await screens.allInnerTexts()).toEqual([
      expect.stringMatching(/^Before\s+Connected to Front Desk/),
      expect.stringMatching(/^Now\s+Connected to Ravi Kumar/),
    ]);
    const next = page.getByRole("link", { name: "Next change" });
    await next.click();
    await page.locator("h1", { hasText: "Gone" }).waitFor();
    await page.getByRole("heading", { name: "Call this menu as it was" }).waitFor();
    await next.click();
    await page.locator("h1", { hasText: "New" }).waitFor();
  });

  test("shows changes of the menu on screen, new texts, and a menu with an error", async () => {
    const config = (says: string) => `version: 1
default_environment: sandbox
environments: { sandbox: { service: sandbox } }
recordings:
  "w": { id: "10", says: ${says} }
  invalid: { id: "11", says: Not in use }
`;
    const cwd = exampleProject({
      "ivrctl.yaml": config("For help press 1"),
      "ivrs/broken.yaml": menu("Broken"),
      "ivrs/main.yaml": menu("Main", "{ menu: sub }"),
      "ivrs/sub.yaml": menu("Sub"),
      "ivrs/old.yaml": menu("Old", "{ menu: older }"),
      "ivrs/older.yaml": menu("Older").replace("recording: ", "recording: { id: '77' } # "),
    });
    rmSync(join(cwd, "ivrs/example.yaml"));
    git(cwd, "init", "-q");
    git(cwd, "add", "-A");
    git(cwd, "commit", "-q", "-m", "Before");
    writeFileSync(join(cwd, "ivrctl.yaml"), config("For help press 2"));
    writeFileSync(join(cwd, "ivrs/broken.yaml"), "name: [\n");
    for (const gone of ["old", "older"]) rmSync(join(cwd, `ivrs/${gone}.yaml`));
    writeFileSync(join(cwd, "ivrs/sub.yaml"), menu("Sub", "Front Desk"));
    const page = await openPreview(browser(), { cwd, args: ["--base", "HEAD"], hash: "#/main" });
    expect(await page.getByRole("region", { name: "Callers hear" }).innerText()).toMatch(
      /record again\s+▶?\s*“?For help press 2”?\s+For help press 1\s+The prompt announces key 2/,
    );
    expect(await page.locator("section.changes").innerText()).not.toContain("Front Desk");
    await page.locator("nav").getByRole("link", { name: "Sub" }).click();
    await page.locator("h1", { hasText: "Sub" }).waitFor();
    expect(await page.locator("section.changes").innerText()).toContain("Asha Rao → Front Desk");
    await page.locator("nav").getByRole("link", { name: "Broken" }).click();
    await page.getByRole("heading", { name: "Last valid version" }).waitFor();
    expect(await page.locator("section.changes li").allInnerTexts()).toEqual([
      "cannot be compared: 1 error",
    ]);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Recordings" }).click();
    expect(
      await page.locator("section.script li", { hasText: "For help" }).first().innerText(),
    ).toContain("Record again.");
    // Callers no longer hear what only deleted menus play, and a call of one goes on in another.
    expect(await page.locator("section.script").innerText()).not.toContain("77");
    await page
      .locator("nav")
      .getByRole("link", { name: /^Old deleted/ })
      .click();
    await page.getByRole("heading", { name: "Call this menu as it was" }).waitFor();
    await page.keyboard.press("1");
    await page.locator(".trail", { hasText: "Older" }).waitFor();
  });

  // The page of a project is tested with the other two combinations.
  test.for([
    ["dark", 1280],
    ["light", 390],
  ] as const)("%s, %i wide: axe finds no violation", async ([colorScheme, width]) => {
    const page = await openPreview(browser(), {
      cwd: changedProject(),
      args: ["--base", "HEAD"],
      options: { colorScheme, viewport: { width, height: 800 } },
    });
    for (const hash of ["#/", "#/desk", "#/gone"]) {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      const there = hash === "#/" ? "section.changes" : `[href="${hash}"][aria-current]`;
      await page.locator(there).waitFor({ state: "attached" });
      await page.keyboard.press("2");
      expect(await violationsOf(page)).toEqual([]);
    }
  });

  test("reports a revision that does not exist, and writes no page", async () => {
    const { exit, stderr } = await ivrctl(["preview", "--base", "nope", "--out", "site"], {
      cwd: changedProject(),
    });
    expect(exit).toBe(1);
    expect(stderr).toContain("IVR641");
    expect(stderr).not.toContain("Wrote");
  });
});
