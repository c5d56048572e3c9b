import { expect, test } from "vitest";
import { splitCommand } from "../../src/util/split-command.ts";

test("a command after the last colon is split off", () => {
  expect(splitCommand("Use `id:` or `a: b`. Then run: ivrctl plan --env test")).toEqual({
    words: "Use `id:` or `a: b`. Then run:",
    command: "ivrctl plan --env test",
  });
});

test.each(["Run it again.", "Write `state: { backend: git }` in ivrctl.yaml."])(
  "%s has no command",
  (text) => {
    expect(splitCommand(text)).toEqual({ words: text });
  },
);
