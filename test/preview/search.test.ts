import { describe, expect, test } from "vitest";
import type { CallDestination } from "../../src/call/model.ts";
import { addressOf, keyIn, searchable } from "../../src/preview/browser/search.ts";
import type { PreviewMenu } from "../../src/preview/data.ts";
import { bestFirst } from "../../src/util/search.ts";

function agent(name: string, team: string | null = null): CallDestination {
  return { kind: "agent", name, eid: "1", team, blocked: false };
}

const recording = { id: "1" };

const menu: PreviewMenu = {
  key: "sales/india",
  file: "ivrs/sales/india.yaml",
  name: "Verkauf Zürich",
  description: "Calls from abroad",
  owner: "Team Süd",
  tests: [],
  broken: [],
  problems: [],
  call: {
    key: "sales/india",
    name: "Verkauf Zürich",
    recording,
    options: [{ key: "1", for: "Billing", destination: agent("अनिल देशपांडे", "Night shift") }],
    invalid: { retries: 1, recording, destination: agent("Front Desk") },
    timeout: {
      wait: "5",
      retries: 1,
      retryRecording: recording,
      recording,
      destination: { kind: "unreachable", name: "Ghost", why: "not-listed" },
    },
  },
};

describe("a menu is found by", () => {
  const found = (query: string) => bestFirst([searchable(menu)], query).length === 1;
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

describe("the order of the results", () => {
  const called = (name: string, key = name, owner = "nobody") => ({
    name,
    ...searchable({ key, name, owner, file: "", tests: [], broken: [], problems: [] }),
  });
  const lines = Array.from({ length: 300 }, (_, at) => called(`Line ${at + 1}`, `l/${at + 1}`));
  const names = (all: readonly ReturnType<typeof called>[], query: string) =>
    bestFirst(all, query).map(({ name }) => name);

  test.each(["line 7", " LINE  7 ", "l/7"])("%j finds the menu with this name first", (query) => {
    expect(names(lines, query)[0]).toBe("Line 7");
  });

  test("then menus with a word that begins with the query, then the rest", () => {
    const found = names(lines, "line 7");
    expect(found.slice(1, 11)).toEqual(lines.slice(69, 79).map(({ name }) => name));
    expect(found.slice(11, 14)).toEqual(["Line 17", "Line 27", "Line 37"]);
    expect(found).toHaveLength(57);
    expect(names(lines, "")).toHaveLength(300);
  });

  test("a match in the name comes before the owner, and the owner before the middle of a name", () => {
    const all = [called("Gravity"), called("Day", "d", "Ravi"), called("Ask Ravi"), called("Ravi")];
    expect(names(all, "ravi")).toEqual(["Ravi", "Ask Ravi", "Day", "Gravity"]);
    expect(names([called("अनिल"), called("निल")], "निल")).toEqual(["निल", "अनिल"]);
  });
});

describe("a menu's address", () => {
  test.each(["front-desk", "sales/india", "a.b_c-d/E", "ivrs/odd name #1%.yaml", "ключ"])(
    "%s can be read back",
    (key) => {
      expect(addressOf(key)).toMatch(/^#\/[\w%./-]+$/);
      expect(keyIn(addressOf(key))).toBe(key);
    },
  );

  test("reads no key from an empty address, and keeps a broken one unchanged", () => {
    expect(["", "#", "#/", "#main"].map(keyIn)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(keyIn("#/100%")).toBe("100%");
  });
});
