import { describe, expect, test } from "vitest";
import { obtainToken } from "../../../src/deploy/service/token.ts";

const text = (value: string) => obtainToken({ kind: "text", text: value }, "/");
const command = (...words: [string, ...string[]]) =>
  obtainToken({ kind: "command", command: words }, "/tmp");

describe("a token", () => {
  test("is taken as it is", async () => {
    expect(await text("abc.DEF-123_~+/=")).toEqual({ kind: "token", token: "abc.DEF-123_~+/=" });
  });

  test.each([
    ["", "The token is empty."],
    [" abc", "The token has spaces around it."],
    ["abc ", "The token has spaces around it."],
    ["abc\n", "The token has a line break in it."],
    ["abc\r\nx-evil: 1", "The token has a line break in it."],
    ["a b", "The token has spaces in it."],
    ["abç", "The token has characters that cannot be sent."],
    ["a\u0000b", "The token has characters that cannot be sent."],
  ])("%j is refused without being shown", async (value, problem) => {
    expect(await text(value)).toEqual({ kind: "problem", problem });
  });

  test("of a command: what it prints, its last line break taken off", async () => {
    expect(await command("printf", "abc\\n")).toEqual({ kind: "token", token: "abc" });
    expect(await command("printf", "abc")).toEqual({ kind: "token", token: "abc" });
    expect(await command("printf", "abc\\n\\n")).toEqual({
      kind: "problem",
      problem: "What the token command printed has a line break in it.",
    });
    expect(await command("true")).toEqual({
      kind: "problem",
      problem: "What the token command printed is empty.",
    });
  });

  test("the command is run in the project's folder, and an empty one is told", async () => {
    expect(await command("pwd")).toEqual({ kind: "token", token: "/tmp" });
    expect((await command("")).kind).toBe("problem");
    expect((await command("/dev/null/x")).kind).toBe("problem");
  });

  test("the command is not given to a shell", async () => {
    expect(await command("echo", "$HOME;id")).toEqual({ kind: "token", token: "$HOME;id" });
  });

  test("a command that fails says so, and nothing of what it printed", async () => {
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
