import { expect, test } from "vitest";
import { pick } from "./json.ts";

const plan = JSON.stringify({
  summary: { create: 2, none: [] },
  changes: [
    { key: "a", action: "create", after: { payload: { name: "A" }, id: null } },
    { key: "b", action: "create", after: { payload: { name: "B" }, id: "7" } },
  ],
});

test.each([
  ["changes.key", '{ "changes": [{ "key": "a" }, { "key": "b" }] }\n'],
  ["summary missing", '{ "summary": { "create": 2, "none": [] } }\n'],
  [
    "changes.key changes.after.payload.name,id changes.after.id",
    `{
  "changes": [
    { "key": "a", "after": { "payload": { "name": "A" }, "id": null } },
    { "key": "b", "after": { "payload": { "name": "B" }, "id": "7" } }
  ]
}
`,
  ],
])("pick %s", (paths, shown) => {
  expect(pick(plan, paths.split(" "))).toBe(shown);
});

test("short values share lines", () => {
  const names = Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`number_${at}`, at]));
  expect(pick(JSON.stringify([names, { names }]), [])).toBe(`[
  {
    "number_0": 0, "number_1": 1, "number_2": 2, "number_3": 3, "number_4": 4, "number_5": 5,
    "number_6": 6, "number_7": 7, "number_8": 8, "number_9": 9, "number_10": 10, "number_11": 11,
    "number_12": 12, "number_13": 13
  },
  {
    "names": {
      "number_0": 0, "number_1": 1, "number_2": 2, "number_3": 3, "number_4": 4, "number_5": 5,
      "number_6": 6, "number_7": 7, "number_8": 8, "number_9": 9, "number_10": 10, "number_11": 11,
      "number_12": 12, "number_13": 13
    }
  }
]
`);
});

test("without paths, everything is shown", () => {
  expect(JSON.parse(pick(plan, []))).toEqual(JSON.parse(plan));
});
