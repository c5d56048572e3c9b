import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { exampleProject, folder, startIvrctl } from "../support/cli.ts";
import { menu, until } from "../support/project.ts";
import { listen } from "../support/listen.ts";

/** Starts the preview of a project. It stops when the test ends. */
async function start(cwd: string, ...args: string[]) {
  const words = ["preview", "--port", "0", ...args];
  const { child, finished, said, printed } = startIvrctl(words, { cwd });
  await until(() => printed().includes("\n"));
  return { url: printed().trim(), child, finished, said };
}

/** Replaces a file in one step, as editors do. Otherwise the preview may read an empty file. */
function save(file: string, text: string): void {
  const aside = join(folder({}), "aside");
  writeFileSync(aside, text);
  renameSync(aside, file);
}

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
}

async function ask(url: string, { method = "GET", path = "/", host }: Asked = {}) {
  const { hostname, port } = new URL(url);
  const headers = host === undefined ? {} : { host };
  return new Promise<{ status: number | undefined; headers: object; body: string }>(
    (resolve, reject) => {
      request({ hostname, port, method, path, headers }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode, headers: response.headers, body }),
        );
      })
        .on("error", reject)
        .end();
    },
  );
}

describe("the preview server", () => {
  test("prints its address, listens on this machine only, and stops at Ctrl-C", async () => {
    const { url, child, finished, said } = await start(exampleProject());
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    // stderr and stdout are separate pipes, and either may arrive first.
    await until(() => said().includes("The preview is running"));
    const { status, headers, body } = await ask(url);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(headers).toHaveProperty(
      "content-security-policy",
      expect.stringMatching(/^default-src 'none'; .*connect-src 'self'; .*frame-ancestors 'none'$/),
    );
    expect(body).toContain("Front desk");
    child.kill("SIGINT");
    const { exit, stderr } = await finished;
    expect(exit).toBe(0);
    expect(stderr).toMatch(/The preview has stopped\.\n$/);
  });

  test("answers only for localhost, only GET and HEAD, and only the page", async () => {
    const { url } = await start(exampleProject());
    const expected: readonly (readonly [Asked, number])[] = [
      [{ host: "evil.example" }, 421],
      [{ host: "127.0.0.1.evil.example" }, 421],
      [{ host: "localhost:1" }, 200],
      [{ method: "HEAD" }, 200],
      [{ method: "POST" }, 405],
      [{ method: "DELETE", path: "/events" }, 405],
      [{ path: "/ivrctl.yaml" }, 404],
      [{ path: "/../ivrctl.yaml" }, 404],
      [{ path: "/%2e%2e/ivrctl.yaml" }, 404],
      [{ path: "/ivrs/" }, 404],
    ];
    for (const [asked, status] of expected) {
      expect([asked, (await ask(url, asked)).status]).toEqual([asked, status]);
    }
  });

  test("reports a port that is in use", async () => {
    const server = createServer();
    const port = String(await listen(server));
    const { finished } = startIvrctl(["preview", "--port", port], { cwd: exampleProject() });
    const { exit, stderr } = await finished;
    expect(exit).toBe(1);
    expect(stderr).toBe(
      `ivrctl: Cannot listen on 127.0.0.1, port ${port}: the port is in use. Choose a different port with --port N; 0 chooses a free one.\n`,
    );
  });
});

describe("while the files are edited", () => {
  const browser = useBrowser();

  test("the open menu updates, shows errors, and keeps the call", async () => {
    const cwd = exampleProject({ "ivrs/other.yaml": menu("Other") });
    const { url, said } = await start(cwd);
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.goto(`${url}#/example`);
    await page.getByText("Live: updates when files change").waitFor();
    await page.keyboard.press("9");
    await page.getByRole("button", { name: "2 Billing" }).focus();
    const file = join(cwd, "ivrs/example.yaml");
    const valid = readFileSync(file, "utf8");
    const lines = page.locator(".transcript li");

    save(file, valid.replace("name: Front desk", "name: Reception"));
    await page.locator("h1", { hasText: "Reception" }).waitFor();
    expect(await lines.last().innerText()).toContain("wrong key 1 of 3");
    expect(await page.evaluate("document.activeElement.dataset.press")).toBe("2");

    save(file, "name: [\n");
    // What is wrong comes first, and the last valid version stays, greyed.
    await page.getByText("This is the last version without errors.").waitFor();
    await page.locator(".checks summary", { hasText: "This [ is never closed." }).waitFor();
    await page.locator(".checks pre", { hasText: "name: [" }).waitFor();
    await page.getByRole("button", { name: "Copy the place" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    await page.context().grantPermissions(["clipboard-read"]);
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("ivrs/example.yaml:1:7");
    expect(await page.locator("h1").innerText()).toBe("Reception");
    expect(await page.evaluate("getComputedStyle(document.querySelector('.try')).filter")).toBe(
      "grayscale(1)",
    );
    await until(() => said().includes("2 menus, 1 error, 1 warning: see the page"));

    // Other menus still work, and the call continues when the file is valid again.
    expect(await page.locator("nav .dot").allInnerTexts()).toEqual(["1 error"]);
    save(file, valid);
    await page.locator("h1", { hasText: "Front desk" }).waitFor();
    expect(await lines.last().innerText()).toContain("wrong key 1 of 3");
    expect(page.url()).toBe(`${url}#/example`);

    rmSync(file);
    await page.getByRole("alert").waitFor();
    save(join(cwd, "ivrctl.yaml"), "version: 1\n");
    await page.getByRole("link", { name: "Problems" }).click();
    await page.locator("main .items", { hasText: "ivrctl.yaml" }).waitFor();
  });

  test("a change of another menu does not redraw the open one", async () => {
    const cwd = exampleProject({ "ivrs/other.yaml": menu("Other") });
    const { url } = await start(cwd);
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.goto(`${url}#/example`);
    await page.getByText("Live: updates when files change").waitFor();
    const heading = await page.locator("h1").elementHandle();
    save(join(cwd, "ivrs/other.yaml"), menu("Another"));
    await page.locator("nav .name", { hasText: "Another" }).waitFor();
    expect(await heading?.evaluate((element) => element.isConnected)).toBe(true);
  });

  test("the page shows that the preview has stopped", async () => {
    const { url, child } = await start(exampleProject());
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.goto(`${url}#/example`);
    await page.getByText("Live: updates when files change").waitFor();
    child.kill("SIGTERM");
    await page.getByText("The preview has stopped").waitFor();
    await page.keyboard.press("2");
    expect(await page.locator(".end").innerText()).toContain("Ravi Kumar");
  });
});
