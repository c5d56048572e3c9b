import { expect, test } from "vitest";
import { Source } from "../../src/diagnostics/source.ts";
import { parseJsonSource } from "../../src/yaml/json-text.ts";

test.each([
  ['[\n  { "name": x },\n  { "name": "Asha Rao" }\n]\n', 14, "x"],
  ['{ "agents": [{ "blocked": True }] }\n', 26, "True"],
  ['[{ "name": "a: [, \\" x" }, { "eid": .5 }]', 36, ".5"],
  ["[1, 2, ]", 7, "]"],
  ["[[], , 1]", 5, ","],
  ["<html>\n</html>\n", 0, "<"],
  ["[“Asha Rao”]", 1, "“"],
  ["[😀]", 1, "😀"],
  ["[ nul", 2, "nul"],
  ['[{ "name": "Asha Rao", }]', 23, "}"],
  ["[[],\n", 3, ","],
  ["", 0, ""],
])("points at the first error of %j", (text, at, token) => {
  const source = new Source("agents.lock.json", text);
  expect(parseJsonSource(source)).toEqual({
    success: false,
    span: source.span(at, at + token.length),
  });
  expect(text.slice(at, at + token.length)).toBe(token);
});
