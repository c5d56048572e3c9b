import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";

const support = menu("Support", "{ for: Help, agent: अनिल देशपांडे }");
const night = menu("Night", "Front Desk");

function project(files: Record<string, string> = {}) {
  const cwd = exampleProject({
    "ivrs/sales/support.yaml": support,
    "ivrs/sales/night.yaml": night,
    ...files,
  });
  return { cwd, run: (...args: string[]) => ivrctl(["graph", ...args], { cwd }) };
}

const docs = (name: string) => join(import.meta.dirname, "../../docs", name);

describe("graph", () => {
  test("prints the picture of one menu to stdout, and nothing else", async () => {
    const { run } = project();
    const { exit, stdout, stderr } = await run("sales/support");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toContain('n0 -->|"key 1 (Help)"| n1["अनिल देशपांडे<br/>Support"]\n');
    const svg = (await run("sales/support", "--format", "svg")).stdout;
    expect(svg).toMatch(/^<svg [^>]*role="img".*<title>Support<\/title>.*<\/svg>\n$/s);
  });

  test("writes a file for each menu and the flow, in folders like the menu keys", async () => {
    const { cwd, run } = project({ "ivrs/flow.yaml": menu("All") });
    const { exit, stdout, stderr } = await run("--format", "svg", "--out", "pictures");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toBe(
      "Wrote 5 pictures to pictures: _flow.svg, example.svg, flow.svg, sales/night.svg, sales/support.svg.\n",
    );
    expect(
      readdirSync(join(cwd, "pictures"), { recursive: true, encoding: "utf8" }).toSorted(),
    ).toEqual([
      "_flow.svg",
      "example.svg",
      "flow.svg",
      "sales",
      "sales/night.svg",
      "sales/support.svg",
    ]);
    const path = join(cwd, "pictures/sales/night.svg");
    writeFileSync(path, "old");
    expect(
      (await run("sales/night", "--format", "svg", "--out", "pictures", "--quiet")).stderr,
    ).toBe("");
    expect(readFileSync(path, "utf8")).toContain("<title>Night</title>");
  });

  test("marks links to menus that do not exist", async () => {
    const { run } = project({
      "ivrs/sales/night.yaml": menu("Night", "{ menu: sales/gone }"),
      "ivrs/sales/day.yaml": menu("Day", "{ menu: sales/broken }"),
      "ivrs/sales/broken.yaml": "name: [",
    });
    const one = (await run("sales/night")).stdout;
    expect(one).toContain('n1["sales/gone<br/>no such menu"]');
    expect(one).toMatch(/^class n1 fault$/m);
    const all = (await run("sales/*")).stdout;
    expect(all).toContain("→ sales/gone, no such menu");
    expect(all).toContain("→ sales/broken, has errors");
  });

  test.each(["g.svg", "pictures/G.MMD", "g.mermaid"])("refuses --out %s", async (out) => {
    const { cwd, run } = project();
    const { exit, stderr } = await run("--format", "svg", "--out", out);
    expect(exit).toBe(1);
    expect(stderr).toContain("`--out` must be a folder, not a file.");
    expect(existsSync(join(cwd, out))).toBe(false);
  });

  test("marks a blocked agent and an invalid menu, and exits with 1", async () => {
    const { cwd, run } = project({
      "ivrs/blocked.yaml": menu("Blocked", "Meera Joshi"),
      "ivrs/broken.yaml": "name: Broken\n",
    });
    const one = await run("blocked");
    expect(one).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("error[IVR304 blocked-agent]"),
    });
    expect(one.stderr).not.toContain("broken.yaml");
    expect(one.stdout).toContain('["Meera Joshi<br/>Support<br/>blocked"]');
    const all = await run("--out", "p");
    expect(all).toMatchObject({ exit: 1, stderr: expect.stringContaining("broken.yaml") });
    expect(readFileSync(join(cwd, "p/flow.mermaid"), "utf8")).toContain(
      '("Broken<br/>broken<br/>has errors")',
    );
    expect(existsSync(join(cwd, "p/broken.mermaid"))).toBe(false);
    expect(existsSync(join(cwd, "p/example.mermaid"))).toBe(true);
    expect(await run("broken")).toMatchObject({ exit: 1, stdout: "" });
  });

  test("reports a file that cannot be written, and writes the others", async () => {
    const { cwd, run } = project();
    mkdirSync(join(cwd, "p/example.mermaid"), { recursive: true });
    const { exit, stderr } = await run("--out", "p");
    expect(exit).toBe(1);
    expect(stderr).toContain("error[IVR121]: p/example.mermaid cannot be written");
    expect(stderr).toContain(
      "Wrote 3 pictures to p: flow.mermaid, sales/night.mermaid, sales/support.mermaid.",
    );
  });

  test.each(["file", "file/deep/er"])("reports once that %s is not a folder", async (out) => {
    const { cwd, run } = project({ file: "kept" });
    const { exit, stderr } = await run("--out", out);
    expect(exit).toBe(1);
    expect(stderr.match(/error\[.*/g)).toEqual([
      `error[IVR121]: ${out} cannot be written: a part of its path is a file.`,
    ]);
    expect(readFileSync(join(cwd, "file"), "utf8")).toBe("kept");
  });

  test("reports a picture that has the path of a folder for other pictures", async () => {
    const { run } = project({ "ivrs/example.svg/b.yaml": menu("B") });
    const { exit, stderr } = await run("example*", "example*/*", "--format", "svg", "--out", "p");
    expect(exit).toBe(1);
    expect(stderr).toContain("error[IVR121]: p/example.svg/b.svg cannot be written");
    expect(stderr).not.toContain("EEXIST");
    expect(stderr).toContain("Wrote 2 pictures to p: flow.svg, example.svg.");
  });

  test.each(["-", "", "/dev/stdout"])("refuses --out %j", async (out) => {
    const { run } = project();
    expect(await run("--out", out)).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("`--out` must be a folder"),
    });
  });

  test("warns if GitHub and GitLab would not draw the picture", async () => {
    const long = (at: number) => menu(`${"A long name ".repeat(90)}${at}`);
    const menus = Array.from({ length: 50 }, (_, at) => [`ivrs/m${at}.yaml`, long(at)]);
    const { run } = project(Object.fromEntries(menus));
    expect((await run()).stderr).toContain("GitHub and GitLab do not draw Mermaid of this size");
    expect((await run("--format", "svg")).stderr).toBe("");
  });
});

/** The pictures in the docs are what the command prints. `--update` draws them again. */
describe("the pictures in docs/graph.md", () => {
  test("graph.svg", async () => {
    const { run } = project();
    const { stdout } = await run("example", "--format", "svg");
    await expect(stdout).toMatchFileSnapshot(docs("graph.svg"));
  });
});
