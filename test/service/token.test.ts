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

  test("can be the output of a command, without its last line break", async () => {
    expect(await command("printf", "abc\\n")).toEqual({ kind: "token", token: "abc" });
    expect(await command("printf", "abc")).toEqual({ kind: "token", token: "abc" });
    expect(await command("printf", "abc\\n\\n")).toEqual({
      kind: "problem",
      problem: "The output of the token command contains a space or a line break.",
    });
    expect(await command("true")).toEqual({
      kind: "problem",
      problem: "The output of the token command is empty.",
    });
  });

  test("runs the command in the folder of the project, and reports an invalid one", async () => {
    expect(await command("pwd")).toEqual({ kind: "token", token: "/tmp" });
    expect((await command("")).kind).toBe("problem");
    expect((await command("/dev/null/x")).kind).toBe("problem");
  });

  test("does not pass the command to a shell", async () => {
    expect(await command("echo", "$HOME;id")).toEqual({ kind: "token", token: "$HOME;id" });
  });

  test("reports a failed command without its output", async () => {
    expect(await command("no-such-command-anywhere")).toEqual({
      kind: "problem",
      problem: "The token command was not found.",
    });
    expect(await command("sh", "-c", "echo s3cr3t; echo s3cr3t >&2; exit 3")).toEqual({
      kind: "problem",
      problem: "The token command failed with exit code 3.",
    });
    expect(await command("sh", "-c", "head -c 200000 /dev/zero")).toEqual({
      kind: "problem",
      problem: "The token command printed too much.",
    });
  });
});
