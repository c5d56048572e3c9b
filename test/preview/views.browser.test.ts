import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { git } from "../support/ci/repository.ts";
import { exampleProject, folder, root } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { openPreview, violationsOf } from "../support/preview.ts";
import { menu } from "../support/project.ts";

const browser = useBrowser();

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** A menu with a blocked agent and a warning that comes before the error in its file. */
const blocked = menu("Night").replace(
  "options: { 1: Asha Rao }",
  "options: { 1: { for: Doctor, agent: Asha Rao }, 2: { for: Nurse, agent: Meera Joshi } }",
);

describe("the pages", () => {
  test("problems are one sentence each, the worst first, with their menus and code on click", async () => {
    const cwd = exampleProject({ "ivrs/night.yaml": blocked, "ivrs/a.yaml": menu("A") });
    const page = await openPreview(browser(), { cwd, hash: "#problems" });
    const lines = page.locator("main .items > li");
    const texts = async () =>
      (await lines.allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
    expect(await texts()).toEqual([
      expect.stringMatching(/^error Meera Joshi is blocked [^A-Z]* Night$/),
      expect.stringMatching(/^warning Key 0 is not an option.* A, Night$/),
    ]);
    await lines.first().locator("summary").click();
    expect((await texts())[0]).toMatch(/IVR304 blocked-agent$/);
    expect((await texts())[0]).toContain("ivrs/night.yaml:4:");
    await lines.first().getByRole("link", { name: "Night" }).click();
    await page.locator(".try").waitFor();
  });

  test("a project with one menu opens that menu, and the problems of the project have a page", async () => {
    const config = `version: 1\ndefault_environment: sandbox\nenvironments: { sandbox: { service: sandbox } }\n`;
    const cwd = exampleProject({
      "ivrctl.yaml": `${config}colour: red\n`,
      "ivrs/example.yaml": menu("One"),
    });
    const page = await openPreview(browser(), { cwd });
    expect(await page.locator("h1").innerText()).toBe("One");
    await page.getByRole("link", { name: "Problems 2" }).click();
    expect(await page.locator("main .items").innerText()).toContain("colour");
  });

  test("the side bar is a tree by number, then folders that fold", async () => {
    const towns = Array.from({ length: 6 }, (_, at) => [
      `ivrs/towns/t${at + 1}.yaml`,
      menu(`Town ${at + 1}`, "Asha Rao", `numbers: ["+9120260010${10 + at}"]`),
    ]);
    const cwd = exampleProject({
      "ivrs/main.yaml": menu(
        "Main",
        "{ menu: b/two }",
        'numbers: ["+912241234567", "+912241234568"]',
      ),
      "ivrs/b/two.yaml": menu("Two", "{ menu: a/one }"),
      "ivrs/a/one.yaml": menu("One"),
      ...Object.fromEntries(towns),
    });
    const page = await openPreview(browser(), { cwd });
    const shown = page.locator("#menus section :is(.group, li)");
    const towns6 = [1, 2, 3, 4, 5, 6].map((at) => `Town ${at}`);
    expect((await shown.allInnerTexts()).map((text) => text.replace(/\s+/g, " "))).toEqual([
      "+91 22 4123 4567 and 1 more",
      "Main",
      "Two",
      "One",
      "Without a number",
      "Front desk",
      "towns 6",
      ...towns6,
    ]);
    expect(await page.locator("#menus .depth-2").innerText()).toBe("One");
    await page.getByRole("button", { name: "towns 6" }).click();
    expect(await shown.count()).toBe(7);
    // A search begins at its first hit, and says why it is one.
    const search = page.getByRole("searchbox");
    await search.fill("two");
    expect(await page.locator("#menus .name").allInnerTexts()).toEqual(["Two", "Main"]);
    expect(await page.locator("#menus .why").allInnerTexts()).toEqual(["1 → b/two"]);
    // A number is found as people write it, and a key by its person.
    await search.fill("4123 4567");
    expect(await page.locator("#menus li").allInnerTexts()).toEqual([
      expect.stringMatching(/^Main[^]*4123 4567$/),
    ]);
  });

  test("numbers have one line each menu, and a flow with every edge", async () => {
    const cwd = exampleProject({
      "ivrs/main.yaml": menu("Main", "{ menu: town/t17 }", 'numbers: ["+912241234567"]'),
      "ivrs/town/t17.yaml": menu("Town 17", "{ menu: town/t2 }"),
      "ivrs/town/t2.yaml": menu("Town 2", "{ menu: main }"),
    });
    const page = await openPreview(browser(), { cwd });
    const rows = await page.locator("main .items > li").allInnerTexts();
    expect(rows.map((row) => row.replace(/\s+/g, " "))).toEqual([
      "Main +91 22 4123 4567 reaches Front Desk · 3 menus Flow",
      "Front desk without a number reaches Asha Rao, Ravi Kumar, Front Desk Flow",
    ]);
    await page.getByRole("link", { name: "Flow of Main" }).click();
    await page.locator("h1", { hasText: "Flow of Main" }).waitFor();
    const turns = await page.locator(".turn").allInnerTexts();
    expect(turns.map((turn) => turn.replace(/\s+/g, " ").trim())).toEqual([
      "1 ☰ Town 17 menu · 1 key",
      "1 ☰ Town 2 menu · 1 key",
      "1 ☰ Main menu · 1 key its keys are elsewhere in this list",
      "wrong keys, silence FD Front Desk 1004",
      "wrong keys, silence FD Front Desk 1004",
      "wrong keys, silence FD Front Desk 1004",
    ]);
    expect(await violationsOf(page)).toEqual([]);
    await page.locator(".flow").getByRole("link", { name: "Town 2" }).click();
    await page.locator(".try").waitFor();
  });
});

describe("one menu", () => {
  test("shows errors first, and warns of a blocked agent before the call", async () => {
    const page = await openPreview(browser(), {
      cwd: exampleProject({ "ivrs/night.yaml": blocked }),
      hash: "#/night",
    });
    expect(await page.locator(".checks .dot").allInnerTexts()).toEqual(["error", "warning"]);
    await page.getByRole("button", { name: "2 Nurse blocked" }).click();
    expect(await page.locator(".row", { hasText: "Nurse" }).innerText()).toContain("blocked");
  });

  test.each([1280, 390])("at %i px, the keys never move during a call", async (width) => {
    const cwd = folder({});
    cpSync(join(root, "examples/flow"), cwd, { recursive: true });
    const options = { viewport: { width, height: 844 } };
    const page = await openPreview(browser(), { cwd, hash: "#/main", options });
    if (width < 700) await page.getByRole("button", { name: "Try it" }).click();
    const places = new Set<string>();
    const look = async () =>
      places.add(JSON.stringify(await page.locator('[data-press="1"]').boundingBox()));
    await look();
    for (const key of "9s112") {
      await page.keyboard.press(key);
      await look();
    }
    expect(await page.locator(".end").count()).toBe(1);
    expect([...places]).toEqual([expect.stringMatching(/^{/)]);
  });

  test("a key to a menu with errors is marked on the keypad, in its row and in the flow", async () => {
    const cwd = exampleProject({
      "ivrs/main.yaml": menu("Main", "{ menu: sales }"),
      "ivrs/sales.yaml": "name: [\n",
      "ivrs/first.yaml": menu("First", "{ menu: second }"),
      "ivrs/second.yaml": menu("Second", "Nobody Here"),
    });
    const page = await openPreview(browser(), { cwd, hash: "#/first" });
    // A menu that can be called can have errors too.
    expect(await page.getByRole("button", { name: "1 second has errors" }).count()).toBe(1);
    await page.goto(page.url().replace("#/first", "#flow/first"));
    expect(await page.locator(".turn .pill").allInnerTexts()).toEqual([
      "has errors",
      "not on the agent list",
    ]);
    await page.goto(page.url().replace("#flow/first", "#/main"));
    expect(await page.locator(".row .pill").allInnerTexts()).toEqual(["has errors"]);
    await page.keyboard.press("1");
    expect(await page.locator(".end.bad").innerText()).toContain("Not connected: menu sales");
  });

  test("on a phone, the keypad is on the first screen, and the list opens on demand", async () => {
    const page = await openPreview(browser(), {
      cwd: exampleProject({ "ivrs/night.yaml": blocked }),
      hash: "#/night",
      options: phone,
    });
    await page.getByRole("button", { name: "Try it" }).click();
    const keypad = await page.getByRole("group", { name: "Keypad", exact: true }).boundingBox();
    expect((keypad?.y ?? 0) + (keypad?.height ?? 0)).toBeLessThan(844);
    const list = page.locator("#menus");
    expect(await list.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menus", exact: true }).click();
    await list.getByRole("link", { name: "Front desk" }).click();
    await page.locator("h1", { hasText: "Front desk" }).waitFor();
    expect(await list.isVisible()).toBe(false);
    expect(await violationsOf(page)).toEqual([]);
  });
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
    (await page.locator(".row:has(.pill)").allInnerTexts()).map((row) => row.replace(/\s+/g, " "));

  test("begins with the changes, marks differences, and calls both versions at once", async () => {
    const cwd = changedProject();
    const page = await openPreview(browser(), { cwd, args: ["--base", "HEAD"] });
    // The same words as `diff` and `plan`.
    const diff = (await ivrctl(["diff"], { cwd })).stdout.replace(/\s+/g, " ");
    const shown = page.locator(".change .lines li");
    const lines = (await shown.allInnerTexts()).map((line) => line.replace(/\s+/g, " "));
    for (const line of lines) expect(diff).toContain(line);
    expect(lines).toHaveLength(5);
    expect(await page.locator("nav section .name").allInnerTexts()).toEqual([
      "Desk",
      "Front desk",
      "New",
      "Same",
      "Gone",
    ]);
    expect(await page.locator("nav section .dot").allInnerTexts()).toEqual([
      "changed",
      "new",
      "deleted",
    ]);
    await page.locator(".change").getByRole("link", { name: "Desk" }).click();
    await page.locator(".try").waitFor();
    expect(await page.locator("article > header").innerText()).toContain("The menu Desk");
    expect(await page.locator("article > header .was").innerText()).toBe("A menu called Desk");
    expect(await rows(page)).toEqual([
      expect.stringMatching(/^2 Billing .*Asha Rao Ravi Kumar Billing · 1002 changed$/),
      "3 FD Front Desk 1004 new",
      "9 FD Front Desk 1004 removed",
    ]);
    await page.keyboard.press("2");
    const end = page.locator(".end b");
    const before = page.locator(".before");
    expect(await end.innerText()).toBe("Connected to Ravi Kumar");
    expect(await before.innerText()).toBe("Before the change: Connected to Asha Rao");
    await page.keyboard.type("r1");
    expect(await end.innerText()).toBe("Connected to Front Desk");
    expect(await before.count()).toBe(0);
    // Before, key 9 ended the call. Now it is a wrong key, and the new call goes on.
    await page.keyboard.type("r92");
    expect(await end.innerText()).toBe("Connected to Ravi Kumar");
    expect(await before.innerText()).toBe("Before the change: Connected to Front Desk");
    await page.locator("nav").getByRole("link", { name: "Gone" }).click();
    await page.getByText("This menu is deleted. It is shown as it was.").waitFor();
  });

  test("a default that changes is one line, and no dot on its menus", async () => {
    const cwd = folder({});
    cpSync(join(root, "examples/shops"), cwd, { recursive: true });
    git(cwd, "init", "-q");
    git(cwd, "add", "-A");
    git(cwd, "commit", "-q", "-m", "Before");
    const file = join(cwd, "ivrs/shops/_defaults.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("wait: 5", "wait: 9"));
    const page = await openPreview(browser(), { cwd, args: ["--base", "HEAD"] });
    expect(await page.locator(".change").allInnerTexts()).toEqual([
      expect.stringMatching(/^4 shops[^]*time to press a key: 5 → 9 s$/),
    ]);
    expect(await page.locator("nav .dot").count()).toBe(0);
    await page.locator(".change summary").click();
    expect(await page.locator(".change a").count()).toBe(4);
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
      /For help press 1\s+For help press 2\s+record again\s+The prompt announces key 2/,
    );
    await page.getByRole("link", { name: "Changes" }).click();
    expect(
      (await page.locator(".change").allInnerTexts()).map((text) => text.replace(/\s+/g, " ")),
    ).toContain("Broken cannot be compared: 1 error");
    expect(await page.locator("main").innerText()).toContain("1 recording must be recorded again.");
    await page.locator("nav").getByRole("link", { name: "Broken" }).click();
    await page.getByText("This is the last version without errors.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Recordings" }).click();
    // Callers no longer hear what only deleted menus play, and a call of one goes on in another.
    expect(await page.locator("main .items").innerText()).not.toContain("77");
    await page.getByRole("button", { name: "Only what must be recorded again: 1" }).click();
    expect((await page.locator("main .items li:visible").first().innerText()).split("\n")).toEqual(
      expect.arrayContaining([
        "For help press 2",
        "Until it is recorded again, callers hear: For help press 1",
      ]),
    );
    await page.locator("nav").getByRole("link", { name: "Old deleted" }).click();
    await page.keyboard.press("1");
    await page.locator(".transcript", { hasText: "Older" }).waitFor();
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
    for (const hash of ["#changes", "#/desk", "#/gone", "#recordings"]) {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      const there = `[href="${hash}"][aria-current]`;
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
