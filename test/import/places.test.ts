import { expect, test } from "vitest";
import { slugOf } from "../../src/import/places.ts";

test.each([
  ["Front desk", "front-desk"],
  ["  Sales / India #2 ", "sales-india-2"],
  ["Café Zürich Straße Łódź", "cafe-zurich-strasse-lodz"],
  ["Ａｂｃ", "abc"],
  ["../../etc/passwd", "etc-passwd"],
  ["मुख्य मेनू", ""],
  ["!!!", ""],
  ["word ".repeat(50), "word-word-word-word-word-word-word-word-word-word-word-word"],
  ["x".repeat(300), "x".repeat(60)],
])("the menu key of %j is %j", (name, key) => {
  expect(slugOf(name)).toBe(key);
});
