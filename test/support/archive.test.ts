import fc from "fast-check";
import { expect, test } from "vitest";
import { type Content, readArchive, writeArchive } from "./archive.ts";

const archive = (files: Readonly<Record<string, Content>>) => ({
  intro: "What it shows.\n",
  files: new Map(Object.entries(files)),
});

test.each([
  ["no line end", Buffer.from("name: A"), "name: A\\\n"],
  ["CRLF", Buffer.from("a\r\nb\r\n"), "a\\r\nb\\r\n"],
  ["a byte order mark", Buffer.from("\uFEFFa\n"), "\\xEF\\xBB\\xBFa\n"],
  ["not UTF-8", Buffer.from([0x5c, 0xe9, 0x0a]), "\\x5C\\xE9\n"],
  ["a title", Buffer.from("-- a --\n"), "\\x2D- a --\n"],
])("a file that text cannot show is escaped: %s", (_, content, shown) => {
  const text = `-- a (escaped) --\n${shown}`;
  expect(writeArchive({ intro: "", files: new Map([["a", content]]) })).toBe(text);
  expect(readArchive(text).files.get("a")).toEqual(content);
});

test("two files cannot have one name", () => {
  expect(() => readArchive("-- a --\n-- a --\n")).toThrow("two files a");
});

test("any bytes survive", () => {
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc
      .string({ unit: fc.constantFrom("-", "a", "\\", "\n", "\r", " ", "x", "F") })
      .map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(fc.array(bytes), (contents) => {
      const files = archive(
        Object.fromEntries(contents.map((content, at) => [`f${at}`, Buffer.from(content)])),
      );
      expect(readArchive(writeArchive(files))).toEqual(files);
    }),
  );
});
