import { describe, expect, test } from "vitest";
import { PlainLog, runnerReadsLog } from "../../src/util/runner-commands.ts";

/** Whether the runner of GitHub or Azure, or GitLab, would find a command in a log. */
function hasCommand(log: string): boolean {
  return log
    .replaceAll(/\p{DI}/gu, "")
    .split(/[\r\n]/)
    .some(
      (line) =>
        line.trimStart().startsWith("::") || /##(?:vso)?\[|section_(?:start|end):/i.test(line),
    );
}

const commands = [
  "::error::x",
  "::set-output name=a::b",
  "  \t\u00A0::stop-commands::token",
  "\u200D::warning::x",
  ":\u00AD:error::x",
  "text\n::add-mask::x",
  "text\r::add-mask::x",
  "text\r\n   ::add-mask::x",
  "\n\n:::error::x",
  "a name with ##[add-mask]x",
  "#\u200D#\u2060[error]x",
  "###[error]x",
  "##vso[task.setvariable variable=a]b",
  "##VSO[task.complete]",
  "section_start:1700000000:name\r\u001B[0KTitle",
  "\u001B[0Ksection_end:1700000000:name\r\u001B[0K",
];

describe("a log", () => {
  test.each(commands)("has no command, however the text is divided: %j", (text) => {
    expect(hasCommand(text)).toBe(true);
    for (let at = 0; at <= text.length; at += 1) {
      const log = new PlainLog();
      const printed = log.plain(text.slice(0, at)) + log.plain(text.slice(at));
      expect(hasCommand(printed)).toBe(false);
      expect(printed.replaceAll("\\", "")).toBe(text);
    }
    const log = new PlainLog();
    const slowly = text
      .split("")
      .map((character) => log.plain(character))
      .join("");
    expect(hasCommand(slowly)).toBe(false);
  });

  test.each([
    "a::b and Foo::Bar\n",
    "- ::error:: in a list\n",
    ": :\n",
    "## [heading]\n",
    "# #[x]\n",
    "section_start and section_end\n",
    "\u001B[1m##\u001B[22m and \u001B[31m[x]\u001B[39m\n",
  ])("shows other text unchanged: %j", (text) => {
    expect(new PlainLog().plain(text)).toBe(text);
  });

  test("shows where it changed the text", () => {
    expect(new PlainLog().plain("::error::x ##[group]\n ::debug::y\n")).toBe(
      ":\\:error::x ##\\[group]\n :\\:debug::y\n",
    );
  });

  test("counts text that was printed unchanged", () => {
    const log = new PlainLog();
    log.unchanged("::error::mine\n:");
    expect(log.plain(":error::yours\n")).toBe("\\:error::yours\n");
    log.unchanged("##[group]mine, ##");
    expect(log.plain("[error]")).toBe("\\[error]");
    log.unchanged("\nmine");
    expect(log.plain("::no command")).toBe("::no command");
  });
});

test.each([
  [{ GITHUB_ACTIONS: "true" }, true],
  [{ GITLAB_CI: "true" }, true],
  [{ TF_BUILD: "True" }, true],
  [{ GITHUB_ACTIONS: "false", CI: "true" }, false],
  [{}, false],
])("the variables %j mean that a runner reads the log: %s", (variables, expected) => {
  expect(runnerReadsLog(variables)).toBe(expected);
});
