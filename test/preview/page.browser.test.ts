import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { exampleProject, folder, root } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { openPage, openPreview, pageOf, violationsOf, walkOf } from "../support/preview.ts";
import { menu } from "../support/project.ts";

const browser = useBrowser();

const hostile =
  '"><script>document.title = "owned"</script><img src=x onerror=alert(1)></title>\u202E\u0007';

/** An example of everything that the page can show. */
const files = {
  "ivrs/hostile.yaml": menu(JSON.stringify(hostile)).replace(
    "options: { 1: Asha Rao }",
    `owner: ${JSON.stringify(hostile)}
options:
  1: { for: ${JSON.stringify(hostile)}, agent: Asha Rao }
tests: [{ name: ${JSON.stringify(hostile)}, press: 1, reaches: Front Desk }]`,
  ),
  "ivrs/support/night.yaml": menu("Night shift").replace(
    "options: { 1: Asha Rao }",
    `owner: Night team
options:
  1: { for: Doctor, agent: अनिल देशपांडे }
  2: { for: Meera, agent: Meera Joshi }
  "*": Nobody Here
  12: Front Desk`,
  ),
  "ivrs/broken.yaml": "name: [\n",
};

/** The page of this project, which is written once. */
let html: string | undefined;

async function open(hash = "", options: BrowserContextOptions = {}): Promise<Page> {
  html ??= await pageOf(exampleProject(files));
  return openPage(browser(), html, hash, options);
}

describe("a call on the page", () => {
  test("a click on an option reaches its agent", async () => {
    const page = await open("#/example");
    await page.getByRole("button", { name: "2 Billing" }).click();
    expect(await walkOf(page)).toEqual([
      "☏ You called Front desk",
      "2 Billing",
      "RK Connected to Ravi Kumar Billing · 1002 · after 7 s of announcements, in the order that ivrctl assumes",
    ]);
    // The row lights up.
    expect(await page.locator(".row.lit .for").innerText()).toBe("Billing");
    // No key can be pressed until the call starts again.
    await page.getByRole("button", { name: "1 Sales" }).click({ force: true });
    expect(await walkOf(page)).toHaveLength(3);
    await page.getByRole("button", { name: "Start again" }).click();
    await page.keyboard.press("0");
    await page.getByRole("button", { name: "Start again" }).click();
    // The greeting is shown once.
    expect(await walkOf(page)).toEqual(["☏ You called Front desk"]);
    expect(await page.locator("q:visible", { hasText: "For sales" }).count()).toBe(1);
    expect(await page.locator(".row.lit").count()).toBe(0);
  });

  test("counts wrong keys and silences separately, as `call` does", async () => {
    const page = await open("#/example");
    for (const name of ["9", "Stay silent", "9", "Stay silent", "9"]) {
      await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
    }
    const { stdout } = await ivrctl(["call", "example", "--press", "9,_,9,_,9"], {
      cwd: exampleProject(),
    });
    const printed = stdout.trim().split("\n").slice(2, -1);
    const words = printed.map((line) => line.trim().replace(/\s+/g, " "));
    const walk = await walkOf(page);
    const said = walk.slice(1, -1).map((line) => line.replace(/^. | ▶$/g, ""));
    expect(words).toEqual(
      said.map((line, at) =>
        line.replace(
          /(.* of 3) (.*)/,
          `${at % 2 === 0 ? "presses 9" : "is silent"} $1; hears ${at % 2 === 0 ? "not-valid" : "still-there"} “$2”`,
        ),
      ),
    );
    expect(walk.at(-1)).toMatch(
      /^FD Connected to Front Desk 1004 · after 3 wrong keys · after 17 s/,
    );
  });

  test("shows a blocked agent, a missing agent, and a key that is not on a phone", async () => {
    const page = await open("#/support/night");
    await page.keyboard.press("2");
    expect((await walkOf(page)).at(-1)).toContain(
      "Not connected: Meera Joshi, who is blocked and gets no calls",
    );
    await page.keyboard.press("r");
    await page.keyboard.press("*");
    expect((await walkOf(page)).at(-1)).toContain(
      "Not connected: Nobody Here, not on the agent list",
    );
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "12 Front Desk" }).click();
    expect((await walkOf(page)).at(-1)).toContain("Connected to Front Desk");
  });

  test("replays a test to the end of its call", async () => {
    const page = await open("#/example");
    await page.getByText("3 tests pass").click();
    await page.getByRole("button", { name: "Replay press nothing" }).click();
    expect((await walkOf(page)).at(-1)).toContain("after 3 silences");
  });

  test("a call continues in another menu, and goes back step by step", async () => {
    const cwd = folder({});
    cpSync(join(root, "examples/flow"), cwd, { recursive: true });
    const page = await openPreview(browser(), { cwd, hash: "#/main" });
    await page.keyboard.type("91");
    // The page stays, and the keypad is that of the menu that the caller is in.
    expect(await page.locator("h1").innerText()).toBe("Main");
    expect(await page.locator(".keypad").innerText()).toContain("Other countries");
    expect(await walkOf(page)).toEqual([
      expect.stringMatching(/^☏ You called/),
      expect.stringMatching(/^9 wrong key 1 of \d/i),
      expect.stringMatching(/^1 Sales goes to Sales .*press 1/),
    ]);
    const back = page.getByRole("button", { name: "Back" });
    await back.click();
    expect(await walkOf(page)).toHaveLength(2);
    await back.click();
    expect(await walkOf(page)).toHaveLength(1);
    await page.locator(".row").getByRole("link", { name: "Sales" }).click();
    await page.locator("h1", { hasText: "Sales" }).waitFor();
  });
});

