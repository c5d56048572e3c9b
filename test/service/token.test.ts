import { describe, expect, test } from "vitest";
import { obtainToken } from "../../src/deploy/service/token.ts";
import { testHost } from "../support/host.ts";

const text = (value: string) => obtainToken({ kind: "text", text: value }, "/", {});
const command = (...words: [string, ...string[]]) =>
  obtainToken({ kind: "command", command: words }, "/tmp", testHost().env);

describe("a token", () => {
  test("is used unchanged", async () => {
    expect(await text("abc.DEF-123_~+/=")).toEqual({ kind: "token", token: "abc.DEF-123_~+/=" });
  });

  test.each([
    ["", "The token is empty."],
    [" abc", "The token contains a space or a line break."],
    ["abc ", "The token contains a space or a line break."],
    ["abc\n", "The token contains a space or a line break."],
    ["abc\r\nx-evil: 1", "The token contains a space or a line break."],
    ["a b", "The token contains a space or a line break."],
    ["abç", "The token contains a character that an HTTP header cannot have."],
    ["a\u0000b", "The token contains a character that an HTTP header cannot have."],
  ])("%j is refused, and is not shown", async (value, problem) => {
    expect(await text(value)).toEqual({ kind: "problem", problem });
  });

  const token = (value: string) => ({ kind: "token", token: value });
  const problem = (text: string) => ({ kind: "problem", problem: text });

  test.each<[[string, ...string[]], object]>([
    // Without its last line break.
    [["printf", "abc\\n"], token("abc")],
    [["printf", "abc"], token("abc")],
    [
      ["printf", "abc\\n\\n"],
      problem("The output of the token command contains a space or a line break."),
    ],
    [["true"], problem("The output of the token command is empty.")],
    // In the folder of the project, and without a shell.
    [["pwd"], token("/tmp")],
    [["echo", "$HOME;id"], token("$HOME;id")],
    [[""], problem(expect.any(String))],
    [["/dev/null/x"], problem(expect.any(String))],
    [["no-such-command-anywhere"], problem("The token command was not found.")],
    // Without its output.
    [
      ["sh", "-c", "echo s3cr3t; echo s3cr3t >&2; exit 3"],
      problem("The token command failed with exit code 3."),
    ],
    [["sh", "-c", "head -c 200000 /dev/zero"], problem("The token command printed too much.")],
  ])("can be the output of a command: %j", async (words, expected) => {
    expect(await command(...words)).toEqual(expected);
  });
});
