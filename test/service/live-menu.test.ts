import { describe, expect, test } from "vitest";
import { decodeListed, decodePayload } from "../../src/deploy/service/decode-payload.ts";
import { isOfOption, isOptional, rows } from "../../src/schema/fields.ts";
import { wireChanges } from "../support/wire-changes.ts";
import {
  type DestinationField,
  type LiveMenu,
  type ReadSettings,
  type TextField,
  webhookKeys,
} from "../../src/deploy/service/live-menu.ts";
import type { Payload } from "../../src/schema/wire.ts";

const usual: ReadSettings = {
  kinds: new Map([["department", "ringgroup"]]),
  retries: "timeout_tries",
  noSmsTemplate: "",
};

const payload: Payload = {
  name: "Front desk",
  description: "First menu",
  recording: "recording||19549",
  timeout: "05",
  option: ["1", 2],
  destination: ["extension||500101", "department||7"],
  incorrect_count: 2,
  invalid_recording: "19550",
  invalid_destination: "extension||500104",
  timeout_retry_recording: "recording||19551",
  timeout_recording: "recording||19552",
  timeout_destination: "extension||500104",
  timeout_tries: "3",
};

const live: LiveMenu = {
  id: "9",
  name: "Front desk",
  fields: {
    name: "Front desk",
    description: "First menu",
    recording: "19549",
    timeout: "5",
    incorrect_count: "2",
    invalid_recording: "19550",
    recording_invalid: "19550",
    timeout_retry_recording: "19551",
    timeout_recording: "19552",
    timeout_tries: "3",
  },
  destinations: {
    invalid_destination: { type: "extension", id: "500104" },
    timeout_destination: { type: "extension", id: "500104" },
  },
  options: [option("2", "ringgroup", "7"), option("1", "extension", "500101")],
};

function option(
  key: string,
  type: string,
  id: string,
  settings: { smsTemplate?: string; webhook?: string } = {},
) {
  return { key, destination: { type, id }, smsTemplate: "0", webhook: "0", ...settings };
}

function compare(menu: LiveMenu, applied: Payload, settings = usual) {
  const known = decodePayload(applied, settings.noSmsTemplate);
  return wireChanges(known, decodeListed(menu, known, settings));
}

/** The comparison of a payload and a list with only this destination for key 1. */
function destinations(written: string, type: string, id: string, settings = usual): boolean {
  const menu = { ...live, options: [option("1", type, id)] };
  return (
    compare(menu, { ...payload, option: ["1"], destination: [written] }, settings).length === 0
  );
}

