import { describe, expect, test } from "vitest";
import type { CallDestination } from "../../../src/call/model.ts";
import { addressOf, keyIn } from "../../../src/views/preview/browser/address.ts";
import { fits, searchText } from "../../../src/views/preview/browser/search.ts";
import type { PreviewMenu } from "../../../src/views/preview/data.ts";

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
      destination: { kind: "nobody", name: "Ghost", why: "not-listed" },
    },
  },
};

describe("a menu is found by", () => {
  const text = searchText(menu);
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
    expect(fits(text, query)).toBe(true);
  });

  test.each(["pune", "sales pune", "front\u0000desk", "undefined", "null"])(
    "not by %j",
    (query) => {
      expect(fits(text, query)).toBe(false);
    },
  );
});

describe("a menu's address", () => {
  test.each(["front-desk", "sales/india", "a.b_c-d/E", "ivrs/odd name #1%.yaml", "ключ"])(
    "%s leads back to it",
    (key) => {
      expect(addressOf(key)).toMatch(/^#\/[\w%./-]+$/);
      expect(keyIn(addressOf(key))).toBe(key);
    },
  );

  test("names none where there is none, and takes a broken one as it is", () => {
    expect(["", "#", "#/", "#main"].map(keyIn)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(keyIn("#/100%")).toBe("100%");
  });
});
