import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Finished, command, exampleProject, folder, ivrctl } from "../support/cli.ts";

/** A cache folder of its own, and the command run with it. */
function kept() {
  const base = folder({});
  const cwd = exampleProject();
  const cache = join(base, "ivrctl");
  const run = (...args: string[]): Promise<Finished> =>
    ivrctl(args.length === 0 ? ["validate"] : args, { cwd, env: { XDG_CACHE_HOME: base } });
  const files = () => readdirSync(cache).map((name) => join(cache, name));
  /** The larger of the two that validate makes. */
  const file = (): string => {
    const [cli = "", project = "", ...others] = files().sort();
    expect(basename(cli)).toMatch(/^cli-/);
    expect(others).toEqual([]);
    return project;
  };
  return { base, cache, cwd, run, file, files };
}

/** Which file this is, and when it was written: another one is put in the place of what is of no use. */
function mark(path: string): string {
  const { ino, mtimeMs } = statSync(path);
  return `${ino} ${mtimeMs}`;
}

/** What validate says of the example, whatever became of the cache. */
const valid = { exit: 0, stderr: "", stdout: expect.stringMatching(/^1 menu is valid/) };

test("the first run keeps code, and the next one uses it", async () => {
  const { cache, run, file } = kept();
  expect(await run()).toEqual(valid);
  expect(file()).toMatch(new RegExp(`project-.*\\.cjs\\.${process.version}$`));
  expect(statSync(cache).mode & 0o777).toBe(0o700);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  const before = mark(file());
  expect(await run()).toEqual(valid);
  expect(mark(file())).toBe(before);
});

test("what is found is the same with and without", async () => {
  const { base, cwd, run } = kept();
  writeFileSync(join(cwd, "ivrs/wrong.yaml"), "name: A\noptions: { 1: Nobody }\n");
  const fresh = await run("validate", "--format", "json");
  expect(fresh.exit).toBe(1);
  expect(await run("validate", "--format", "json")).toEqual(fresh);
  const env = { XDG_CACHE_HOME: base, NODE_DISABLE_COMPILE_CACHE: "1" };
  expect(await ivrctl(["validate", "--format", "json"], { cwd, env })).toEqual(fresh);
});

test("house rules are loaded by code that was kept, too", async () => {
  const { cwd, run } = kept();
  mkdirSync(join(cwd, "rules"));
  writeFileSync(
    join(cwd, "rules/house.mjs"),
    `export default { name: "house", rules: { loud: { severity: "error", check: (menu, { report }) => report({ at: menu.recording.at, message: "Too quiet." }) } } };\n`,
  );
  const config = join(cwd, "ivrctl.yaml");
  writeFileSync(
    config,
    `${readFileSync(config, "utf8").replace(/^rules:[^]*?(?=^\S)/m, "")}\nrules: { plugins: [./rules/house.mjs] }\n`,
  );
  const fresh = await run();
  expect(fresh.stderr).toContain("Too quiet.");
  expect(await run()).toEqual(fresh);
});

