import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonParts } from "../../../src/deploy/state/json-parts.ts";

const record = fc.dictionary(
  fc.string({ unit: "binary" }),
  fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue(), { minLength: 1 })),
);

test("the parts are together what JSON.stringify makes of the whole", () => {
  fc.assert(
    fc.property(record, fc.constantFrom("", "  "), (content, indent) => {
      const whole = JSON.stringify(content, undefined, indent);
      expect([...jsonParts(content, indent)].join("")).toBe(whole);
    }),
  );
});

test("a list comes item by item", () => {
  const keys = Array.from({ length: 50 }, (_, n) => ({ key: `menu-${n}` }));
  const longest = Math.max(...[...jsonParts({ keys }, "  ")].map((part) => part.length));
  expect(longest).toBeLessThan(60);
});
