import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { previewDocument } from "../../src/preview/document.ts";
import type { PreviewMenu } from "../../src/preview/data.ts";
import { useBrowser } from "../support/browser.ts";
import { openPage } from "../support/preview.ts";

const browser = useBrowser();

const recording = { id: "1", says: "Press 1" };
const person = { kind: "agent", name: "Asha Rao", eid: "1", team: null, blocked: false } as const;

/** A menu whose key 1 goes to the next one of its folder, or to a person. */
function menu(at: number): PreviewMenu {
  const key = `towns/t${at}`;
  const next = { kind: "menu", key: `towns/t${at + 1}` } as const;
  const call = {
    key,
    name: `Town ${at}`,
    description: "A town",
    recording,
    options: [
      { key: "1", destination: at % 10 === 9 ? person : next },
      { key: "0", destination: person },
    ],
    "invalid.retries": "1",
    "invalid.recording": recording,
    "invalid.destination": person,
    "timeout.wait": "5",
    "timeout.retries": "1",
    "timeout.retry_recording": recording,
    "timeout.recording": recording,
    "timeout.destination": person,
  };
  const numbers = at % 10 === 0 ? [`+91800000${1000 + at}`] : [];
  return {
    key,
    file: `ivrs/${key}.yaml`,
    name: call.name,
    numbers,
    call,
    findings: [],
  };
}

async function elements(page: Page): Promise<number> {
  return Number(await page.evaluate("document.querySelectorAll('*').length"));
}

test("2,000 menus: the page stays small, and a menu is found, opened and called", async () => {
  const menus = Array.from({ length: 2000 }, (_, at) => menu(at));
  const html = previewDocument({
    live: false,
    environment: "sandbox",
    base: null,
    changes: [],
    following: [],
    people: {},
    menus,
    findings: [],
  });
  const page = await openPage(browser(), html, "#people");
  // A folder that is closed has no elements.
  expect(await elements(page)).toBeLessThan(300);
  await page.keyboard.press("/");
  await page.locator("#search:focus").waitFor();
  await page.keyboard.type("town 1990");
  await page.keyboard.press("Enter");
  await page.locator("h1", { hasText: "Town 1990" }).waitFor();
  await page.keyboard.type("1111111110");
  expect(await page.locator(".transcript li").count()).toBe(11);
  expect(await page.locator(".end").innerText()).toContain("Connected to Asha Rao");
  await page.evaluate("location.hash = '#flow/towns/t1990'");
  await page.locator(".turn").first().waitFor();
  // Each of the ten menus has a line for its key and one for the person.
  expect(await page.locator(".turn").count()).toBe(19);
});
