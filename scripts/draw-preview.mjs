/**
 * Draws docs/edit.png, the page of `edit` with a key of a shop that gets a different person, docs/preview.png,
 * the preview of the example project after a call has reached an agent, and docs/preview-compare.png, a call
 * through a menu before and after a change. Run `npm run pictures` after `npm run build`.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  const example = join(project, "ivrs/example.yaml");
  const numbered = `numbers: ["+91 20 2600 1000"]\n${readFileSync(example, "utf8")}`;
  writeFileSync(join(project, "ivrs/front-desk.yaml"), numbered);
  rmSync(example);
  await draw("preview.png", "92");
  commit(project);
  const menu = join(project, "ivrs/front-desk.yaml");
  const changed = readFileSync(menu, "utf8").replace(
    "agent: Ravi Kumar, team: Billing }",
    "agent: Asha Rao }",
  );
  writeFileSync(menu, changed);
  await draw("preview-compare.png", "2", "--base", "main");
  await drawEdit();
} finally {
  await browser.close();
  rmSync(project, { recursive: true });
}

/** Commits the files of a project, so that the page compares with them. */
function commit(folder) {
  const git = (...args) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("-c", "user.name=Asha", "-c", "user.email=asha@example.com", "commit", "-q", "-m", "Menus");
}

/** Draws the page of the menu after these keys. */
async function draw(picture, keys, ...args) {
  const command = join(root, "dist/ivrctl.cjs");
  execFileSync(process.execPath, [command, "preview", "-C", project, "--out", "site", ...args], {
    stdio: "ignore",
  });
  const page = await browser.newPage({
    viewport: { width: 1180, height: 690 },
    deviceScaleFactor: 1.5,
  });
  await page.goto(`${pathToFileURL(join(project, "site/index.html")).href}#/front-desk`);
  for (const key of keys) await page.keyboard.press(key);
  await page.screenshot({ path: join(root, "docs", picture) });
}

/** Draws the form of a key that all shops share, with a person chosen for one of them. */
async function drawEdit() {
  const shops = join(project, "shops");
  cpSync(join(root, "examples/shops"), shops, { recursive: true });
  commit(shops);
  const args = [join(root, "dist/ivrctl.cjs"), "edit", "-C", shops, "--port", "0"];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [address] = await once(server.stdout, "data");
    const page = await browser.newPage({
      viewport: { width: 1280, height: 860 },
      deviceScaleFactor: 1.5,
    });
    await page.goto(String(address).trim());
    await page.getByRole("link", { name: "Acme Pune" }).first().click();
    await page.getByRole("button", { name: "Edit key 2 Repairs" }).click();
    await page.getByText("Choose again").click();
    await page.keyboard.type("asha");
    await page.keyboard.press("Enter");
    await page.screenshot({ path: join(root, "docs/edit.png") });
  } finally {
    server.kill();
  }
}