describe("the side bar", () => {
  test("works with the keyboard only: search, open, call, back to the list", async () => {
    const page = await open();
    // The first Tab skips the list.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
    await page.keyboard.press("/");
    await page.keyboard.type("night");
    await page.keyboard.press("Enter");
    await page.locator("h1", { hasText: "Night shift" }).waitFor();
    // The heading has the focus, so that a screen reader reads it.
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
    await page.keyboard.press("9");
    await page.keyboard.press("s");
    await page.keyboard.press("1");
    expect((await walkOf(page)).at(-1)).toContain("Connected to अनिल देशपांडे");
    // In the search field, keys are text.
    await page.keyboard.press("/");
    await page.getByRole("searchbox").fill("");
    await page.keyboard.type("1r_");
    expect(await page.getByRole("searchbox").inputValue()).toBe("1r_");
    await page.keyboard.press("Escape");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
    // Enter opens the first match.
    await page.keyboard.press("/");
    await page.keyboard.type("desk");
    await page.keyboard.press("Enter");
    await page.locator("h1", { hasText: "Front desk" }).waitFor();
    // Tab reaches the flow, the greeting, the tests and then the keypad, and the focus is visible.
    for (let tabs = 0; tabs < 5; tabs += 1) await page.keyboard.press("Tab");
    expect(
      await page.evaluate(
        "[document.activeElement.dataset.press, getComputedStyle(document.activeElement).outlineWidth]",
      ),
    ).toEqual(["1", "3px"]);
    await page.keyboard.press("Enter");
    expect((await walkOf(page)).at(-1)).toContain("Connected to Asha Rao");
  });

  test("has a line for each person and recording, with more on click", async () => {
    const page = await open();
    const main = page.locator("main");
    const lines = async (part: string) =>
      (await main.locator(`.items > li ${part}`).allInnerTexts()).map((line) =>
        line.replace(/\s+/g, " ").trim(),
      );
    await page.getByRole("link", { name: "People" }).click();
    await main.getByRole("heading", { name: "People" }).waitFor();
    const hidden = hostile.replace("\u202E", "\\u{202E}").replace("\u0007", "␇");
    // Nobody sees an extension before they ask for it.
    expect(await lines(".line")).toEqual([
      "AR Asha Rao Sales · 1001 2 keys",
      "FD Front Desk 1004 2 keys · otherwise in 3 menus",
      "MJ Meera Joshi Support · 1005 blocked 1 key",
      "NH Nobody Here not on the agent list 1 key",
      "RK Ravi Kumar Billing · 1002 1 key",
      "अद अनिल देशपांडे Support · 1006 1 key",
    ]);
    for (const line of await main.locator(".line").all()) await line.click();
    expect(await lines(".more")).toEqual([
      `${hidden} 1 ${hidden} · Front desk 1 Sales Extension 500101`,
      `Front desk 0 Operator · Night shift 12 After wrong keys or silence: ${hidden}, Front desk, Night shift Extension 500104`,
      "Night shift 2 Meera Extension 500105",
      "Night shift *",
      "Front desk 2 Billing Extension 500102",
      "Night shift 1 Doctor Extension 500106",
    ]);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Recordings" }).click();
    await main.getByRole("heading", { name: "Recordings" }).waitFor();
    // Without a revision, nothing is known about older texts.
    expect(await main.getByRole("button", { name: "Only what must" }).count()).toBe(0);
    expect(await main.locator(".pill").count()).toBe(0);
    const invalid = main
      .locator("li", { has: page.locator("b", { hasText: "not-valid" }) })
      .first();
    await invalid.locator("summary").click();
    expect((await invalid.innerText()).replace(/\s+/g, " ")).toMatch(
      /^not-valid That key is not in use\. 2 s after a wrong key: Front desk not-valid \(19550\)/,
    );
    expect(await violationsOf(page)).toEqual([]);
  });

  test("a link opens its menu, or the page reports that the menu does not exist", async () => {
    const page = await open("#/support/night");
    expect(await page.locator("nav [aria-current=page] .name").innerText()).toBe("Night shift");
    await page.evaluate("location.hash = '#/gone'");
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toBe("There is no menu with the key gone.");
    await page.goBack();
    await page.locator("h1", { hasText: "Night shift" }).waitFor();
  });
});

