import { describe, expect, test } from "vitest";
import { search } from "../../src/views/menu-search.ts";
import { menuAddress } from "../../src/preview/browser/view.ts";
import type { PreviewMenu } from "../../src/preview/data.ts";
import type { CallDestination } from "../../src/model/call-menu.ts";

function agent(name: string, team: string | null = null): CallDestination {
  return { kind: "agent", name, eid: "1", team, blocked: false };
}

const recording = { id: "1" };

const menu: PreviewMenu = {
  key: "sales/india",
  file: "ivrs/sales/india.yaml",
  name: "Verkauf Zürich",
  owner: "Team Süd",
  numbers: [],
  findings: [],
  call: {
    key: "sales/india",
    name: "Verkauf Zürich",
    description: "Calls from abroad",
    recording,
    options: [{ key: "1", for: "Billing", destination: agent("अनिल देशपांडे", "Night shift") }],
    "invalid.retries": "1",
    "invalid.recording": recording,
    "invalid.destination": agent("Front Desk"),
    "timeout.wait": "5",
    "timeout.retries": "1",
    "timeout.retry_recording": recording,
    "timeout.recording": recording,
    "timeout.destination": { kind: "unreachable", name: "Ghost", why: "not-listed" },
  },
};

describe("a menu is found by", () => {
  const found = (query: string) => search([menu], query).length === 1;
  test.each([
    "",
    "sales/india",
    "INDIA",
    "verkauf",
    "zurich",
    "Zürich",
    "abroad",
    "sud",
    "billing",
    "अनिल",
    "night shift",
    "front",
    "ghost",
    "  desk   sales ",
  ])("%j", (query) => {
    expect(found(query)).toBe(true);
  });

  test.each(["pune", "sales pune", "front\u0000desk", "undefined", "null"])(
    "but not by %j",
    (query) => {
      expect(found(query)).toBe(false);
    },
  );
});

test.each([
  ["billing", ["1 Billing → अनिल देशपांडे"]],
  ["night shift", ["1 Billing → अनिल देशपांडे"]],
  ["zurich front", ["wrong keys → Front Desk"]],
  ["22 4123", ["+91 22 4123 4567"]],
  ["zurich", []],
])("%j says why", (query, why) => {
  const called = { ...menu, numbers: ["+91 22 4123 4567"] };
  expect(search([called], query)).toEqual([expect.objectContaining({ why })]);
});

describe("the order of the results", () => {
  const called = (name: string, owner = "nobody", key = name): PreviewMenu =>
    ({ key, name, owner, numbers: [], file: "", findings: [] }) as const;
  const names = (all: readonly PreviewMenu[], query: string) =>
    search(all, query).map(({ menu: { name } }) => name);

  test.each(["line 7", " LINE  7 ", "l/7"])("%j finds the menu with this name first", (query) => {
    const numbers = Array.from({ length: 300 }, (_, at) => at + 1);
    const lines = numbers.map((at) => called(`Line ${at}`, "nobody", `l/${at}`));
    expect(names(lines, query)[0]).toBe("Line 7");
  });

  test("a match in the name comes before one elsewhere", () => {
    const all = [called("Day", "Ravi"), called("Ask Ravi"), called("Ravi")];
    expect(names(all, "ravi")).toEqual(["Ravi", "Ask Ravi", "Day"]);
  });
});

test.each([
  ["front-desk", "#/front-desk"],
  ["sales/india", "#/sales/india"],
  ["ivrs/odd name #1%.yaml", "#/ivrs/odd%20name%20%231%25.yaml"],
  ["ключ", "#/%D0%BA%D0%BB%D1%8E%D1%87"],
])("the address of the menu %s is %s", (key, address) => {
  expect(menuAddress(key)).toBe(address);
});
