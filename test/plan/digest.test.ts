import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodePayload } from "../../src/deploy/service/decode-payload.ts";
import { payloadDigest } from "../support/payload-facts.ts";
import { wireChanges } from "../support/wire-changes.ts";
import type { Payload } from "../../src/schema/wire.ts";
import { payloadOf } from "./world.ts";

const differences = (before: Payload, after: Payload) =>
  wireChanges(decodePayload(before, ""), decodePayload(after, ""));

/** A menu with this name that points to this extension. */
function payload(name: string, eid = "1", fields: Partial<Payload> = {}): Payload {
  const menu = payloadOf({ name, "1": `ext:${eid}`, invalid: "ext:9" });
  return { ...menu, description: `${name}, described`, ...fields };
}

describe("a change", () => {
  const menu = payload("Menu", "1", {
    option: ["1", "2"],
    destination: ["extension||1", "extension||2"],
    sms_template: ["77", ""],
  });

  test.each<[string, Partial<Payload>]>([
    [
      "another order of options",
      {
        option: ["2", "1"],
        destination: ["extension||2", "extension||1"],
        sms_template: ["", "77"],
      },
    ],
    [
      "numbers instead of text",
      { option: [1, 2], timeout: 5, incorrect_count: 2, timeout_tries: 2 },
    ],
  ])("is not %s", (_, other) => {
    expect(payloadDigest({ ...menu, ...other })).toBe(payloadDigest(menu));
  });

  test.each<[string, Partial<Payload>, string[]]>([
    [
      "two keys swapped",
      { option: ["2", "1"] },
      ["destination.2", "sms_template.2", "destination.1", "sms_template.1"],
    ],
    ["a leading zero", { timeout: "05" }, ["timeout"]],
    ["an SMS template", { sms_template: ["78", ""] }, ["sms_template.1"]],
    ["another extension id", { timeout_destination: "extension||8" }, ["timeout_destination"]],
    ["an undocumented field", { timeout_retries: 3 }, ["timeout_retries"]],
    [
      "another key",
      {
        option: ["1", "2", "3"],
        destination: ["extension||1", "extension||2", "extension||3"],
        sms_template: ["77", "", ""],
      },
      ["destination.3"],
    ],
  ])("is %s", (_, other, fields) => {
    const after = { ...menu, ...other };
    expect(payloadDigest(after)).not.toBe(payloadDigest(menu));
    expect(differences(menu, after).map(({ field }) => field)).toEqual(fields);
  });

  test("is the only thing that changes the digest", () => {
    const part = fc.constantFrom("1", "2", "3");
    const menus = fc
      .record({
        name: part,
        timeout: fc.oneof(part, fc.constantFrom(1, 2, 3)),
        pairs: fc.uniqueArray(fc.tuple(fc.oneof(part, fc.constantFrom(1, 2)), part), {
          selector: ([key]) => String(key),
          minLength: 1,
        }),
      })
      .map(({ name, timeout, pairs }) =>
        payload(name, "1", {
          timeout,
          option: pairs.map(([key]) => key),
          destination: pairs.map(([, eid]) => `extension||${eid}`),
        }),
      );
    fc.assert(
      fc.property(menus, menus, (a, b) => {
        expect(payloadDigest(a) === payloadDigest(b)).toBe(differences(a, b).length === 0);
      }),
    );
  });
});
