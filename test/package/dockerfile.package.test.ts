import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, start } from "../support/cli.ts";
import { npm, pack } from "../support/package.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The instructions, one per line. */
const instructions = read("Dockerfile")
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll("\\\n", "")
  .split("\n")
  .filter((line) => line !== "");
const of = (name: string) =>
  instructions
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.split(/\s+/).slice(1));

const packed = pack();
const ignored = new Set(read(".dockerignore").trim().split("\n"));

test("all copied files exist and are not ignored", () => {
  const sources = of("COPY")
    .filter(([first]) => first?.startsWith("--from=") === false)
    .flatMap((words) => words.slice(0, -1));
  expect(sources).toContain("package-lock.json");
  for (const source of sources) {
    expect(existsSync(join(root, source))).toBe(true);
    expect(ignored).not.toContain(source);
  }
});

test("the build has all files of the package except dist", () => {
  const tops = new Set(packed.files.map(({ path }) => path.split("/")[0] ?? ""));
  expect([...tops].filter((name) => ignored.has(name))).toEqual(["dist"]);
});

test("the installed command runs from the folder it is copied to", async () => {
  const prefix = folder({});
  // Like the Dockerfile, which copies the folder to /usr/local.
  npm(["install", "--global", "--offline", "--prefix", prefix, packed.tarball], prefix);
  expect(readlinkSync(join(prefix, "bin/ivrctl"))).toMatch(/^\.\.\/lib\/node_modules\/ivrctl\//);
  const { finished } = start(join(prefix, "bin/ivrctl"), ["--version"], { cwd: prefix });
  const { version } = JSON.parse(read("package.json"));
  expect(await finished).toEqual({ exit: 0, stdout: `${version}\n`, stderr: "" });
});
