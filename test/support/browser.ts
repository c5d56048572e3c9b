import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";

/** Starts a browser for the tests of a file or group. They are skipped if none is installed. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  beforeEach(({ skip }) => skip(browser === undefined, noBrowser));
  return () => browser ?? expect.unreachable(noBrowser);
}

const noBrowser =
  "Chromium is not installed. Install it with: sudo apt-get install chromium, or name it in CHROMIUM_PATH";

async function launch(): Promise<Browser | undefined> {
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
