import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/**
 * A real browser, or undefined where there is none to be had: then the tests
 * that need one are skipped with a word about it, and fail under CI=true.
 */
export async function launchBrowser(): Promise<Browser | undefined> {
  const executablePath = find() ?? install();
  if (executablePath === undefined) {
    const message =
      "There is no chromium: install it, or name it in CHROMIUM_PATH. The page is not tested.";
    if (process.env["CI"] === "true") throw new Error(message);
    console.warn(message);
    return undefined;
  }
  // It only ends what hangs: on a busy machine a browser takes its time to start.
  return chromium.launch({ executablePath, args: flags, timeout: 180_000 });
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

/** On a fresh Debian machine, as root, once. */
function install(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return undefined;
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: "ignore",
  } as const;
  // Two test files may ask at the same time.
  const wait = ["-qq", "-o", "DPkg::Lock::Timeout=600"];
  try {
    execFileSync("apt-get", [...wait, "update"], options);
    execFileSync("apt-get", [...wait, "install", "-y", "chromium"], options);
  } catch {
    return undefined;
  }
  return find();
}