describe("a listed menu and its payload", () => {
  test("are the same if only the form differs", () => {
    expect(compare(live, payload)).toEqual([]);
  });

  test("are the same if the list lacks fields", () => {
    expect(compare({ ...live, fields: { name: "Front desk" }, destinations: {} }, payload)).toEqual(
      [],
    );
  });

  test.each([
    ["name", "Other", "Other"],
    ["description", "", ""],
    ["recording", "1", "recording||1"],
    ["timeout", "6", "6"],
    ["incorrect_count", "0", "0"],
    ["invalid_recording", "19551", "19551"],
    ["timeout_retry_recording", "1", "recording||1"],
    ["timeout_recording", "1", "recording||1"],
    ["timeout_tries", "2", "2"],
  ] as const satisfies [TextField, string, string][])("differ in %s", (field, value, after) => {
    const changed = { ...live, fields: { ...live.fields, [field]: value } };
    const before = String(payload[field]);
    expect(compare(changed, payload)).toEqual([{ field, before, after }]);
  });

  test("differ in a field that the payload has or lacks, for each row of the table", () => {
    const menuRows = rows.filter(([path, { listed }]) => listed !== undefined && !isOfOption(path));
    for (const [path, { wire, is }] of menuRows) {
      const changed =
        is === "destination"
          ? { destinations: { ...live.destinations, [wire]: { type: "extension", id: "777" } } }
          : { fields: { ...live.fields, [wire]: "777" } };
      const found = compare({ ...live, ...changed }, payload);
      expect(found.map(({ field }) => field)).toEqual([wire]);
      if (!isOptional(path)) continue;
      expect(found).toMatchObject([{ before: null }]);
      // What the payload has and the list lacks is not known, and "0" means that it is not set.
      expect(compare({ ...live, fields: { ...live.fields, [wire]: "0" } }, payload)).toEqual([]);
    }
    expect(menuRows.some(([path]) => isOptional(path))).toBe(true);
  });

  test("are the same if the list shows the invalid recording for an unset recording_invalid", () => {
    const recording = { ...live.fields, recording_invalid: "19550" };
    expect(compare({ ...live, fields: recording }, payload)).toEqual([]);
    expect(compare(live, { ...payload, recording_invalid: "recording||2" })).toEqual([
      { field: "recording_invalid", before: "recording||2", after: "recording||19550" },
    ]);
    const none = { ...live.fields, recording_invalid: "0" };
    const sent = { ...payload, recording_invalid: "recording||2" };
    expect(compare({ ...live, fields: none }, sent)).toEqual([
      { field: "recording_invalid", before: "recording||2", after: null },
    ]);
  });

  test("compare the retries that the settings name", () => {
    const both = { ...payload, timeout_retries: 8 };
    expect(compare(live, both)).toEqual([]);
    expect(compare(live, both, { ...usual, retries: "timeout_retries" })).toEqual([
      { field: "timeout_retries", before: "8", after: "3" },
    ]);
    expect(compare(live, payload, { ...usual, retries: "timeout_retries" })).toEqual([]);
  });

  test("differ in options by key", () => {
    const changed = {
      ...live,
      options: [option("1", "extension", "500102"), option("3", "extension", "500101")],
    };
    expect(compare(changed, payload)).toEqual([
      { field: "destination.1", before: "extension||500101", after: "extension||500102" },
      { field: "destination.3", before: null, after: "extension||500101" },
      { field: "destination.2", before: "department||7", after: null },
    ]);
  });

  test.each<DestinationField>(["invalid_destination", "timeout_destination"])(
    "differ in %s",
    (field) => {
      const ended = { type: "hangup", id: "1" };
      const changed = { ...live, destinations: { ...live.destinations, [field]: ended } };
      expect(compare(changed, payload)).toEqual([
        { field, before: "extension||500104", after: "hangup||1" },
      ]);
    },
  );

  test("compare SMS templates, with any form of none", () => {
    const settings = { ...usual, noSmsTemplate: "none" };
    const options = [
      option("1", "extension", "500101"),
      option("2", "ringgroup", "7", { smsTemplate: "77" }),
    ];
    const sent = { ...payload, sms_template: ["none", "77"] };
    expect(compare({ ...live, options }, sent, settings)).toEqual([]);
    expect(compare({ ...live, options }, payload, settings)).toEqual([
      { field: "sms_template.2", before: null, after: "77" },
    ]);
    expect(compare(live, sent, settings)).toEqual([
      { field: "sms_template.2", before: "77", after: null },
    ]);
  });
});

describe("kinds of destinations", () => {
  test.each([
    ["extension||5", "extension", "5", true],
    ["extension||5", "extension", "6", false],
    ["extension||5", "ringgroup", "5", false],
    ["extension||5", "something", "5", false],
    ["department||5", "ringgroup", "5", true],
    ["department||5", "department", "5", true],
    ["department||5", "something", "5", false],
    ["ivr||5", "ivr", "5", true],
    ["ivr||5", "ivrmenu", "5", true],
    ["ivr||5", "ivrmenu", "6", false],
    ["ivr||5", "extension", "5", false],
    ["ivr||5", "timegroup", "5", false],
  ])("%s is listed as %s %s: %s", (written, type, id, same) => {
    expect(destinations(written, type, id)).toBe(same);
  });

  test("have the names in the settings", () => {
    const settings = { ...usual, kinds: new Map([["ivr", "ivrmenu"]]) };
    expect(destinations("ivr||5", "ivrmenu", "5", settings)).toBe(true);
    expect(destinations("ivr||5", "other", "5", settings)).toBe(false);
    expect(destinations("timegroup||5", "ivrmenu", "5", settings)).toBe(false);
  });
});

test("webhooks are those with an id other than 0", () => {
  const options = [
    option("1", "extension", "5", { webhook: "12" }),
    option("2", "extension", "5", { webhook: "" }),
    option("3", "extension", "5"),
  ];
  expect(webhookKeys({ ...live, options })).toEqual(["1"]);
});
