import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { command, exampleProject, folder, ivrctl } from "../support/cli.ts";
import { menu, project, service } from "../support/project.ts";

/** The example with so many menus more, each with a note to be told. */
function many(count: number) {
  const text = (n: number) => menu(`Line ${n}`, "Asha Rao, 2: Asha Rao");
  const menus = Array.from({ length: count }, (_, n) => [`ivrs/line-${n}.yaml`, text(n)]);
  const path = exampleProject(Object.fromEntries(menus));
  const home = folder({});
  const run = (args: readonly string[], env: Record<string, string> = {}, bundle = command) =>
    ivrctl(args, { cwd: path, env: { XDG_CACHE_HOME: home, ...env }, bundle });
  const cache = join(path, ".ivrctl/cache");
  const packs = () => readdirSync(cache).filter((name) => name.endsWith(".pack"));
  return { path, home, run, cache, packs };
}

const off = { IVRCTL_CACHE: "off" };

test("a project of many menus is remembered, and says the same again", async () => {
  const { path, run, packs } = many(60);
  const fresh = await run(["validate"], off);
  expect(fresh).toMatchObject({ exit: 0, stdout: expect.stringContaining("menus are valid") });
  expect(fresh.stderr).toContain("same-destination-twice");
  expect(existsSync(join(path, ".ivrctl"))).toBe(false);
  expect(await run(["validate"])).toEqual(fresh);
  expect(packs()).toHaveLength(1);
  const [pack = ""] = packs();
  const written = statSync(join(path, ".ivrctl/cache", pack)).mtimeMs;
  expect(await run(["validate"])).toEqual(fresh);
  expect(statSync(join(path, ".ivrctl/cache", pack)).mtimeMs).toBe(written);
  rmSync(join(path, ".ivrctl"), { recursive: true });
  expect(await run(["validate"])).toEqual(fresh);
});

test("a small project is left alone", async () => {
  const { path, run } = many(3);
  expect(await run(["validate"])).toMatchObject({ exit: 0 });
  expect(existsSync(join(path, ".ivrctl"))).toBe(false);
});

test("a mistake made since is found, and so is its mend", async () => {
  const { path, run } = many(60);
  const fresh = await run(["validate"]);
  const file = join(path, "ivrs/line-7.yaml");
  const sound = readFileSync(file, "utf8");
  writeFileSync(file, sound.replace("Asha Rao", "Asha Roa"));
  const wrong = await run(["validate"]);
  expect(wrong).toMatchObject({ exit: 1, stderr: expect.stringContaining("IVR301") });
  expect(wrong).toEqual(await run(["validate"], off));
  writeFileSync(file, sound.replace("Line 7", "Line 8"));
  expect((await run(["validate"])).stderr).toContain("is taken by");
  writeFileSync(file, sound);
  expect(await run(["validate"])).toEqual(fresh);
});

test("after an upgrade nothing is believed that another build found out", async () => {
  const { run } = many(60);
  const advice = "If that is meant, silence the rule on this line.";
  expect((await run(["validate"])).stderr).toContain(advice);
  const build = upgraded(advice, "Another build says this in other words.");
  const { stderr } = await run(["validate"], {}, build);
  expect(stderr).toContain("Another build says this in other words.");
  expect(stderr).not.toContain(advice);
  expect((await run(["validate"])).stderr).toContain(advice);
});

