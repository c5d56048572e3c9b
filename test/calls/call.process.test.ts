import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { menu } from "../support/project.ts";
import { atTerminal } from "../support/terminal.ts";

function calling(files: Readonly<Record<string, string>> = {}) {
  const cwd = exampleProject(files);
  const call = (...args: string[]) => ivrctl(["call", ...args], { cwd });
  return {
    cwd,
    call,
    json: async (...args: string[]) => {
      const { exit, stdout } = await call(...args, "--format", "json");
      return { exit, value: JSON.parse(stdout) };
    },
  };
}

describe("call --press", () => {
  test("prints the call step by step", async () => {
    const { call } = calling();
    expect(await call("example", "--press", "9,_,2")).toEqual({
      exit: 0,
      stdout: `example  “Front desk”
  calls      hears welcome “For sales, press 1. For billing, press 2. For an operator, press 0.”
  presses 9  wrong key 1 of 3; hears not-valid “That key is not in use.”
  is silent  silence 1 of 3; hears still-there “Are you still there?”
  presses 2  option: Billing
  ends       at Ravi Kumar (extension 500102), via option, after 3 steps
`,
      stderr: "",
    });
  });

  test("accepts a silent caller, and reports keys that were not pressed", async () => {
    const { json, call } = calling();
    expect((await json("example", "--press", "")).value).toMatchObject({ via: "timeout" });
    const { exit, stderr } = await call("example", "--press", "1,2,_");
    expect({ exit, stderr }).toEqual({
      exit: 1,
      stderr: "The call ended before these keys were pressed: 2,_\n",
    });
    expect((await json("example", "--press", "1,2")).value).toMatchObject({ unused: ["2"] });
  });

  test.each([
    [
      "Meera Joshi",
      "at Meera Joshi (extension 500105), who is blocked and gets no calls,",
      "blocked",
      "500105",
    ],
    ["Nobody", "at Nobody (not on the agent list),", "not-listed", null],
    ["Ravi Kumar", "at Ravi Kumar (several agents match),", "several", null],
  ])("shows the problem with %s only if the call ends there", async (name, words, problem, eid) => {
    const { call, json } = calling({ "ivrs/sales.yaml": menu("Sales", name) });
    const { exit, stdout, stderr } = await call("sales", "--press", "1");
    const next = "To see the errors of sales, run:\n  ivrctl validate sales --env sandbox\n";
    // For a blocked agent, the line in stdout says everything.
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: problem === "blocked" ? "" : next });
    expect(stdout).toContain(words);
    const { value } = await json("sales", "--press", "1");
    expect(value).toMatchObject({
      reached: { name, eid, problem },
      diagnostics: [{ severity: "error" }],
    });
    expect((await call("sales", "--press", "9")).exit).toBe(0);
  });

  test("ignores problems of other menus, but not of this one", async () => {
    const { call, json } = calling({
      "ivrs/sales.yaml": menu("Sales", "Asha Rao", "colour: blue\n"),
    });
    expect((await call("example", "--press", "1")).exit).toBe(0);
    const { exit, stdout, stderr } = await call("sales", "--press", "1");
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain("error[IVR201]");
    expect((await json("sales", "--press", "1")).value).toMatchObject({
      key: "sales",
      via: null,
      reached: null,
      diagnostics: [{ code: "IVR201" }],
    });
  });

  test("reports an unreadable file, and not a missing menu", async () => {
    const { json } = calling({ "ivrs/sales.yaml": "name: [\n" });
    const { exit, value } = await json("sales", "--press", "1");
    expect(exit).toBe(1);
    expect(value.diagnostics).toMatchObject([{ code: "IVR101", file: "ivrs/sales.yaml" }]);
  });

  test("makes no call with an invalid configuration or without an agent list", async () => {
    const broken = calling({
      "ivrctl.yaml": "version: 1\nenvironments: { e: {} }\ncolour: blue\n",
    });
    expect((await broken.json("example", "--press", "1")).value).toMatchObject({ via: null });
    const listless = calling({ "agents.lock.json": "[" });
    const { exit } = await listless.call("example", "--press", "1");
    expect(exit).toBe(1);
  });

  test.each([
    [["exmple", "--press", "1"], "IVR313", "Did you mean `example`?"],
    [["ivrs/exmple.yaml", "--press", "1"], "IVR313", "Did you mean `example`?"],
    [[], "An argument is missing", "ivrctl call --help"],
    [["example"], "`ivrctl call` needs `--press`", "--press 1,2,_"],
    [["example", "--format", "json"], "`ivrctl call` needs `--press`", ""],
    [["example", "--press", "12"], "`12` is neither a phone key", "`1,2`."],
    [["example", "--press", "1,,2"], "a key is missing. Write `_` for silence.", ""],
    [["example", "example"], "Unexpected argument `example`", ""],
  ])("refuses %j", async (args, words, hint) => {
    const { exit, stderr } = await calling().call(...args);
    expect(exit).toBe(1);
    expect(stderr).toContain(words);
    expect(stderr).toContain(hint);
  });
});

