import { expect, test } from "vitest";
import { importText, payload } from "../support/import.ts";

const having = (fields: object) => JSON.stringify({ ...payload, ...fields }, null, 2);

test("refuses two million brackets and fifty thousand unknown fields quickly", () => {
  const strange = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, at]));
  expect(importText(having(strange)).faults).toHaveLength(20);
  expect(importText("[".repeat(2_000_000)).faults).toEqual(["IVR652 1:18"]);
  expect(importText(`"${"x".repeat(2_000_000)}`).faults).toEqual(["IVR652 1:1"]);
});

test("refuses a payload that no menu can express exactly", () => {
  // YAML has no keys of this length.
  const { menus, diagnostics } = importText(having({ option: ["1", "x".repeat(2000)] }));
  expect(menus).toEqual([]);
  expect(diagnostics).toMatchObject([
    {
      code: "IVR656",
      line: 1,
      column: 1,
      message: "ivrctl could not write a menu that compiles to exactly this payload.",
    },
  ]);
});
