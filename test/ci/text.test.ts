import { marked } from "marked";
import { expect, test } from "vitest";
import { fenced, plain, shellWord } from "../../ci/lib/text.mjs";

test("plain escapes control characters, so that text starts no section of a log", () => {
  const text = "a\u001B[0Ksection_start:1:x\rb\u2028c\u202Ed\te\n";
  expect(plain(text)).toBe("a\\u001b[0Ksection_start:1:x\\u000db\\u2028c\\u202ed\te\n");
});

test("fenced keeps any text inside the code block", () => {
  const text = "```\n# Heading\n````md\n<script>";
  const html = marked.parse(fenced(text), { async: false });
  expect(html).not.toContain("<h1");
  expect(html).toContain("&lt;script&gt;");
  expect(fenced("x".repeat(300_000)).length).toBeLessThan(201_000);
});

test("shellWord quotes a word only if necessary", () => {
  expect(shellWord("apps/phone")).toBe("apps/phone");
  expect(shellWord("it's; rm -rf $HOME")).toBe(`'it'\\''s; rm -rf $HOME'`);
});
