/**
 * Draws docs/preview.png: the preview of the example project after a call has reached an agent.
 * Run `npm run pictures` after `npm run build`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = join(import.meta.dirname, "..");
const out = mkdtempSync(join(tmpdir(), "ivrctl-preview-"));
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--headless", "--disable-gpu"],
});
try {
  const command = join(root, "dist/ivrctl.cjs");
  execFileSync(process.execPath, [command, "preview", "-C", root, "--out", out], {
    stdio: "ignore",
  });
  const page = await browser.newPage({
    viewport: { width: 1120, height: 712 },
    deviceScaleFactor: 1.5,
  });
  await page.goto(`${pathToFileURL(join(out, "index.html")).href}#/example`);
  for (const key of ["9", "s", "2"]) await page.keyboard.press(key);
  // Wait until the key is no longer shown as pressed.
  await page.locator(".pressed").first().waitFor({ state: "detached" });
  await page.screenshot({ path: join(root, "docs/preview.png") });
} finally {
  await browser.close();
  rmSync(out, { recursive: true });
}
