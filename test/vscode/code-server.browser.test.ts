import { spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { command, folder, root } from "../support/cli.ts";
import { environment } from "../support/environment.ts";
import { until } from "../support/project.ts";

const missing = "code-server 4.100.3 is not in PATH. CONTRIBUTING.md describes how to install it.";
const codeServer = (process.env["PATH"] ?? "")
  .split(":")
  .map((directory) => join(directory, "code-server"))
  .find((file) => existsSync(file));
const browser = useBrowser();

/** Creates a project of two menus, with ivrctl in its node_modules. */
function project(): string {
  const cwd = folder({
    "node_modules/.bin/ivrctl": `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`,
  });
  cpSync(join(root, "examples/flow"), cwd, { recursive: true });
  chmodSync(join(cwd, "node_modules/.bin/ivrctl"), 0o755);
  return cwd;
}

/** Starts VS Code with the extension. Returns its address. */
async function startEditor(): Promise<string> {
  const place = folder({});
  const extension = join(place, "extensions/ivrctl.ivrctl-1.0.0");
  const config = join(root, "editors/vscode/rolldown.config.ts");
  const rolldown = join(root, "node_modules/.bin/rolldown");
  const built = spawnSync(rolldown, ["-c", config, "--dir", extension], { cwd: root });
  expect(built.status).toBe(0);
  const args = `--auth none --bind-addr 127.0.0.1:0 --user-data-dir ${join(place, "data")}
    --extensions-dir ${join(place, "extensions")} --disable-telemetry --disable-update-check
    --disable-workspace-trust`;
  const child = spawn(codeServer ?? "", args.split(/\s+/), {
    env: { ...environment(), HOME: place },
    detached: true,
  });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), "SIGKILL"));
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const address = () => /listening on (http:\S+?)\/?\s/.exec(printed)?.[1];
  await until(() => address() !== undefined || child.exitCode !== null);
  return address() ?? "";
}

/** Uses the editor with the keyboard, as a person does. */
function keyboard(page: Page) {
  const input = page.locator(".quick-input-widget input[type=text]");
  return {
    run: async (command: string) => {
      await page.keyboard.press("F1");
      await input.fill(`>${command}`);
      await page
        .locator(".quick-input-list .monaco-list-row", { hasText: command })
        .first()
        .click();
    },
    goTo: async (line: number, column: number) => {
      await page.locator(".tab", { hasText: "main.yaml" }).first().click();
      await page.keyboard.press("Control+g");
      await input.fill(`:${line}:${column}`);
      await page.keyboard.press("Enter");
    },
  };
}

test("the extension works in VS Code", async ({ skip }) => {
  skip(codeServer === undefined, missing);
  const cwd = project();
  const read = (file: string) => readFileSync(join(cwd, file), "utf8");
  const misspelled = read("ivrs/main.yaml").replace("agent: Front Desk", "agent: Frnt Desk");
  writeFileSync(join(cwd, "ivrs/main.yaml"), misspelled);
  const page = await browser().newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(60_000);
  const { run, goTo } = keyboard(page);
  await page.goto(`${await startEditor()}/?folder=${cwd}`);
  const files = page.locator(".explorer-folders-view .monaco-list-row");
  await files.filter({ hasText: "ivrs" }).click();
  await files.filter({ hasText: "main.yaml" }).dblclick();

  const squiggles = page.locator(".squiggly-error");
  await squiggles.first().waitFor();
  await goTo(8, 32);
  await page.keyboard.press("Control+.");
  await page.locator(".action-widget", { hasText: "Replace Frnt Desk with Front Desk" }).waitFor();
  await page.keyboard.press("Enter");
  await squiggles.first().waitFor({ state: "detached" });

  await goTo(8, 32);
  await run("Show or Focus Hover");
  await page.locator(".monaco-hover:visible", { hasText: "extension 500104" }).waitFor();
  await goTo(7, 32);
  await run("Trigger Suggest");
  await page.locator(".suggest-widget", { hasText: "Ravi Kumar" }).waitFor();
  await page.keyboard.press("Escape");

  await run("ivrctl: Show Flow of the Menu");
  const flow = page.frameLocator("iframe.webview").frameLocator("iframe");
  const picture = flow.getByRole("img", { name: "Flow of ivrs/main.yaml" });
  await picture.waitFor();
  // Wider than the panel, because people could not read it at the panel's width.
  const { width } = (await picture.boundingBox()) ?? expect.unreachable();
  expect(width).toBeGreaterThan(700);

  await goTo(8, 32);
  await page.keyboard.press("F2");
  await page.locator(".rename-input").fill("Asha Rao");
  await page.keyboard.press("Enter");
  await until(() => read("ivrs/main.yaml").includes("for: Operator, agent: Asha Rao"));
  await until(() => read("ivrs/sales/world.yaml").includes("for: Operator, agent: Asha Rao"));

  await goTo(8, 32);
  await run("ivrctl: Run Tests of the Menu");
  const summary = page.locator(".test-explorer .result-summary-container", { hasText: "/" });
  await summary.waitFor();
  expect(await summary.innerText()).toMatch(/^\s*\d+\/\d+/);
  await page.close();
});