test("no chunk that may be kept imports by itself, which kept code cannot", () => {
  const chunks = join(dirname(command), "chunks");
  const importing = readdirSync(chunks).filter((name) =>
    /(?<![\w$.])import\(/.test(readFileSync(join(chunks, name), "utf8")),
  );
  expect(importing).toEqual([expect.stringMatching(/^foreign-module-/)]);
});

test("every chunk has one byte a character, as what is kept with its code", () => {
  const chunks = join(dirname(command), "chunks");
  const wide = readdirSync(chunks)
    .map((name) => readFileSync(join(chunks, name), "utf8"))
    .filter(
      (text) => text.length >= 8000 && Buffer.from(text, "latin1").toString("latin1") !== text,
    );
  expect(wide).toEqual([]);
});

test("a chunk that was changed is run as it is now, though its length is the same", async () => {
  const program = folder({});
  cpSync(dirname(command), join(program, "dist"), { recursive: true });
  const chunks = join(program, "dist/chunks");
  const chunk = join(chunks, readdirSync(chunks).find((name) => name.startsWith("project-")) ?? "");
  const { base, cwd } = kept();
  const run = () => {
    const env = { ...process.env, XDG_CACHE_HOME: base, NODE_DISABLE_COMPILE_CACHE: "" };
    return execFileSync(process.execPath, [join(program, "dist/ivrctl.cjs"), "validate"], {
      cwd,
      env,
      encoding: "utf8",
    });
  };
  expect(run()).toContain("is valid");
  expect(run()).toContain("is valid");
  const before = readFileSync(chunk, "utf8");
  const after = before.replaceAll("menu is valid", "menu is VALID");
  expect(after).not.toBe(before);
  expect(after).toHaveLength(before.length);
  writeFileSync(chunk, after);
  expect(run()).toContain("is VALID");
});

describe("code that cannot be trusted is not used, and made again", () => {
  const bytes = (change: (kept: Buffer) => Buffer) => (path: string) =>
    writeFileSync(path, change(readFileSync(path)));
  const flipped = (place: number) =>
    bytes((kept) => {
      const at = Math.floor(place * (kept.length - 1));
      kept[at] = (kept[at] ?? 0) ^ 0x10;
      return kept;
    });
  const inSeal = (from: string, to: string) =>
    bytes((kept) => {
      const end = kept.indexOf("\n");
      const seal = kept.toString("latin1", 0, end);
      expect(seal).toContain(from);
      return Buffer.concat([Buffer.from(seal.replace(from, to)), kept.subarray(end)]);
    });

  test.each<readonly [what: string, harm: (path: string) => void]>([
    ["a bit is turned at the start", flipped(0)],
    ["a bit is turned in the text", flipped(0.1)],
    ["a bit is turned in the code", flipped(0.4)],
    ["a bit is turned further on", flipped(0.8)],
    ["a bit is turned at the end", flipped(1)],
    ["it is cut off", bytes((kept) => kept.subarray(0, kept.length / 2))],
    ["its last two bytes are gone", bytes((kept) => kept.subarray(0, -2))],
    ["it is empty", bytes(() => Buffer.alloc(0))],
    ["it is something else", bytes(() => Buffer.from("hello\nthere"))],
    ["another Node made it", inSeal(process.version, "v20.0.1")],
    ["others may write to it", (path) => chmodSync(path, 0o666)],
    [
      "it is a pipe",
      (path) => {
        rmSync(path);
        execFileSync("mkfifo", [path]);
      },
    ],
    [
      "it is a link",
      (path) => {
        renameSync(path, `${path}.real`);
        symlinkSync(`${path}.real`, path);
      },
    ],
  ])("%s", async (_, harm) => {
    const { run, file, files } = kept();
    await run();
    const path = file();
    harm(path);
    const before = mark(path);
    expect(await run()).toEqual(valid);
    expect(mark(path)).not.toBe(before);
    const mended = mark(path);
    expect(await run()).toEqual(valid);
    expect(mark(path)).toBe(mended);
    expect(files()).toContain(path);
  });

  test.runIf(process.getuid?.() === 0)("it is somebody else's", async () => {
    const { run, file } = kept();
    await run();
    chownSync(file(), 65_534, 65_534);
    expect(await run()).toEqual(valid);
    expect(statSync(file()).uid).toBe(0);
  });
});

describe("where nothing can be kept, nothing is said", () => {
  test("it is switched off", async () => {
    const { base, cache, cwd } = kept();
    const env = { XDG_CACHE_HOME: base, NODE_DISABLE_COMPILE_CACHE: "1" };
    expect(await ivrctl(["validate"], { cwd, env })).toEqual(valid);
    expect(existsSync(cache)).toBe(false);
  });

  test("there is no home", async () => {
    expect(await ivrctl(["validate"], { cwd: exampleProject(), env: { HOME: "" } })).toEqual(valid);
  });

  test("a file stands where the folder should be", async () => {
    const { cache, run } = kept();
    writeFileSync(cache, "mine");
    expect(await run()).toEqual(valid);
    expect(readFileSync(cache, "utf8")).toBe("mine");
  });

  test("a folder stands where a file should be", async () => {
    const { run, file } = kept();
    await run();
    const path = file();
    rmSync(path);
    mkdirSync(path);
    writeFileSync(join(path, "mine"), "");
    expect(await run()).toEqual(valid);
    expect(existsSync(join(path, "mine"))).toBe(true);
    // Nor is the draft left that could not be put there.
    expect(file()).toBe(path);
  });

  test("others may write into the folder", async () => {
    const { cache, run } = kept();
    mkdirSync(cache);
    chmodSync(cache, 0o777);
    expect(await run()).toEqual(valid);
    expect(readdirSync(cache)).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)("the home is somebody else's", async () => {
    const { base, cache, run } = kept();
    chownSync(base, 65_534, 65_534);
    expect(await run()).toEqual(valid);
    expect(existsSync(cache)).toBe(false);
  });

  test("there can be no such folder", async () => {
    const env = { XDG_CACHE_HOME: "/proc/none/of/these" };
    expect(await ivrctl(["validate"], { cwd: exampleProject(), env })).toEqual(valid);
  });

  test("the folder is a link", async () => {
    const { base, cache, run } = kept();
    mkdirSync(join(base, "elsewhere"), { mode: 0o700 });
    symlinkSync(join(base, "elsewhere"), cache);
    expect(await run()).toEqual(valid);
    expect(readdirSync(cache)).toEqual([]);
  });
});

test("many that start at once leave sound files, and none of their drafts", async () => {
  const { run, file } = kept();
  const all = await Promise.all(Array.from({ length: 8 }, () => run()));
  for (const one of all) expect(one).toEqual(valid);
  const before = mark(file());
  expect(await run()).toEqual(valid);
  expect(mark(file())).toBe(before);
});

test("what no version has used for a month is dropped, and nothing else that is there", async () => {
  const { cache, run, files } = kept();
  mkdirSync(cache, { mode: 0o700 });
  const [old, key] = [join(cache, "project-gone.cjs.v20.0.1"), join(cache, "cache.key")];
  for (const path of [old, key]) {
    writeFileSync(path, "");
    utimesSync(path, 1, 1);
  }
  expect(await run()).toEqual(valid);
  expect(files()).not.toContain(old);
  expect(files()).toContain(key);
});

test("commands that are over at once leave nothing", async () => {
  const { cache, run } = kept();
  expect(await run("--version")).toMatchObject({ exit: 0 });
  expect(await run("--help")).toMatchObject({ exit: 0 });
  expect(existsSync(cache)).toBe(false);
});
