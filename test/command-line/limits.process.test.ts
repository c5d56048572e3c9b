import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { git } from "../support/ci/repository.ts";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { limits } from "../../src/schema/limits.ts";

const menu = (options: string, fields = "") => `name: Big
description: d
recording: "10"
options: ${options}
invalid: { retries: 2, recording: "11", destination: Front Desk }
timeout: { wait: 5, retries: 2, retry_recording: "12", recording: "13", destination: Front Desk }
${fields}`;
const small = menu("{ 1: Asha Rao }");
const options = (count: number) =>
  Array.from({ length: count }, (_, at) => `\n  ${at}: Asha Rao`).join("");

async function found(cwd: string, ...args: readonly string[]) {
  const { stdout } = await ivrctl([...args, "--format", "json"], { cwd });
  const { diagnostics } = JSON.parse(stdout);
  return diagnostics.filter(({ code }: { code: string }) => code === "IVR130");
}

describe("limits", () => {
  const padded = (text: string, size: number) => `${text}#`.padEnd(size, "x");

  test("every command refuses a menu file that is too large", async () => {
    const cwd = exampleProject({ "ivrs/big.yaml": padded(small, limits.yamlFile + 1) });
    for (const args of [["validate"], ["compile"], ["test"], ["call", "big", "--press", "1"]]) {
      expect(await found(cwd, ...args)).toMatchObject([
        {
          file: "ivrs/big.yaml",
          message: "ivrs/big.yaml is larger than the limit of 1 MB.",
          hint: "Split it into several files.",
        },
      ]);
    }
    const fmt = await ivrctl(["fmt", "ivrs/big.yaml"], { cwd });
    expect(fmt).toMatchObject({ exit: 1, stderr: expect.stringContaining("error[IVR130]") });
    expect(readFileSync(join(cwd, "ivrs/big.yaml"), "utf8")).toHaveLength(limits.yamlFile + 1);
  });

  test("accepts a menu file of exactly the maximum size", async () => {
    const cwd = exampleProject({ "ivrs/big.yaml": padded(small, limits.yamlFile) });
    expect(await found(cwd, "validate")).toEqual([]);
  });

  test("limits the size of test files, the configuration, agent lists and pipes", async () => {
    const huge = "\n".repeat(limits.yamlFile + 1);
    const cwd = exampleProject({ "ivrs/a.test.yaml": huge });
    expect(await found(cwd, "test")).toMatchObject([{ file: "ivrs/a.test.yaml" }]);
    expect(await found(exampleProject({ "ivrctl.yaml": huge }), "validate")).toMatchObject([
      { file: "ivrctl.yaml" },
    ]);
    const piped = execFileSync(
      "bash",
      ["-c", `head -c 30000000 /dev/zero | "$0" "$1" validate --agents /dev/stdin; echo $?`].concat(
        process.execPath,
        join(import.meta.dirname, "../../dist/ivrctl.cjs"),
      ),
      { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
    );
    expect(piped).toMatch(/error\[IVR130\][^]*\n1\n$/);
  });

  test("limits the size of files in a git revision", async () => {
    const cwd = exampleProject({ "ivrs/big.yaml": padded(small, limits.yamlFile + 1) });
    git(cwd, "init", "-q");
    git(cwd, "add", ".");
    git(cwd, "commit", "-qm", "x");
    writeFileSync(join(cwd, "ivrs/big.yaml"), small);
    const { stderr, stdout } = await ivrctl(["diff", "HEAD"], { cwd });
    expect(stderr + stdout).toContain("ivrs/big.yaml is larger than the limit of 1 MB.");
  });

  test("limits the number of options of a menu", async () => {
    const cwd = exampleProject({ "ivrs/big.yaml": menu(options(limits.options)) });
    expect(await found(cwd, "validate")).toEqual([]);
    writeFileSync(join(cwd, "ivrs/big.yaml"), menu(options(2_000)));
    expect(await found(cwd, "validate")).toMatchObject([
      {
        line: 5 + limits.options,
        column: 3,
        message: "This menu has 2,000 options. The limit is 1,000.",
        hint: "Remove some of them.",
      },
    ]);
    expect((await ivrctl(["validate"], { cwd })).stdout).not.toContain("Keys 0 and 1000");
  });

  test("limits the number of keys in a test", async () => {
    const press = (count: number) =>
      `tests:\n  - press: [${"9,".repeat(count - 1)}9]\n    via: invalid\n`;
    const cwd = exampleProject({
      "ivrs/big.yaml": menu("{ 1: Asha Rao }", press(limits.keysPressed)),
    });
    expect(await found(cwd, "test")).toEqual([]);
    writeFileSync(join(cwd, "ivrs/big.yaml"), menu("{ 1: Asha Rao }", press(11_000)));
    expect(await found(cwd, "test")).toMatchObject([
      { message: "This test presses 11,000 keys. The limit is 10,000." },
    ]);
    const typed = await ivrctl(["call", "example", "--press", "9,".repeat(10_001).slice(0, -1)], {
      cwd,
    });
    expect(typed).toMatchObject({
      exit: 1,
      stderr: "ivrctl: `--press` accepts at most 10,000 keys.\n",
    });
  });

  test("reads 100 rules of an ignore comment", async () => {
    const names = Array.from({ length: 100_000 }, (_, at) => `a${at}`).join(", ");
    const cwd = exampleProject({ "ivrs/big.yaml": `# ivrctl-ignore: ${names}\n${small}` });
    const { stdout } = await ivrctl(["validate", "--format", "json"], { cwd });
    const { diagnostics } = JSON.parse(stdout);
    const unknown = diagnostics.filter(({ code }: { code: string }) => code === "IVR740");
    expect(unknown).toHaveLength(100);
    expect(unknown[99]).toMatchObject({ message: "There is no rule `a99`." });
  });

  test("the docs name every limit", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/menu-fields.md"), "utf8");
    for (const most of Object.values(limits)) {
      const shown = most >= 1_000_000 ? `${most / 1_000_000} MB` : most.toLocaleString("en-US");
      expect(page).toContain(`| ${shown} |`);
    }
  });
});
