import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";

const one = (more: string) => `- { press: 1, reaches: Asha Rao, ${more} }`;

function tested(files: Readonly<Record<string, string>>) {
  const cwd = exampleProject({
    "ivrs/sales/india.yaml": menu("India", "Asha Rao", `tests:\n  ${one("name: inside")}\n`),
    ...files,
  });
  return async (...args: string[]) => {
    const { exit, stdout } = await ivrctl(["test", ...args, "--format", "json"], { cwd });
    const { tests, diagnostics, not_run: notRun } = JSON.parse(stdout);
    const names = tests.map(({ key, name }: { key: string; name: string }) => `${key}: ${name}`);
    return { exit, names, tests, diagnostics, notRun };
  };
}

const beside = { "ivrs/sales/india.test.yaml": `tests:\n  ${one("name: beside")}\n` };
const elsewhere = {
  "ivrs/night.test.yaml": `menu: sales/india\ntests:\n  ${one("name: elsewhere")}\n  ${one("name: second")}\n`,
};

describe("*.test.yaml", () => {
  test("tests the menu of its path, or the one it names", async () => {
    const run = tested({ ...beside, ...elsewhere });
    const { exit, names, tests, diagnostics } = await run();
    expect({ exit, diagnostics }).toEqual({ exit: 0, diagnostics: [] });
    expect(names.slice(3)).toEqual([
      "sales/india: inside",
      "sales/india: elsewhere",
      "sales/india: second",
      "sales/india: beside",
    ]);
    expect(tests[4]).toMatchObject({ file: "ivrs/night.test.yaml", line: 3 });
  });

  test.each([
    [["ivrs/sales/india.test.yaml"], ["beside"]],
    [["ivrs/sales/india.yaml"], ["inside", "elsewhere", "second", "beside"]],
    [["ivrs/sales"], ["inside", "elsewhere", "second", "beside"]],
    [
      ["ivrs/night.test.yaml", "ivrs/sales/india.test.yaml"],
      ["elsewhere", "second", "beside"],
    ],
  ])("runs only the tests of %s", async (paths, names) => {
    const run = tested({ ...beside, ...elsewhere });
    expect((await run(...paths)).names).toEqual(names.map((name) => `sales/india: ${name}`));
  });

  test("several documents test several menus, and tests of a menu get different names", async () => {
    const run = tested({
      "ivrs/all.test.yaml": `menu: sales/india\ntests: [{ press: 1, steps: 1 }, { press: 1, via: option }]\n---\nmenu: example\ntests: [{ press: 2, steps: 1 }]\n`,
    });
    const { exit, names } = await run("ivrs/all.test.yaml");
    expect(exit).toBe(0);
    expect(names).toEqual(["example: press 2", "sales/india: press 1", "sales/india: press 1 (2)"]);
  });

  test.each([
    [
      "IVR313",
      "menu: sales/idnia\ntests: []\n",
      1,
      7,
      "There is no menu with the key `sales/idnia`.",
    ],
    [
      "IVR313",
      "tests: []\n",
      1,
      1,
      "The path of this file means the menu key `x`, and there is no such menu.",
    ],
    ["IVR106", "- { press: 1 }\n", 1, 1, "This is a list, not a mapping."],
    ["IVR106", "# nothing\n", 1, 1, "This file has no tests."],
    ["IVR202", "menu: example\n", 1, 1, "`tests` is missing."],
    ["IVR201", "menu: example\ntest: []\n", 2, 1, "There is no field `test`."],
    [
      "IVR201",
      "menu: example\ntests: [{ pres: 1 }]\n",
      2,
      11,
      "There is no field `pres` in `tests[0]`.",
    ],
    [
      "IVR301",
      "menu: example\ntests: [{ press: 1, reaches: Asah }]\n",
      2,
      30,
      "No agent is called `Asah`.",
    ],
    ["IVR101", "tests: [{ press: 1\n", 1, 9, "This { is never closed."],
  ])("reports %s in test and in validate: %j", async (code, text, line, column, message) => {
    const cwd = exampleProject({ "ivrs/x.test.yaml": text });
    for (const command of ["test", "validate"]) {
      const { exit, stdout } = await ivrctl([command, "--format", "json"], { cwd });
      expect(exit).toBe(1);
      const { diagnostics } = JSON.parse(stdout);
      expect(diagnostics).toMatchObject([
        { code, file: "ivrs/x.test.yaml", line, column, message },
      ]);
    }
  });

  test("reports all problems at once", async () => {
    const tests = (more: string) =>
      `tests:\n  - { press: 1, ${more}: option }\n  - { press: 1, reaches: Nobody }\n  - { press: 12, hears: [welcom] }\n  - { press: [], reaches: [], hears: [] }\n`;
    const inMenu = (text: string) => ({ "ivrs/x.yaml": text });
    const beside = (menu: string, text: string) => ({
      "ivrs/x.test.yaml": `menu: ${menu}\n${text}`,
    });
    const odd = menu("X").replace("{ 1:", "{ 12: Asha Rao, 1:");
    const always = ["IVR203", "IVR301", "IVR307"];
    for (const [files, codes] of [
      [inMenu(menu("X", "Asha Rao", tests("viaa"))), [...always, "IVR201", "IVR203", "IVR703"]],
      [inMenu(menu("X", "Asha Rao", tests("via"))), [...always, "IVR203", "IVR703"]],
      [inMenu(`${odd}${tests("viaa")}`), [...always, "IVR201", "IVR210", "IVR703", "IVR708"]],
      [
        inMenu(menu("X", "Nobody", `colour: blue\n${tests("via")}`)),
        [...always, "IVR201", "IVR301", "IVR703", "IVR203"],
      ],
      [beside("example", tests("viaa")), [...always, "IVR201", "IVR203"]],
      [beside("exmaple", tests("via")), [...always, "IVR313"]],
      [{ "ivrs/y.yaml": "name: [\n", ...beside("y", tests("via")) }, [...always, "IVR101"]],
    ] as const) {
      const cwd = exampleProject(files);
      const { stdout } = await ivrctl(["validate", "--format", "json"], { cwd });
      const found = JSON.parse(stdout).diagnostics.map(({ code }: { code: string }) => code);
      expect(found.toSorted()).toEqual(codes.toSorted());
    }
  });

  test("compile and plan ignore an invalid test file", async () => {
    const cwd = exampleProject({ "ivrs/x.test.yaml": "nonsense\n" });
    expect((await ivrctl(["compile"], { cwd })).exit).toBe(0);
    expect((await ivrctl(["plan"], { cwd })).exit).toBe(0);
  });

  test("reports an invalid menu also if only its test file was named", async () => {
    const run = tested({
      ...beside,
      "ivrs/sales/india.yaml": menu("India", "Asha Rao", "colour: blue\n"),
    });
    const { exit, names, notRun, diagnostics } = await run("ivrs/sales/india.test.yaml");
    expect({ exit, names, notRun }).toEqual({ exit: 1, names: [], notRun: ["sales/india"] });
    expect(diagnostics).toMatchObject([{ code: "IVR201", file: "ivrs/sales/india.yaml" }]);
  });

  test("reports an unreadable menu, and not that the menu is missing", async () => {
    const run = tested({ ...beside, "ivrs/sales/india.yaml": "name: [\n" });
    for (const paths of [[], ["ivrs/sales/india.test.yaml"]]) {
      const { exit, notRun, diagnostics } = await run(...paths);
      expect({ exit, notRun }).toEqual({ exit: 1, notRun: ["sales/india"] });
      expect(diagnostics).toMatchObject([{ code: "IVR101", file: "ivrs/sales/india.yaml" }]);
    }
  });

  test("reports an invalid test file if its menu was named", async () => {
    const run = tested({ "ivrs/sales/india.test.yaml": "tests: [{ press: [ }]\n" });
    const { exit, diagnostics } = await run("ivrs/sales/india.yaml");
    expect(exit).toBe(1);
    expect(diagnostics[0]).toMatchObject({ file: "ivrs/sales/india.test.yaml" });
  });
});
