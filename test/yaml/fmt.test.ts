import {
  chmodSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { Diagnostics } from "../../src/diagnostics/diagnostic.ts";
import { Source } from "../../src/diagnostics/source.ts";
import { format } from "../../src/yaml/formatter.ts";
import { cases, compileCommand, projectOf } from "../support/cases.ts";
import { exampleProject, folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";

const untidy = "name:   Sales # who\noptions:\n    1:  Asha Rao\n";
const tidy = "name: Sales # who\noptions:\n  1: Asha Rao\n";

function read(...path: string[]): string {
  return readFileSync(join(...path), "utf8");
}

describe("a file", () => {
  test("is not written if it is already formatted", async () => {
    const cwd = exampleProject();
    const before = statSync(join(cwd, "ivrs/example.yaml"));
    expect(await ivrctl(["fmt", "--quiet"], { cwd })).toEqual({ exit: 0, stdout: "", stderr: "" });
    expect(statSync(join(cwd, "ivrs/example.yaml")).ino).toBe(before.ino);
  });

  test("keeps its mode, and no temporary file stays", async () => {
    const cwd = exampleProject({ "ivrs/a.yaml": untidy });
    chmodSync(join(cwd, "ivrs/a.yaml"), 0o640);
    await ivrctl(["fmt"], { cwd });
    expect(read(cwd, "ivrs/a.yaml")).toBe(tidy);
    expect(statSync(join(cwd, "ivrs/a.yaml")).mode & 0o7777).toBe(0o640);
    expect(readdirSync(join(cwd, "ivrs"))).toEqual(["a.yaml", "example.yaml"]);
  });

  test.each([[[]], [["ivrs/link.yaml"]]])(
    "is not changed if it is a link: fmt %j",
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

  test("is not changed if it is read-only, and the other files are formatted", async () => {
    const cwd = exampleProject({ "ivrs/a.yaml": untidy, "ivrs/b.yaml": untidy });
    chmodSync(join(cwd, "ivrs/a.yaml"), 0o444);
    const { exit, stdout, stderr } = await ivrctl(["fmt"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "ivrs/b.yaml\n" });
    expect(stderr).toContain("error[IVR121]: ivrs/a.yaml cannot be written: permission denied.");
    expect(read(cwd, "ivrs/a.yaml")).toBe(untidy);
    expect(read(cwd, "ivrs/b.yaml")).toBe(tidy);
    expect(readdirSync(join(cwd, "ivrs"))).toEqual(["a.yaml", "b.yaml", "example.yaml"]);
  });
});

describe("the payloads of a project stay the same", () => {
  const clean = cases.filter(({ expected }) => expected["payloads.json"] !== undefined);

  test.each(clean)("$name", async (testCase) => {
    const cwd = projectOf(testCase);
    const { words, variables } = compileCommand(testCase);
    const compiled = () => ivrctl(words.slice(1), { cwd, env: variables });
    const before = await compiled();
    for (const file of testCase.files.keys()) {
      if (!/^ivrs\/.*\.yaml$/.test(file)) continue;
      const text = disarranged(read(cwd, file));
      const formatted = await formattedText(text);
      expect(formatted).not.toBe(text);
      expect(await formattedText(formatted)).toBe(formatted);
      writeFileSync(join(cwd, file), formatted);
    }
    expect((await compiled()).stdout).toBe(before.stdout);
  });

  /** Returns a text in a different layout, as the YAML library writes it. */
  function disarranged(text: string): string {
    const documents = parseAllDocuments(text, { schema: "failsafe" });
    const style = { indent: 5, indentSeq: false, flowCollectionPadding: false, lineWidth: 0 };
    const other = documents.map((document) => document.toString(style)).join("---\n");
    return text.includes("\r") ? text.replaceAll(": ", ":  ") : `# disarranged\n\n\n\n${other}`;
  }

  async function formattedText(text: string): Promise<string> {
    return (await format(new Source("ivrs/menu.yaml", text), new Diagnostics())) ?? "";
  }
});
