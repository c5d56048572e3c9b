import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { subjects } from "../../src/schema/json-schema.ts";
import { command, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { contents, git, madeIn, projectFiles, repository } from "../support/init.ts";
import { menu } from "../support/project.ts";

const root = join(import.meta.dirname, "../..");
const template = (name: string) => readFileSync(join(root, "templates/project", name), "utf8");

async function init(cwd: string, ...args: string[]) {
  const { exit, stdout, stderr } = await ivrctl(["init", ...args], { cwd });
  return { exit, stderr, ...madeIn(stdout) };
}

const codes = ({ stderr }: { readonly stderr: string }) =>
  [...stderr.matchAll(/^\w+\[(IVR\d+).*\n --> ([^:\n]*)/gm)].map(([, ...words]) => words.join(" "));

describe("in an empty folder", () => {
  test("creates a project in which every command works without a warning", async () => {
    const cwd = folder({});
    expect(await init(cwd, "--ci", "none")).toMatchObject({
      exit: 0,
      created: projectFiles,
      changed: [],
      kept: [],
    });
    expect(Object.keys(contents(cwd))).toEqual([...projectFiles].sort());
    for (const args of [
      ["fmt", "--check"],
      ["validate"],
      ["test"],
      ["plan"],
      ["apply", "--auto-approve"],
      ["plan", "--detailed-exitcode"],
      ["doctor"],
    ]) {
      const { exit, stdout, stderr } = await ivrctl(args, { cwd });
      expect({ args, exit, said: stdout + stderr }).toMatchObject({ exit: 0 });
      expect(stdout + stderr).not.toMatch(/warning|error\[/);
    }
    // The agents are those of the sandbox.
    const real = await ivrctl(["validate", "--env", "production"], { cwd });
    expect(real.exit).toBe(0);
    expect(real.stdout.match(/IVR\d+/g)).toEqual(["IVR504"]);
  });

  test("prints the files and the next three commands", async () => {
    const cwd = folder({});
    const { exit, stdout, stderr } = await ivrctl(["init"], { cwd });
    expect(exit).toBe(0);
    expect(stdout).toBe(projectFiles.map((file) => `created  ${file}\n`).join(""));
    expect(stderr).toContain(
      "No pipeline files written. To add them later, remove the `#` before `state:` in ivrctl.yaml, add ivrctl to package-lock.json (see docs/ci.md) and run one of these:\n",
    );
    expect(stderr).toContain("\n  ivrctl init --ci github\n  ivrctl init --ci gitlab\n");
    const [, following = ""] = stderr.split("\nNext");
    const next = [...following.matchAll(/^ {2}ivrctl (\S+) /gm)].map(([, name]) => name);
    expect(next).toEqual(["validate", "plan", "apply"]);
  });

  test("writes the agents that the sandbox lists", async () => {
    const cwd = folder({});
    await init(cwd);
    const before = readFileSync(join(cwd, "agents.lock.json"), "utf8");
    rmSync(join(cwd, "agents.lock.json"));
    expect((await ivrctl(["agents", "pull", "--env", "sandbox"], { cwd })).exit).toBe(0);
    const pulled = readFileSync(join(cwd, "agents.lock.json"), "utf8");
    expect(pulled.replace(/ {2}"pulled_at": .*\n/, "")).toBe(before);
  });

  test("writes the schemas of this version, and the files refer to them", async () => {
    const cwd = folder({});
    await init(cwd);
    for (const subject of subjects) {
      const { stdout } = await ivrctl(["schema", subject]);
      expect(readFileSync(join(cwd, `schema/${subject}.schema.json`), "utf8")).toBe(stdout);
    }
    for (const file of ["ivrctl.yaml", "ivrs/front-desk.yaml"]) {
      const [, path = ""] = /\$schema=(\S+)/.exec(readFileSync(join(cwd, file), "utf8")) ?? [];
      expect(() => readFileSync(join(cwd, dirname(file), path))).not.toThrow();
    }
  });

  test("git ignores the state, or tracks it with the lines in the comment", async () => {
    const cwd = folder({});
    repository(cwd);
    await init(cwd);
    await ivrctl(["apply", "--auto-approve"], { cwd });
    const seen = () => git(cwd, "status", "--short", "-uall").match(/\.ivrctl\S*/g) ?? [];
    expect(seen()).toEqual([]);
    const kept = template("gitignore")
      .replace(/^\.ivrctl\/$/m, "")
      .replace(/^# {3}/gm, "");
    writeFileSync(join(cwd, ".gitignore"), kept);
    const names = seen();
    expect(names).toContain(".ivrctl/state/sandbox/00000001.jsonl");
    expect(names.filter((name) => !name.startsWith(".ivrctl/state/sandbox/"))).toEqual([]);
    for (const name of names) expect(git(cwd, "check-attr", "text", name)).toContain("unset");
  });

  test("-C creates the folder, and is part of the next commands", async () => {
    const cwd = folder({});
    const { exit, stderr } = await ivrctl(["init", "-C", "new/O'Brien & co"], { cwd });
    expect(exit).toBe(0);
    const [, line = ""] = /^ {2}(ivrctl validate .*?) {2}/m.exec(stderr) ?? [];
    const run = line.replace("ivrctl", `"${process.execPath}" "${command}"`);
    expect(spawnSync("sh", ["-c", run], { cwd, encoding: "utf8" }).stdout).toContain("1 menu is");
  });

  test("shows npx in the next commands if it was run by npx", async () => {
    const { stderr } = await ivrctl(["init"], { cwd: folder({}), env: { npm_command: "exec" } });
    expect(stderr).toContain("  npx --no -- ivrctl validate  ");
  });

  test("--quiet prints nothing", async () => {
    expect(await ivrctl(["init", "--quiet"], { cwd: folder({}) })).toEqual({
      exit: 0,
      stdout: "",
      stderr: "",
    });
  });
});

describe("in an existing project", () => {
  test("a second run changes nothing", async () => {
    const cwd = folder({});
    await init(cwd);
    const before = contents(cwd);
    expect(await init(cwd)).toMatchObject({
      exit: 0,
      created: [],
      changed: [],
      kept: projectFiles,
    });
    expect(contents(cwd)).toEqual(before);
    expect((await ivrctl(["init"], { cwd })).stderr).toContain(
      "Nothing to add: the project is complete.",
    );
  });

  test("completes what an interrupted run left", async () => {
    const whole = folder({});
    await init(whole);
    const wanted = contents(whole);
    for (let done = 0; done < projectFiles.length; done += 1) {
      const files = projectFiles.slice(0, done).map((file) => [file, wanted[file] ?? ""]);
      const cwd = folder(Object.fromEntries(files));
      expect((await init(cwd)).created).toEqual(projectFiles.slice(done));
      expect(contents(cwd)).toEqual(wanted);
    }
  });

  const own = "version: 1\ndefault_environment: a\nenvironments: { a: { service: sandbox } }\n";
  const [shared, all] = [[".gitignore", ".gitattributes"], projectFiles];
  const without = (...names: string[]) => all.filter((file) => !names.includes(file));
  test.each<[string, Record<string, string>, readonly string[]]>([
    [
      "own menus: no example",
      { "ivrs/a.yaml": menu("A") },
      without("agents.lock.json", "ivrs/front-desk.yaml"),
    ],
    [
      "only a test file: no example",
      { "ivrs/a.test.yaml": "tests: []\n" },
      without("agents.lock.json", "ivrs/front-desk.yaml"),
    ],
    [
      "a menu with another ending: no example",
      { "ivrs/sub/a.yml": menu("A") },
      without("agents.lock.json", "ivrs/front-desk.yaml"),
    ],
    ["own configuration: only files that fit it", { "ivrctl.yaml": own }, shared],
    [
      "a real service: no agents of the sandbox",
      {
        "ivrctl.yaml": template("ivrctl.yaml").replace(
          "default_environment: sandbox",
          "default_environment: production",
        ),
      },
      without("ivrctl.yaml", "agents.lock.json", "ivrs/front-desk.yaml"),
    ],
    [
      "other agents: no example",
      { "agents.lock.json": '[{ "name": "B", "eid": "1" }]' },
      without("agents.lock.json", "ivrs/front-desk.yaml"),
    ],
    [
      "an unreadable agent list: no example",
      { "agents.lock.json": "{" },
      without("agents.lock.json", "ivrs/front-desk.yaml"),
    ],
    [
      "the same agents, pulled: the example",
      {
        "agents.lock.json": template("agents.lock.json").replace(
          "{\n",
          '{\n  "pulled_at": "2026-11-15T07:39:49.166Z",\n',
        ),
      },
      without("agents.lock.json"),
    ],
    [
      "an edited configuration: the example",
      { "ivrctl.yaml": `${template("ivrctl.yaml")}rules: {}\n` },
      without("ivrctl.yaml"),
    ],
    ["other files in ivrs/: the example", { "ivrs/README.md": "x", "ivrs/.gitkeep": "" }, all],
  ])("adds only files that fit: %s", async (_, files, created) => {
    const cwd = folder(files);
    const made = await init(cwd);
    expect(made).toMatchObject({ exit: 0, created, changed: [] });
    expect(codes(made)).toEqual([]);
    for (const [name, text] of Object.entries(files)) {
      expect(readFileSync(join(cwd, name), "utf8")).toBe(text);
    }
    expect((await init(cwd)).created).toEqual([]);
  });

  test("suggests `agents pull` if there is no agent list", async () => {
    const cwd = folder({ "ivrs/a.yaml": menu("A") });
    const { stderr } = await ivrctl(["init"], { cwd });
    expect(stderr).toMatch(
      / {2}ivrctl agents pull .*\n {2}ivrctl validate .*\n {2}ivrctl plan .*\n$/,
    );
  });

  test.each([
    ["lines with LF", "dist/\n", (block: string) => `dist/\n\n${block}`],
    ["no newline at the end", "dist/", (block: string) => `dist/\n\n${block}`],
    ["CRLF", "a\r\nb\r\n", (block: string) => `a\r\nb\r\n\r\n${block.replaceAll("\n", "\r\n")}`],
    ["a byte order mark", "\uFEFFa\n", (block: string) => `\uFEFFa\n\n${block}`],
    ["nothing", "", (block: string) => block],
    ["a comment about it", "# .ivrctl/\n", (block: string) => `# .ivrctl/\n\n${block}`],
    ["another name", ".ivrctl-old/\n", (block: string) => `.ivrctl-old/\n\n${block}`],
  ])("appends missing lines to .gitignore and .gitattributes with %s", async (_, now, then) => {
    const cwd = folder({ ".gitignore": now, ".gitattributes": now });
    expect(await init(cwd)).toMatchObject({ exit: 0, changed: shared, kept: [] });
    expect(readFileSync(join(cwd, ".gitignore"), "utf8")).toBe(then(template("gitignore")));
    expect(readFileSync(join(cwd, ".gitattributes"), "utf8")).toBe(then(template("gitattributes")));
    expect(await init(cwd)).toMatchObject({ exit: 0, changed: [], kept: projectFiles });
  });

  test.each([
    [".gitignore", ".ivrctl"],
    [".gitignore", "/.ivrctl/"],
    [".gitignore", "**/.ivrctl/\r"],
    [".gitignore", ".ivrctl/*\n!.ivrctl/state/"],
    [".gitattributes", ".ivrctl/state/** -text"],
    [".gitattributes", "*.jsonl binary"],
  ])("does not change %s with %j", async (name, text) => {
    const cwd = folder({ [name]: text });
    expect((await init(cwd)).kept).toEqual([name]);
    expect(readFileSync(join(cwd, name), "utf8")).toBe(text);
  });

  test("does not ignore a state that is tracked in git", async () => {
    const cwd = folder({ ".ivrctl/state/production.json": "{}", ".gitignore": "dist/\n" });
    repository(cwd);
    git(cwd, "add", ".");
    expect(await init(cwd)).toMatchObject({ exit: 0, changed: [] });
    expect(readFileSync(join(cwd, ".gitignore"), "utf8")).toBe("dist/\n");
  });

  test("several runs at once create each file once", async () => {
    const whole = folder({});
    await init(whole);
    const cwd = folder({});
    const runs = await Promise.all([init(cwd), init(cwd), init(cwd)]);
    expect(runs.map(({ exit }) => exit)).toEqual([0, 0, 0]);
    const created: string[] = runs.flatMap((run) => run.created);
    expect(new Set(created)).toEqual(new Set(projectFiles));
    expect(created).toHaveLength(projectFiles.length);
    expect(contents(cwd)).toEqual(contents(whole));
  });
});

describe("init where a project cannot be created, or only in part", () => {
  test.each<[string, Record<string, string | Buffer>, readonly string[]]>([
    [
      "a broken configuration",
      { "ivrctl.yaml": "version: 1\nenvironments: [\n" },
      ["IVR101 ivrctl.yaml"],
    ],
    [
      "an invalid configuration",
      { "ivrctl.yaml": "version: 1\nenviroments: {}\n" },
      ["IVR201 ivrctl.yaml"],
    ],
    ["a configuration that is a folder", { "ivrctl.yaml/x": "" }, ["IVR121 ivrctl.yaml"]],
    ["ivrctl.yml", { "ivrctl.yml": "version: 1\n" }, ["IVR124 ivrctl.yml"]],
    ["a file called ivrs", { ivrs: "" }, ["IVR121 ivrs"]],
    ["a file called schema", { schema: "" }, ["IVR121 schema"]],
    ["a folder called .gitignore", { ".gitignore/x": "" }, ["IVR121 .gitignore"]],
    [
      "a .gitignore in UTF-16",
      { ".gitignore": Buffer.from("\uFEFFdist/\n", "utf16le") },
      ["IVR104 .gitignore"],
    ],
  ])("writes nothing: %s", async (_, files, expected) => {
    const cwd = folder(files);
    const before = contents(cwd);
    const made = await init(cwd);
    expect(made).toMatchObject({ exit: 1, created: [], changed: [] });
    expect(codes(made).filter((code, at, list) => list.indexOf(code) === at)).toEqual(expected);
    expect(contents(cwd)).toEqual(before);
    const { exit, stdout, stderr } = await ivrctl(["init"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).not.toContain("Next");
  });

  test("refuses a folder inside another project, unless that folder is a repository", async () => {
    const cwd = folder({});
    await init(cwd);
    for (const inner of ["ivrs", "docs/deep"]) {
      const made = await ivrctl(["init", "-C", inner], { cwd });
      expect(made).toMatchObject({ exit: 1, stdout: "" });
      expect(made.stderr).toContain("IVR660");
      expect(made.stderr).toContain("ivrctl init -C .\n");
    }
    const name = basename(cwd);
    const above = await ivrctl(["init", "-C", `${name}/ivrs/deep`], { cwd: dirname(cwd) });
    expect(above.stderr).toContain(`ivrctl init -C ${name}\n`);
    mkdirSync(join(cwd, "docs"));
    const below = await ivrctl(["init"], { cwd: join(cwd, "docs") });
    expect(below.stderr).toContain("ivrctl init -C ..\n");
    mkdirSync(join(cwd, "vendored"));
    repository(join(cwd, "vendored"));
    expect(await init(join(cwd, "vendored"))).toMatchObject({ exit: 0, created: projectFiles });
  });

  test("does not follow links out of the project", async () => {
    const outside = folder({ "keep.txt": "dist/\n", "folder/x": "" });
    const cwd = folder({});
    symlinkSync(join(outside, "keep.txt"), join(cwd, ".gitignore"));
    symlinkSync(join(outside, "folder"), join(cwd, "ivrs"));
    symlinkSync("/nowhere", join(cwd, "schema"));
    const made = await init(cwd);
    expect(made).toMatchObject({ exit: 1, created: [], changed: [] });
    expect(codes(made)).toEqual(["IVR121 .gitignore", "IVR121 ivrs", "IVR121 schema"]);
    expect(contents(outside)).toEqual({ "keep.txt": "dist/\n", "folder/x": "" });
  });

  test("refuses a menu folder that is a link, also to a folder in the project", async () => {
    const cwd = folder({});
    await init(cwd);
    renameSync(join(cwd, "ivrs"), join(cwd, "menus"));
    symlinkSync("menus", join(cwd, "ivrs"));
    const made = await init(cwd);
    expect([made.exit, ...codes(made)]).toEqual([1, "IVR121 ivrs"]);
    renameSync(join(cwd, "menus/front-desk.yaml"), join(cwd, "menus/other.yaml"));
    const { exit, stderr } = await ivrctl(["init", "--ci", "none"], { cwd });
    expect([exit, stderr]).toEqual([
      1,
      expect.stringContaining("ivrs is a symbolic link, which ivrctl"),
    ]);
    expect((await ivrctl(["validate"], { cwd })).stdout).toContain("IVR121");
  });

  test("keeps links to files in the project, and broken links", async () => {
    const cwd = folder({ "shared/ignore": "dist/\n" });
    symlinkSync("shared/ignore", join(cwd, ".gitignore"));
    symlinkSync("/nowhere", join(cwd, "agents.lock.json"));
    expect(await init(cwd)).toMatchObject({
      exit: 0,
      changed: [".gitignore"],
      kept: ["agents.lock.json"],
    });
    expect(readFileSync(join(cwd, "shared/ignore"), "utf8")).toContain("\n.ivrctl/\n");
  });

  test.each([
    ["a file", "/etc/passwd", "IVR660"],
    ["inside a file", "/etc/passwd/x", "IVR660"],
    ["where no folder can be created", "/proc/ivrctl", "IVR121"],
  ])("refuses -C: %s", async (_, path, code) => {
    const { exit, stderr } = await ivrctl(["init", "-C", path]);
    expect([exit, stderr]).toEqual([1, expect.stringContaining(code)]);
  });

  test("leaves no partial file on a full disk, and the next run completes the project", async () => {
    const cwd = folder({ ".gitignore": "dist/\n" });
    const limited = `ulimit -f 8; exec "${process.execPath}" "${command}" init`;
    const ran = spawnSync("bash", ["-c", limited], { cwd, encoding: "utf8" });
    const made = madeIn(ran.stdout);
    expect(ran.status).toBe(1);
    expect(codes(ran)).toEqual([expect.stringMatching(/^IVR121 schema\//)]);
    expect(new Set(Object.keys(contents(cwd)))).toEqual(new Set([".gitignore", ...made.created]));
    expect((await init(cwd)).exit).toBe(0);
    expect(Object.keys(contents(cwd))).toEqual([...projectFiles].sort());
  });

  test("reports a read-only file", async () => {
    const cwd = folder({ ".gitignore": "dist/\n" });
    spawnSync("chmod", ["444", join(cwd, ".gitignore")]);
    const made = await init(cwd);
    expect([made.exit, ...codes(made)]).toEqual([1, "IVR121 .gitignore"]);
    expect(readFileSync(join(cwd, ".gitignore"), "utf8")).toBe("dist/\n");
  });

  test.each([
    [["--ci", "githb"], '"github", "gitlab", "none"'],
    [["phones"], "Unexpected argument `phones`."],
  ])("refuses %j", async (args, message) => {
    const cwd = folder({});
    const { exit, stderr } = await ivrctl(["init", ...args], { cwd });
    expect([exit, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(contents(cwd)).toEqual({});
  });
});
