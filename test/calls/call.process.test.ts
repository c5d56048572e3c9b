import { describe, expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { menu } from "../support/project.ts";
import { atTerminal } from "../support/terminal.ts";

describe("call at a terminal", () => {
  /** Types these lines, each at the next question, and returns what the terminal shows. */
  async function typed(answers: readonly string[], key = "example") {
    const sales = menu('"Sales\\u0007 अनिल"', "Meera Joshi");
    const cwd = exampleProject({ "ivrs/sales.yaml": sales.replace("{ 1:", "{ 12: Asha Rao, 1:") });
    return atTerminal({ cwd, args: ["call", key], answers, prompt: "key? " });
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
    expect(screen).toContain("presses 2  Billing");
    expect(screen).toContain("at Ravi Kumar (extension 500102)");
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
    expect(screen).toMatch(
      /presses 9  wrong key 1[^]*presses 9  wrong key 2[^]*is silent[^]*presses 1  Sales[^]*at Asha Rao/,
    );
    const sales = await typed(["12\n"], "sales");
    expect(sales.exit).toBe(0);
    expect(sales.screen).toContain("at Asha Rao");
  });

  test("shows a blocked agent at the end of the call, and masks control characters in names", async () => {
    const { exit, screen } = await typed(["1\n"], "sales");
    expect(exit).toBe(1);
    expect(screen).toContain("who is blocked and gets");
    expect(screen).not.toContain("\u0007");
  });
});
