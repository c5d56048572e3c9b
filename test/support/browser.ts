import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Why tests that need a browser are skipped. */
export const noBrowser =
  "Chromium is not installed. Install it with: sudo apt-get install chromium, or name it in CHROMIUM_PATH";

/** Starts a browser. Returns undefined if none is installed; then skip the test with `noBrowser`. */
export async function launchBrowser(): Promise<Browser | undefined> {
  const executablePath = find();
  if (executablePath === undefined) return undefined;
  // The timeouts are long, because a browser is slow on a busy machine.
  const timeout = 180_000;
  const browser = await chromium.launch({ executablePath, args: flags, timeout });
  return browser.on("context", (context) => context.setDefaultTimeout(timeout));
}

const flags = [
  "--no-sandbox",
  "--headless",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
];

function find(): string | undefined {
  const named = process.env["CHROMIUM_PATH"];
  if (named !== undefined && named !== "") return named;
  return ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
    existsSync(path),
  );
}