describe("call to a phone number", () => {
  const numbers = 'numbers: ["+912241234567", "+912241234568"]\n';

  test.each(["+912241234567", "+91 22 4123-4568"])("%s starts at its menu", async (number) => {
    const { json } = calling({ "ivrs/sales.yaml": menu("Sales", "Asha Rao", numbers) });
    const { exit, value } = await json(number, "--press", "1");
    expect({ exit, key: value.key, reached: value.reached.name }).toEqual({
      exit: 0,
      key: "sales",
      reached: "Asha Rao",
    });
  });

  test("reports a number that no menu lists", async () => {
    const { exit, stderr } = await calling().call("+912241234569", "--press", "1");
    expect(exit).toBe(1);
    expect(stderr).toContain("error[IVR313]: No menu lists the phone number `+912241234569`.");
  });
});

describe("call at a terminal", () => {
  /** Types these lines, each at the next question, and returns what the terminal shows. */
  async function typed(
    answers: readonly string[],
    env: Record<string, string> = {},
    key = "example",
  ) {
    const { cwd } = calling({
      "ivrs/sales.yaml": menu('"Sales\\u0007 अनिल"', "Meera Joshi").replace(
        "{ 1:",
        "{ 12: Asha Rao, 1:",
      ),
    });
    return atTerminal({ cwd, args: ["call", key], answers, prompt: "key? ", env });
  }

  test("takes a key for each line, and Enter alone is silence", async () => {
    const { exit, screen } = await typed(["9\n", "\n", "x\n", "2\n"]);
    expect(exit).toBe(0);
    expect(screen.replaceAll(/\s+/g, " ")).toContain(
      "Keys: 1 Sales, 2 Billing, 0 Operator. Type keys and Enter. Enter alone is silence, q hangs up.",
    );
    expect(screen).toContain("presses 9  wrong key 1 of 3");
    expect(screen).toContain("is silent  silence 1 of 3");
    expect(screen).toContain("`x` is not a key.");
    expect(screen).toContain("at Ravi Kumar (extension 500102), via");
    expect(screen).toContain("after 3 steps");
  });

  test.each([
    ["q\n", 0],
    ["\u0004", 0],
    ["\u0003", 130],
  ])("%j hangs up", async (line, code) => {
    const { exit, screen } = await typed(["9\n", line]);
    expect(exit).toBe(code);
    expect(screen).toContain("You hung up.");
  });

  test("takes several keys of one line one by one, unless the menu has that key", async () => {
    const { exit, screen } = await typed(["9 9,_1\n"]);
    expect(exit).toBe(0);
    expect(screen).toContain("after 4 steps");
    const sales = await typed(["12\n"], {}, "sales");
    expect(sales.exit).toBe(0);
    expect(sales.screen).toContain("at Asha Rao");
  });

  test("shows a blocked agent at the end of the call, and masks control characters in names", async () => {
    const { exit, screen } = await typed(["1\n"], {}, "sales");
    expect(exit).toBe(1);
    expect(screen).toContain("who is blocked and gets");
    expect(screen).not.toContain("\u0007");
  });
});
