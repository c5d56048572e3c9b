import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { exampleProject, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";

const untidy = "name:   Sales # who\noptions:\n    1:  Asha Rao\n";
const tidy = "name: Sales # who\noptions:\n  1: Asha Rao\n";
const broken = "name:   [Sales\n";
const uncertain = "? |\n  key\n\n# c\n  - a\n";

function read(...path: string[]): string {
  return readFileSync(join(...path), "utf8");
}

describe("ivrctl fmt", () => {
  test("lays out the configuration, the menus and their tests, and says which", async () => {
    const cwd = exampleProject({
      "ivrctl.yaml": "version:   1\nenvironments: {sandbox: {service: sandbox}}\n",
      "ivrs/sales/india.yaml": untidy,
      "ivrs/sales/india.test.yaml": "- {press: 1}\n",
      "ivrs/.hidden.yaml": untidy,
      "elsewhere.yaml": untidy,
    });
    expect(await ivrctl(["fmt"], { cwd })).toEqual({
      exit: 0,
      stdout: "ivrctl.yaml\nivrs/sales/india.test.yaml\nivrs/sales/india.yaml\n",
      stderr: "3 files are formatted now.\n1 file is formatted already.\n",
    });
    expect(read(cwd, "ivrctl.yaml")).toBe(
      "version: 1\nenvironments: { sandbox: { service: sandbox } }\n",
    );
    expect(read(cwd, "ivrs/sales/india.yaml")).toBe(tidy);
    expect(read(cwd, "ivrs/sales/india.test.yaml")).toBe("- { press: 1 }\n");
    expect(read(cwd, "ivrs/.hidden.yaml")).toBe(untidy);
    expect(read(cwd, "elsewhere.yaml")).toBe(untidy);

    expect(await ivrctl(["fmt"], { cwd })).toEqual({
      exit: 0,
      stdout: "",
      stderr: "4 files are formatted already.\n",
    });
  });

  test("finds nothing to do in the example project, and writes nothing there", async () => {
    const cwd = exampleProject();
    const before = statSync(join(cwd, "ivrs/example.yaml"));
    expect(await ivrctl(["fmt", "--quiet"], { cwd })).toEqual({ exit: 0, stdout: "", stderr: "" });
    expect(statSync(join(cwd, "ivrs/example.yaml")).ino).toBe(before.ino);
  });

  test("--check writes nothing, and fails while a file is not laid out", async () => {
    const cwd = exampleProject({ "ivrs/sales.yaml": untidy });
    expect(await ivrctl(["fmt", "--check"], { cwd })).toEqual({
      exit: 1,
      stdout: "ivrs/sales.yaml\n",
      stderr: "1 file is not formatted; `ivrctl fmt` without --check mends that.\n",
    });
    expect(read(cwd, "ivrs/sales.yaml")).toBe(untidy);
    await ivrctl(["fmt"], { cwd });
    expect(await ivrctl(["fmt", "--check", "--quiet"], { cwd })).toEqual({
      exit: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("--format json has everything on stdout", async () => {
    const cwd = exampleProject({ "ivrs/sales.yaml": untidy, "ivrs/broken.yaml": broken });
    const { exit, stdout, stderr } = await ivrctl(["fmt", "--format", "json"], { cwd });
    expect(exit).toBe(1);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      format_version: "1.0",
      changed: ["ivrs/sales.yaml"],
      diagnostics: [expect.objectContaining({ code: "IVR101", file: "ivrs/broken.yaml", line: 1 })],
    });
    const again = await ivrctl(["fmt", "--format", "json", "ivrs/sales.yaml"], { cwd });
    expect(again.exit).toBe(0);
    expect(JSON.parse(again.stdout)).toEqual({
      format_version: "1.0",
      changed: [],
      diagnostics: [],
    });
  });

  test("leaves a file that YAML cannot read as it is, and lays out the others", async () => {
    const cwd = exampleProject({ "ivrs/a.yaml": broken, "ivrs/b.yaml": untidy });
    const { exit, stdout, stderr } = await ivrctl(["fmt"], { cwd });
    expect(exit).toBe(1);
    expect(stdout).toBe("ivrs/b.yaml\n");
    expect(stderr).toMatch(/error\[IVR101\][^]*ivrs\/a\.yaml:1:9[^]*1 error\n1 file is formatted/);
    expect(read(cwd, "ivrs/a.yaml")).toBe(broken);
    expect(read(cwd, "ivrs/b.yaml")).toBe(tidy);
  });

  test("leaves a file that it is not certain about as it is, which is no failure", async () => {
    const cwd = exampleProject({ "ivrs/odd.yaml": uncertain });
    for (const args of [["fmt"], ["fmt", "--check"]]) {
      const { exit, stdout, stderr } = await ivrctl(args, { cwd });
      expect(exit).toBe(0);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^warning\[IVR128\]: This file is left as it is[^]*ivrs\/odd\.yaml/);
      expect(read(cwd, "ivrs/odd.yaml")).toBe(uncertain);
    }
  });

  test("keeps CRLF and drops a byte order mark", async () => {
    const crlf = untidy.replaceAll("\n", "\r\n");
    const cwd = exampleProject({ "ivrs/bom.yaml": `\uFEFF${tidy}`, "ivrs/crlf.yaml": crlf });
    expect((await ivrctl(["fmt"], { cwd })).stdout).toBe("ivrs/bom.yaml\nivrs/crlf.yaml\n");
    expect(read(cwd, "ivrs/bom.yaml")).toBe(tidy);
    expect(read(cwd, "ivrs/crlf.yaml")).toBe(tidy.replaceAll("\n", "\r\n"));
  });

  test("needs a project where no path is given", async () => {
    const cwd = folder({ "ivrs/a.yaml": untidy });
    const { exit, stdout, stderr } = await ivrctl(["fmt"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain("error[IVR126]");
    expect(read(cwd, "ivrs/a.yaml")).toBe(untidy);
  });
});

describe("ivrctl fmt PATH…", () => {
  test("lays out these files and folders alone", async () => {
    const cwd = exampleProject({
      "ivrs/a.yaml": untidy,
      "ivrs/b.yaml": untidy,
      "ivrs/sub/c.yaml": untidy,
      "ivrs/subway.yaml": untidy,
      "ivrs/other.yml": untidy,
    });
    const { exit, stdout, stderr } = await ivrctl(["fmt", "ivrs/sub/", "./ivrs/a.yaml"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "ivrs/a.yaml\nivrs/sub/c.yaml\n" });
    expect(stderr).toBe("2 files are formatted now.\n");
    expect(read(cwd, "ivrs/b.yaml")).toBe(untidy);
    expect(read(cwd, "ivrs/subway.yaml")).toBe(untidy);
  });

  test("takes a file from outside the project, and needs no project for it", async () => {
    const outside = folder({ "menu.yaml": untidy });
    const file = join(outside, "menu.yaml");
    expect(await ivrctl(["fmt", file], { cwd: exampleProject() })).toEqual({
      exit: 0,
      stdout: `${file}\n`,
      stderr: "1 file is formatted now.\n",
    });
    expect(read(file)).toBe(tidy);
    expect((await ivrctl(["fmt", "menu.yaml"], { cwd: outside })).exit).toBe(0);
  });

  test("lays out the configuration that --config names instead of ivrctl.yaml", async () => {
    const cwd = exampleProject({ "other.yaml": "version:  1\n", "ivrctl.yaml": "version:  1\n" });
    const { stdout } = await ivrctl(["fmt", "--config", "other.yaml"], { cwd });
    expect(stdout).toBe("other.yaml\n");
    expect(read(cwd, "ivrctl.yaml")).toBe("version:  1\n");
  });

  test.each([
    ["a file that is not there", "ivrs/none.yaml", "IVR123"],
    ["a path through a file", "ivrctl.yaml/none.yaml", "IVR123"],
    ["a file of another kind", "agents.lock.json", "IVR124"],
    ["a menu with another ending", "ivrs/other.yml", "IVR124"],
  ])("says what is wrong with %s, and does the others", async (_, path, code) => {
    const cwd = exampleProject({ "ivrs/a.yaml": untidy, "ivrs/other.yml": untidy });
    const { exit, stdout, stderr } = await ivrctl(["fmt", path, "ivrs/a.yaml"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "ivrs/a.yaml\n" });
    expect(stderr).toContain(`error[${code}]: ${path} `);
  });

  test("takes the project's folder, or one around it, for the project", async () => {
    const around = folder({ "outside.yaml": untidy });
    cpSync(exampleProject({ "ivrs/a.yaml": untidy, "notes.yaml": untidy }), join(around, "p"), {
      recursive: true,
    });
    const cwd = join(around, "p");
    const { exit, stdout } = await ivrctl(["fmt", "--check", ".", "../outside.yaml"], { cwd });
    expect({ exit, stdout }).toEqual({
      exit: 1,
      stdout: `${join(around, "outside.yaml")}\nivrs/a.yaml\n`,
    });
    expect(await ivrctl(["fmt", ".."], { cwd })).toEqual({
      exit: 0,
      stdout: "ivrs/a.yaml\n",
      stderr: "1 file is formatted now.\n2 files are formatted already.\n",
    });
  });

  test("says so when a folder holds none of the project's files", async () => {
    const cwd = exampleProject({ "docs/a.yaml": untidy });
    const { exit, stdout, stderr } = await ivrctl(["fmt", "docs"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toContain("warning[IVR125]");
    expect(read(cwd, "docs/a.yaml")).toBe(untidy);
  });
});

describe("the file itself", () => {
  test("keeps its mode, and nothing is left beside it", async () => {
    const cwd = exampleProject({ "ivrs/a.yaml": untidy });
    chmodSync(join(cwd, "ivrs/a.yaml"), 0o640);
    await ivrctl(["fmt"], { cwd });
    expect(read(cwd, "ivrs/a.yaml")).toBe(tidy);
    expect(statSync(join(cwd, "ivrs/a.yaml")).mode & 0o7777).toBe(0o640);
    expect(readdirSync(join(cwd, "ivrs"))).toEqual(["a.yaml", "example.yaml"]);
  });

  test("is written through links inside the project, once", async () => {
    const cwd = exampleProject({ "shared/a.yaml": untidy });
    symlinkSync("../shared/a.yaml", join(cwd, "ivrs/one.yaml"));
    symlinkSync("../shared/a.yaml", join(cwd, "ivrs/two.yaml"));
    const { exit, stdout } = await ivrctl(["fmt"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "ivrs/one.yaml\n" });
    expect(read(cwd, "shared/a.yaml")).toBe(tidy);
    expect(lstatSync(join(cwd, "ivrs/one.yaml")).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(cwd, "shared"))).toEqual(["a.yaml"]);
  });

  test.each([[[]], [["ivrs/link.yaml"]]])(
    "is not touched when a link leaves the project: fmt %j",
    async (args) => {
      const outside = folder({ "a.yaml": untidy });
      const cwd = exampleProject();
      symlinkSync(join(outside, "a.yaml"), join(cwd, "ivrs/link.yaml"));
      const { exit, stdout, stderr } = await ivrctl(["fmt", ...args], { cwd });
      expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
      expect(stderr).toContain("error[IVR121]");
      expect(read(outside, "a.yaml")).toBe(untidy);
    },
  );

  test("is left alone when it is read-only, and the others are done", async () => {
    const cwd = exampleProject({ "ivrs/a.yaml": untidy, "ivrs/b.yaml": untidy });
    chmodSync(join(cwd, "ivrs/a.yaml"), 0o444);
    const { exit, stdout, stderr } = await ivrctl(["fmt"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "ivrs/b.yaml\n" });
    expect(stderr).toContain("error[IVR127]: ivrs/a.yaml cannot be written: permission denied.");
    expect(read(cwd, "ivrs/a.yaml")).toBe(untidy);
    expect(read(cwd, "ivrs/b.yaml")).toBe(tidy);
    expect(readdirSync(join(cwd, "ivrs"))).toEqual(["a.yaml", "b.yaml", "example.yaml"]);
  });
});

describe("what a project compiles to stays", () => {
  const cases = join(import.meta.dirname, "../cases");
  const common = join(cases, "_common");
  const names = readdirSync(cases).filter(
    (name) =>
      existsSync(join(cases, name, "ivrs")) && existsSync(join(cases, name, "payloads.json")),
  );

  test.each(names)("%s", async (name) => {
    const cwd = folder({});
    cpSync(join(cases, name), cwd, { recursive: true });
    if (!existsSync(join(cwd, "ivrctl.yaml"))) {
      cpSync(join(common, "ivrctl.yaml"), join(cwd, "ivrctl.yaml"));
    }
    for (const file of readdirSync(join(cwd, "ivrs"), { recursive: true, encoding: "utf8" })) {
      if (file.endsWith(".yaml")) disarrange(join(cwd, "ivrs", file));
    }
    const { env, variables } = about(cwd);
    const args = [
      "compile",
      ...(existsSync(join(cwd, "agents.lock.json"))
        ? []
        : ["--agents", join(common, "agents.json")]),
      ...(env === undefined ? [] : ["--env", env]),
    ];
    const options = { cwd, env: variables ?? {} };
    const before = await ivrctl(args, options);
    expect(before.exit).toBe(0);
    const formatted = await ivrctl(["fmt", "--quiet"], { cwd });
    expect(formatted).toEqual({ exit: 0, stdout: expect.stringContaining("ivrs/"), stderr: "" });
    const after = await ivrctl(args, options);
    expect(after.stdout).toBe(before.stdout);
    expect((await ivrctl(["fmt", "--check"], { cwd })).exit).toBe(0);
  });

  /** The same in another layout, by the YAML library. */
  function disarrange(file: string): void {
    const text = read(file);
    const documents = parseAllDocuments(text, { schema: "failsafe" });
    const style = { indent: 5, indentSeq: false, flowCollectionPadding: false, lineWidth: 0 };
    const other = documents.map((document) => document.toString(style)).join("---\n");
    writeFileSync(file, text.includes("\r") ? text : `# disarranged\n\n\n\n${other}`);
  }

  function about(cwd: string): { env?: string; variables?: Record<string, string> } {
    const file = join(cwd, "case.json");
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as object) : {};
  }
});
