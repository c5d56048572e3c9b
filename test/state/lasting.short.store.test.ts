import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { root } from "../support/cli.ts";
import { gitRemote } from "../support/git-remote.ts";
import { keepIn, kept, lastingIn, newest, project, sumOf } from "./lasting.ts";

test("what a released version wrote does not change", () => {
  const names = readdirSync(kept, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => name.includes("/"));
  const sums = files.map((name) => [name, sumOf(readFileSync(join(kept, name)))]);
  expect(Object.fromEntries(sums)).toEqual({
    "8/basic-file.txt.gz": "51c70b642a9fe87f",
    "8/basic-git.txt.gz": "e28c1adbbb23daa8",
    "8/basic-postgres.txt.gz": "807c786618a03a40",
    "8/basic-s3.txt.gz": "04f005dc929bd6db",
    "8/fields-file.txt.gz": "e5c55fb4727b61a7",
    "8/ivrctl.json.br": "b92d823bbcf886dc",
    "8/more-file.txt.gz": "133ef251b751bba4",
    "8/more-git.txt.gz": "d8f23162c9db52a7",
    "8/more-postgres.txt.gz": "0f531b0a3cc32b3e",
    "8/more-s3.txt.gz": "4d311509670e337a",
  });
});

test("a menu whose fields have other names since is the same menu", async () => {
  const { path, url, state, json, run, older } = await project("8", "fields", "file");
  const before = state.dump();
  const { menus } = await json("state", "show", "a");
  expect(menus).toMatchObject([
    {
      current: {
        menu: {
          options: [{ key: "1", sms: { id: "77", alias: "paid" } }, { key: "2" }],
          invalid: { final_recording: { id: "14" } },
          timeout: { wait: "05" },
          extra: { timeout_retries: 3 },
        },
      },
    },
  ]);
  const file = join(path, "ivrs/a.yaml");
  const renamed = readFileSync(file, "utf8")
    .replace(', recording_invalid: "14"', "")
    .replace('recording: "11"', 'recording: "11", final_recording: "14"');
  expect((await older("state", "list")).exit).toBe(0);
  expect(state.dump()).toEqual(before);
  writeFileSync(file, renamed);
  await run("state", "rebind", "--to", url, "--evidence", "a test");
  expect(await json("plan")).toMatchObject({ changes: [], summary: { unchanged: 1 } });
});

test("a state that an older build moved to a git branch is used there, and refused where it was", async () => {
  const { path, json, run, older } = await project("8", "basic", "file");
  const configuration = readFileSync(join(path, "ivrctl.yaml"), "utf8");
  const configure = (state: string) =>
    writeFileSync(
      join(path, "ivrctl.yaml"),
      configuration.replace("state: {", `state: { backend: ${state},`),
    );
  const before = await json("state", "list");
  execFileSync("git", ["init", "--quiet"], { cwd: path });
  execFileSync("git", ["remote", "add", "origin", gitRemote().path], { cwd: path });
  configure("git, from: { backend: file }");
  expect(await older("state", "migrate")).toMatchObject({ exit: 0 });
  configure("git");
  const moved = await json("state", "list");
  expect(moved).toEqual({ ...before, place: moved.place });
  configure("file");
  expect(await run("state", "list")).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining("IVR674"),
  });
  // This build moves it back, and the older one goes on.
  configure("file, from: { backend: git }");
  expect(await run("state", "migrate")).toMatchObject({ exit: 0 });
  configure("file");
  expect(await json("state", "list")).toEqual(before);
  expect(await older("state", "list")).toMatchObject({ exit: 0 });
});

describe.each(["file"] as const)("in %s,", (backend) => {
  lastingIn(backend);
  keepIn(backend);
});

if (process.env["IVRCTL_KEEP_FORMAT"] !== undefined) {
  test("keeps the build with the newest format", () => {
    const chunks = readdirSync(join(root, "dist/chunks")).map((name) => `dist/chunks/${name}`);
    const names = ["package.json", "schema/state-postgres.sql", "dist/ivrctl.cjs", ...chunks];
    const files = names.map((name) => [name, readFileSync(join(root, name), "utf8")]);
    const packed = brotliCompressSync(JSON.stringify(Object.fromEntries(files)));
    mkdirSync(join(kept, newest), { recursive: true });
    writeFileSync(join(kept, newest, "ivrctl.json.br"), packed, { flag: "wx" });
    expect(files.length).toBeGreaterThan(100);
  });
}
