import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, start } from "../support/cli.ts";
import { npm, pack } from "../support/package.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The instructions, each on one line. */
const instructions = read("Dockerfile")
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll("\\\n", "")
  .split("\n")
  .filter((line) => line !== "");
const of = (name: string) =>
  instructions
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.split(/\s+/).slice(1));

const ignored = new Set(read(".dockerignore").trim().split("\n"));

test("both stages stand on a Node that the tests run on", () => {
  const images = of("FROM").map(([image]) => image);
  expect(images).toEqual(["node:22-slim", "node:22-slim"]);
  expect(read("test/package/node-versions.test.ts")).toContain('"22.');
});

test("what is copied exists, and reaches the build", () => {
  const sources = of("COPY")
    .filter(([first]) => first?.startsWith("--from=") === false)
    .flatMap((words) => words.slice(0, -1));
  expect(sources).toContain("package-lock.json");
  for (const source of sources) {
    expect(existsSync(join(root, source))).toBe(true);
    expect(ignored).not.toContain(source);
  }
});

test("nothing that is packed is kept from the build, but for what the build makes", () => {
  const tops = new Set(pack().files.map(({ path }) => path.split("/")[0] ?? ""));
  expect([...tops].filter((name) => ignored.has(name))).toEqual(["dist"]);
});

test("it runs as nobody special, in the folder that git trusts", () => {
  expect(instructions.slice(-3)).toEqual([
    "USER node",
    "WORKDIR /project",
    'ENTRYPOINT ["ivrctl"]',
  ]);
  expect(read("Dockerfile")).toContain("safe.directory /project");
});

test("what the build stage installs runs from where it is copied to", async () => {
  const prefix = folder({});
  // As in the Dockerfile, where the folder is laid over /usr/local.
  npm(["install", "--global", "--offline", "--prefix", prefix, pack().tarball], prefix);
  expect(readlinkSync(join(prefix, "bin/ivrctl"))).toMatch(/^\.\.\/lib\/node_modules\/ivrctl\//);
  const { finished } = start(join(prefix, "bin/ivrctl"), ["--version"], { cwd: prefix });
  const { version } = JSON.parse(read("package.json"));
  expect(await finished).toEqual({ exit: 0, stdout: `${version}\n`, stderr: "" });
});
