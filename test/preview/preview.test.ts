import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { git } from "../support/ci/repository.ts";
import { exampleProject, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";

const run = (cwd: string, ...args: string[]) => ivrctl(["preview", ...args], { cwd });

/** The data in the page. */
function dataOf(page: string) {
  const text = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? "";
  return JSON.parse(text);
}

describe("preview --out", () => {
  test("writes one file that loads nothing else", async () => {
    const cwd = exampleProject();
    const { exit, stdout, stderr } = await run(cwd, "--out", "site/menus");
    expect([exit, stdout, stderr]).toEqual([0, "", "Wrote site/menus/index.html: 1 menu.\n"]);
    expect(readdirSync(join(cwd, "site/menus"))).toEqual(["index.html"]);
    const page = readFileSync(join(cwd, "site/menus/index.html"), "utf8");
    // The only addresses in it are XML namespaces, which are never loaded.
    expect(page.replaceAll(/http:\/\/www\.w3\.org\/[\w/]+/g, "")).not.toMatch(
      /https?:|src=|@import|url\(/,
    );
    expect(page).not.toContain(cwd);
    expect(page).toMatch(/<noscript>.*needs JavaScript.*<\/noscript>/s);
    const { menus, findings, live, environment } = dataOf(page);
    expect({ findings, live, environment }).toEqual({
      findings: [],
      live: false,
      environment: "sandbox",
    });
    expect(menus).toMatchObject([
      { key: "example", name: "Front desk", file: "ivrs/example.yaml", findings: { length: 3 } },
    ]);
  });

  test("a page of 14 menus is light enough for every connection", async () => {
    const menus = Array.from({ length: 13 }, (_, at) => [`ivrs/m${at}.yaml`, menu(`Menu ${at}`)]);
    const cwd = exampleProject(Object.fromEntries(menus));
    await run(cwd, "--out", "site");
    expect(statSync(join(cwd, "site/index.html")).size).toBeLessThan(150_000);
  });

  test("numbers are changes, paths are what callers do not notice, and a link to a moved menu is not", async () => {
    const cwd = exampleProject({
      "ivrs/main.yaml": menu("Main", "{ menu: spa }", 'numbers: ["+912241234567"]'),
      "ivrs/spa.yaml": menu("Spa"),
    });
    git(cwd, "init", "-q");
    git(cwd, "add", "-A");
    git(cwd, "commit", "-q", "-m", "Before");
    const numbers = 'numbers: ["+912241234568"]\noptions: { 1: { menu: wellness }, 2: Asha Rao }';
    const text = menu("Reception", "{ menu: wellness }", numbers);
    writeFileSync(
      join(cwd, "ivrs/main.yaml"),
      text.replace("options: { 1: { menu: wellness } }\n", ""),
    );
    renameSync(join(cwd, "ivrs/spa.yaml"), join(cwd, "ivrs/wellness.yaml"));
    appendFileSync(join(cwd, "ivrs/wellness.yaml"), "moved_from: spa\n");
    await run(cwd, "--out", "site", "--base", "HEAD");
    const { changes, following, menus } = dataOf(
      readFileSync(join(cwd, "site/index.html"), "utf8"),
    );
    expect(changes).toEqual([
      {
        subject: "Reception",
        keys: ["main"],
        lines: [
          "key 2: Asha Rao (new)",
          "+91 22 4123 4567: this menu → no menu",
          "+91 22 4123 4568: no menu → this menu",
        ],
      },
    ]);
    expect(following).toEqual(["1 menu key changed, which callers do not notice: spa → wellness"]);
    const { change } = menus.find((one: { key: string }) => one.key === "main");
    expect(change.before.options[0].destination).toMatchObject({ key: "wellness" });
  });

  test("the content security policy allows exactly the page's own script and styles", async () => {
    const cwd = exampleProject();
    await run(cwd, "--out", "site");
    const page = readFileSync(join(cwd, "site/index.html"), "utf8");
    const policy = /http-equiv="content-security-policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
    const hashOf = (text = "") => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^ ;]*'; style-src /);
    expect(policy).toContain(hashOf(/<script>(.*?)<\/script>/s.exec(page)?.[1]));
    expect(policy).toContain(hashOf(/<style>(.*?)<\/style>/s.exec(page)?.[1]));
    expect(policy).not.toMatch(/unsafe|connect-src|\*/);
  });

  test("shows the problems of invalid menus, and exits with 1", async () => {
    const cwd = exampleProject({
      "ivrs/typo.yaml": menu("Typo", "Asha Roa"),
      "ivrs/broken.yaml": "name: [\n",
      "ivrs/two.yaml": `${menu("One", "Asha Rao", "id: one")}\n---\n${menu("Two", "Nobody", "id: two")}`,
      "ivrs/failing.yaml": menu(
        "Failing",
        "Asha Rao",
        "tests: [{ press: 1, reaches: Front Desk }]",
      ),
    });
    const { exit, stderr } = await run(cwd, "--out", "site");
    expect(exit).toBe(1);
    expect(stderr).toContain("Wrote site/index.html: 6 menus.");
    const { menus, findings } = dataOf(readFileSync(join(cwd, "site/index.html"), "utf8"));
    expect(findings).toEqual([]);
    // The page sorts them by name.
    menus.sort((a: { key: string }, b: { key: string }) => a.key.localeCompare(b.key));
    const shown = menus.map(
      (entry: { key: string; call?: object; findings: { title?: string }[] }) => [
        entry.key,
        entry.call !== undefined,
        entry.findings.flatMap(({ title }) => title ?? []),
      ],
    );
    expect(shown).toEqual([
      ["broken", false, ["IVR101"]],
      ["example", true, []],
      ["failing", true, ["IVR703 zero-not-operator"]],
      ["one", true, ["IVR703 zero-not-operator"]],
      ["two", true, ["IVR301", "IVR703 zero-not-operator"]],
      ["typo", true, ["IVR301", "IVR703 zero-not-operator"]],
    ]);
    expect(menus[5].findings[0]).toMatchObject({
      kind: "error",
      place: "ivrs/typo.yaml:4:15",
      frame: { line: 4, before: "options: { 1: ", marked: "Asha Roa", after: " }" },
    });
  });

  test("shows failed tests and broken invariants, and exits with 0", async () => {
    const cwd = exampleProject({
      "ivrs/failing.yaml": menu(
        "Failing",
        "Asha Rao",
        "tests: [{ press: 1, reaches: Front Desk }]",
      ),
    });
    const config = readFileSync(join(cwd, "ivrctl.yaml"), "utf8");
    writeFileSync(
      join(cwd, "ivrctl.yaml"),
      `${config}invariants: [{ name: Zero is there, key: 0, reaches: Front Desk }]\n`,
    );
    expect((await run(cwd, "--out", "site")).exit).toBe(0);
    const { menus } = dataOf(readFileSync(join(cwd, "site/index.html"), "utf8"));
    expect(menus[1]).toMatchObject({
      findings: [
        { press: ["1"], place: "ivrs/failing.yaml:7", lines: [{}, {}, {}, { expected: true }] },
        { kind: "failed", text: "Zero is there", lines: expect.any(Array) },
        { kind: "warning" },
      ],
    });
  });

  test("replaces its own page, and no other file", async () => {
    const cwd = exampleProject({ "ours/index.html": "", "theirs/index.html": "<h1>Mine</h1>" });
    expect((await run(cwd, "--out", "site")).exit).toBe(0);
    writeFileSync(join(cwd, "ivrs/more.yaml"), menu("More"));
    expect((await run(cwd, "--out", "site")).stderr).toContain("Wrote site/index.html: 2 menus.\n");
    const { exit, stderr } = await run(cwd, "--out", "theirs");
    expect(exit).toBe(1);
    expect(stderr).toContain("theirs/index.html cannot be written: it already exists");
    expect(readFileSync(join(cwd, "theirs/index.html"), "utf8")).toBe("<h1>Mine</h1>");
  });

  test("reports why the page cannot be written", async () => {
    const cwd = exampleProject({ file: "" });
    mkdirSync(join(cwd, "folder/index.html"), { recursive: true });
    for (const out of ["file", "folder"]) {
      const { exit, stderr } = await run(cwd, "--out", out);
      expect(exit).toBe(1);
      expect(stderr).toMatch(/^error\[IVR121\]: /);
      expect(stderr).not.toContain("bug");
    }
    await run(cwd, "--out", "site");
    chmodSync(join(cwd, "site/index.html"), 0o444);
    expect((await run(cwd, "--out", "site")).stderr).toContain("IVR121");
  });

  test("without an agent list, the page has no call and shows why", async () => {
    const cwd = folder({
      "ivrctl.yaml": readFileSync(join(exampleProject(), "ivrctl.yaml"), "utf8"),
      "ivrs/one.yaml": menu("One"),
    });
    const { exit } = await run(cwd, "--out", "site");
    expect(exit).toBe(1);
    const { menus, findings } = dataOf(readFileSync(join(cwd, "site/index.html"), "utf8"));
    expect(findings).toMatchObject([{ title: "IVR311" }]);
    expect(menus).toMatchObject([{ key: "one", name: "One" }]);
    expect(menus[0]).not.toHaveProperty("call");
  });

  test("without a project, writes nothing and serves nothing", async () => {
    const cwd = folder({});
    for (const args of [
      ["--out", "site"],
      ["--port", "0"],
      ["-C", "nowhere", "--out", "site"],
    ]) {
      const { exit, stdout, stderr } = await run(cwd, ...args);
      expect([exit, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("error[IVR126]: There is no ");
    }
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("a token in the configuration is not in the page", async () => {
    const cwd = exampleProject();
    const config = readFileSync(join(cwd, "ivrctl.yaml"), "utf8");
    writeFileSync(
      join(cwd, "ivrctl.yaml"),
      config.replace("token: ${TELEPHONY_TOKEN}", "token: s3cret-t0ken"),
    );
    expect((await run(cwd, "--out", "site")).exit).toBe(1);
    const page = readFileSync(join(cwd, "site/index.html"), "utf8");
    expect(dataOf(page).findings.length).toBeGreaterThan(0);
    expect(page).not.toContain("s3cret");
    // Settings that no menu shows are not in the page either.
    expect(page).not.toContain("requests_per_second");
  });

  test.each([
    [["--out", ""], "`--out` must be a folder"],
    [["--out", "-"], "`--out` must be a folder"],
    [["--out", "x", "--port", "1"], "--out and --port cannot be combined"],
    [["--port", "soon"], "`--port` must be a whole number"],
    [["front-desk"], "Unexpected argument `front-desk`"],
  ])("refuses %j", async (args, words) => {
    const cwd = exampleProject();
    const { exit, stderr } = await run(cwd, ...args);
    expect(exit).toBe(1);
    expect(stderr).toContain(words);
    expect(existsSync(join(cwd, "-"))).toBe(false);
  });
});
