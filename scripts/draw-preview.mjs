/**
 * Draws docs/preview.png, the preview of the example project after a call has reached an agent, and
 * docs/preview-compare.png, a call through a menu before and after a change. Run `npm run pictures`
 * after `npm run build`.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = join(import.meta.dirname, "..");
const project = mkdtempSync(join(tmpdir(), "ivrctl-preview-"));
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--headless", "--disable-gpu"],
});
try {
  for (const name of ["ivrctl.yaml", "agents.lock.json", "ivrs"]) {
    cpSync(join(root, name), join(project, name), { recursive: true });
  }
  renameSync(join(project, "ivrs/example.yaml"), join(project, "ivrs/front-desk.yaml"));
  await draw("preview.png", "9s2");
  const git = (...args) => execFileSync("git", ["-C", project, ...args], { stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("-c", "user.name=Asha", "-c", "user.email=asha@example.com", "commit", "-q", "-m", "Menus");
  const menu = join(project, "ivrs/front-desk.yaml");
  const changed = readFileSync(menu, "utf8").replace(
    "agent: Ravi Kumar, team: Billing }",
    "agent: Asha Rao }",
  );
  writeFileSync(menu, changed);
  await draw("preview-compare.png", "2", "--base", "main");
} finally {
  await browser.close();
  rmSync(project, { recursive: true });
}

/** Draws the page of the menu after these keys. */
async function draw(picture, keys, ...args) {
  const command = join(root, "dist/ivrctl.cjs");
  execFileSync(process.execPath, [command, "preview", "-C", project, "--out", "site", ...args], {
    stdio: "ignore",
  });
  const page = await browser.newPage({
    viewport: { width: 1280, height: 760 },
    deviceScaleFactor: 1.5,
  });
  await page.goto(`${pathToFileURL(join(project, "site/index.html")).href}#/front-desk`);
  for (const key of keys) await page.keyboard.press(key);
  await page.screenshot({ path: join(root, "docs", picture) });
}
