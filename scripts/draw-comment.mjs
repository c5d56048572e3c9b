/**
 * Draws docs/comment.png: the plan in test/support/comment.md as GitHub and GitLab show it in a
 * comment. Run `npm run pictures` after a test has updated that file.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { chromium } from "playwright-core";

const mermaidVersion = "11.17.2";
const root = join(import.meta.dirname, "..");

const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--headless", "--disable-gpu"],
});
try {
  const page = await browser.newPage({
    viewport: { width: 740, height: 400 },
    deviceScaleFactor: 1.5,
  });
  await page.setContent(comment(readFileSync(join(root, "test/support/comment.md"), "utf8")));
  await page.addScriptTag({ path: mermaid() });
  await page.evaluate(draw);
  await page.locator(".comment").screenshot({ path: join(root, "docs/comment.png") });
} finally {
  await browser.close();
}

/** Runs in the page. Replaces each `mermaid` block by its picture, as GitHub and GitLab do. */
async function draw() {
  const { mermaid } = globalThis;
  // The reader has unfolded the first menu.
  document.querySelector("details:has(.language-mermaid)").open = true;
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: "default" });
  const fences = [...document.querySelectorAll("code.language-mermaid")];
  for (const fence of fences) fence.parentElement.className = "mermaid";
  for (const fence of fences) fence.replaceWith(fence.textContent);
  await mermaid.run({ querySelector: ".mermaid" });
}

function comment(markdown) {
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; font: 14px/1.5 system-ui, "DejaVu Sans", sans-serif; color: #1f2328; background: #fff }
.comment { box-sizing: border-box; width: 740px; padding: 8px 24px 16px; border: 1px solid #d1d9e0; border-radius: 8px }
h2, h3 { border-bottom: 1px solid #d1d9e0; padding-bottom: 4px; margin: 16px 0 8px } h2 { font-size: 20px } h3 { font-size: 16px }
table { border-collapse: collapse } td, th { border: 1px solid #d1d9e0; padding: 4px 12px; text-align: left }
code { background: #eff1f3; border-radius: 4px; padding: 1px 4px; font-size: 12px }
pre { background: #f6f8fa; padding: 12px; border-radius: 6px; overflow: hidden } pre code { background: none }
pre.mermaid { background: none; padding: 0; margin: 8px 0 } summary { cursor: pointer }
</style><div class="comment">${marked.parse(markdown, { async: false })}</div>`;
}

/** Returns the path of mermaid.min.js. Downloads the package on first use. */
function mermaid() {
  const cache = join(root, "node_modules/.cache/mermaid");
  const path = join(cache, mermaidVersion, "package/dist/mermaid.min.js");
  if (existsSync(path)) return path;
  const into = join(cache, mermaidVersion);
  mkdirSync(into, { recursive: true });
  execFileSync("npm", [
    "pack",
    "--silent",
    "--pack-destination",
    into,
    `mermaid@${mermaidVersion}`,
  ]);
  const archive = join(into, `mermaid-${mermaidVersion}.tgz`);
  execFileSync("tar", ["-xzf", archive, "-C", into, "package/dist/mermaid.min.js"]);
  return path;
}