describe("text from files", () => {
  test("hostile names are shown as text", async () => {
    const page = await open("#/hostile");
    const shown = hostile.replace("\u202E", "\\u{202E}").replace("\u0007", "␇");
    expect(await page.locator("h1").textContent()).toBe(shown);
    expect(await page.title()).toBe(`${shown} · ivrctl preview`);
    expect(await page.locator(".checks .line > span:not(.dot)").first().textContent()).toBe(
      `${shown}: key 1 should reach Front Desk, reaches Asha Rao`,
    );
    for (const place of [
      ".key.used small",
      ".row .for bdi",
      "nav [aria-current] .name",
      "article > header .meta > span:nth-last-of-type(1)",
    ]) {
      expect(await page.locator(place).first().textContent()).toBe(shown);
    }
    await page.keyboard.press("1");
    expect((await walkOf(page))[1]).toContain(shown);
    await page.getByRole("link", { name: "Flow" }).click();
    expect(await page.locator(".turn .for").first().textContent()).toBe(shown);
    expect(await page.locator("img, article script, nav script").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(2);
  });

  test("an invalid file shows its errors with the source line", async () => {
    const page = await open("#/broken");
    const problem = page.locator(".checks li");
    await page.getByText("Nobody can call this menu. Fix the file in your editor:").waitFor();
    expect(await problem.innerText()).toContain("IVR101");
    expect(await problem.locator("pre").innerText()).toBe("1\nname: [");
    expect(await problem.locator("mark").innerText()).toBe("[");
    expect(await page.locator(".try").count()).toBe(0);
    expect(await page.locator("nav [aria-current] .dot").getAttribute("title")).toBe("1 error");
  });
});

describe("accessibility", () => {
  // The page of a comparison is tested with the other two combinations.
  test.each([
    ["light", 1280],
    ["dark", 390],
  ] as const)("%s, %i wide: axe finds no violation", async (colorScheme, width) => {
    const config = readFileSync(join(root, "ivrctl.yaml"), "utf8");
    const cwd = exampleProject({
      ...files,
      "ivrctl.yaml": `${config}colour: red\n`,
      "ivrs/main.yaml": menu("Main", "{ menu: example }"),
    });
    const options = { colorScheme, viewport: { width, height: 800 } };
    const page = await openPreview(browser(), { cwd, options });
    const grounds = new Set<unknown>();
    for (const [hash, keys] of [
      ["#numbers", ""],
      ["#problems", ""],
      ["#flow/main", ""],
      ["#/example", "92"],
      ["#/support/night", "2"],
      ["#/hostile", "s"],
      ["#/broken", ""],
      ["#/main", "12"],
      ["#/gone", ""],
    ] as const) {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      const isListed = !["#flow/main", "#/gone"].includes(hash);
      const there = isListed ? `nav [aria-current][href="${hash}"]` : "h1";
      await page.locator(there).waitFor({ state: "attached" });
      await page.keyboard.type(keys);
      expect(await violationsOf(page)).toEqual([]);
      grounds.add(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
    }
    expect([...grounds]).toEqual([
      colorScheme === "light" ? "rgb(247, 247, 248)" : "rgb(14, 15, 18)",
    ]);
  });

  test("prints the menu dark on light, without keypad, list and buttons", async () => {
    const page = await open("#/example", { colorScheme: "dark" });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    for (const hidden of [".side", ".try", ".checks"]) {
      expect(await page.locator(hidden).first().isVisible()).toBe(false);
    }
    for (const shown of ["h1", ".step", ".row"]) {
      expect(await page.locator(shown).first().isVisible()).toBe(true);
    }
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).color")).toBe(
      "rgb(22, 24, 29)",
    );
    // The keypad is not printed, but the greeting is.
    expect(await page.locator(".say").innerText()).toContain("For sales, press 1.");
    const pages = (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type \/Page\b/g);
    expect(pages).toHaveLength(1);
  });

  test("a screen reader reads what the caller hears", async () => {
    const page = await open("#/example");
    await page.keyboard.press("9");
    await page.locator("[aria-live=polite]", { hasText: "wrong key 1 of 3" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    expect(await page.getByRole("button", { name: "* not an option" }).count()).toBe(1);
  });
});