/** Another build, which differs in one sentence and, as builds do, in its digest. */
function upgraded(words: string, instead: string): string {
  const dist = join(folder({}), "dist");
  cpSync(dirname(command), dist, { recursive: true });
  const chunks = join(dist, "chunks");
  const digests: string[] = [];
  for (const name of readdirSync(chunks)) {
    const text = readFileSync(join(chunks, name), "utf8");
    const [digest] = /(?<=`|'|")[0-9a-f]{64}(?=`|'|")/.exec(text) ?? [];
    if (digest !== undefined) digests.push(digest);
    const other = text.replaceAll(words, instead).replaceAll(digest ?? words, "0".repeat(64));
    if (other !== text) writeFileSync(join(chunks, name), other);
  }
  expect(digests).toHaveLength(1);
  return join(dist, "ivrctl.cjs");
}

test("several runs at once do not disturb each other", async () => {
  const { run, cache } = many(60);
  const fresh = await run(["validate"], off);
  const all = await Promise.all(Array.from({ length: 4 }, () => run(["validate"])));
  for (const ran of all) expect(ran).toEqual(fresh);
  expect(await run(["validate"])).toEqual(fresh);
  expect(readdirSync(cache).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("where nothing can be kept, nothing is said of it", async () => {
  const { path, run } = many(60);
  const fresh = await run(["validate"], off);
  // Neither a place for the key nor, with one, a place for what was found out.
  expect(await run(["validate"], { XDG_CACHE_HOME: "/dev/null/nowhere" })).toEqual(fresh);
  expect(existsSync(join(path, ".ivrctl"))).toBe(false);
  writeFileSync(join(path, ".ivrctl"), "");
  expect(await run(["validate"])).toEqual(fresh);
});

test("a cache that came with a checkout is not believed", async () => {
  const { path, run, packs } = many(60);
  await run(["validate"]);
  const home = folder({});
  const before = packs().map((name) => readFileSync(join(path, ".ivrctl/cache", name)));
  expect(await run(["validate"], { XDG_CACHE_HOME: home })).toMatchObject({ exit: 0 });
  // Written anew, with a sum of this user's own.
  const after = packs().map((name) => readFileSync(join(path, ".ivrctl/cache", name)));
  expect(after.length).toBe(before.length);
  expect(after[0]?.equals(before[0] ?? Buffer.alloc(0))).toBe(false);
});

test("diff, fmt, test and compile say the same again", async () => {
  const { path, run } = many(60);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: path, stdio: "pipe" });
  const who = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  git("init", "--quiet");
  git("add", "--all");
  git(...who, "commit", "--quiet", "--message", "first");
  writeFileSync(join(path, "ivrs/line-7.yaml"), menu("Line 7", "Front Desk"));
  for (const args of [
    ["diff"],
    ["diff", "--format", "markdown"],
    ["fmt", "--check"],
    ["test", "--format", "json"],
    ["compile"],
  ]) {
    const fresh = await run(args, off);
    expect(await run(args)).toEqual(fresh);
    expect(await run(args)).toEqual(fresh);
  }
});

test("a plan may use it, and what is sent is compiled anew", async () => {
  const { url } = await service();
  const { path, run, env } = project(url, { a: menu("Alpha"), b: menu("Beta") });
  const home = folder({});
  const always = { ...env, IVRCTL_CACHE: "always", XDG_CACHE_HOME: home };
  const cached = (...args: string[]) => ivrctl(args, { cwd: path, env: always });
  expect(await cached("plan", "--out", "kept.json")).toMatchObject({ exit: 0 });
  expect(existsSync(join(path, ".ivrctl"))).toBe(false);
  const fresh = await run("plan");
  expect(await cached("plan")).toEqual(fresh);
  expect(readdirSync(join(path, ".ivrctl"))).toEqual(["cache"]);
  expect(await cached("plan")).toEqual(fresh);
  rmSync(join(path, ".ivrctl"), { recursive: true });
  expect(await cached("apply", "kept.json")).toMatchObject({ exit: 0 });
  expect(await cached("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(readdirSync(join(path, ".ivrctl"))).not.toContain("cache");
});

test("another wish than off or always is a wrong call", async () => {
  const { run } = many(1);
  const { exit, stderr } = await run(["validate"], { IVRCTL_CACHE: "on" });
  expect(exit).toBe(1);
  expect(stderr).toContain("IVRCTL_CACHE is `off` or `always`, not on.");
});
