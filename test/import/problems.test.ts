import { expect, test } from "vitest";
import { importText, payload } from "../support/import.ts";
import { runs } from "../support/runs.ts";

const having = (fields: object) => JSON.stringify({ ...payload, ...fields }, null, 2);

test("refuses very many brackets and unknown fields quickly", () => {
  const count = runs(50_000);
  const strange = Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
  expect(importText(having(strange)).faults).toHaveLength(20);
  expect(importText("[".repeat(runs(2_000_000))).faults).toEqual([
    expect.stringMatching(/^IVR651 1:/),
  ]);
  expect(importText(`"${"x".repeat(runs(2_000_000))}`).faults).toEqual([
    expect.stringMatching(/^IVR651 1:/),
  ]);
});

test("refuses a payload that no menu can express exactly", () => {
  // In a menu file, `star` is the key *.
  const { menus, diagnostics } = importText(having({ option: ["1", "star"] }));
  expect(menus).toEqual([]);
  expect(diagnostics).toMatchObject([{ code: "IVR655", line: 8, column: 5 }]);
});
