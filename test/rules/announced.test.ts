import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { announcedIn } from "../../src/rules/built-in/announced.ts";

const keysIn = (says: string) => announcedIn(says)?.keys.join(" ");

describe("keys that an English prompt announces", () => {
  test.each([
    ["For sales, press 1. For billing, press 2. For an operator, press 0.", "1 2 0"],
    ["For sales, press one; for billing, press two; to repeat, press nine.", "1 2 9"],
    ["Press 1 for sales, 2 for billing, or 0 for an operator.", "1 2 0"],
    ["Press 1 for sales. 2 for billing. And 0 to speak to someone.", "1 2 0"],
    ["Press 1 or 2.", "1 2"],
    ["Press 1, 2, or 3 for sales.", "1 2 3"],
    ["To go back, press the star key. To confirm, press the hash key.", "* #"],
    ["To go back, press star, or press pound to confirm.", "* #"],
    ["To go back press *, to confirm press #", "* #"],
    ["Press the number 4 key now.", "4"],
    ["Please PRESS ONE for sales", "1"],
    ["Press “1” for sales", "1"],
    ["For sales, pressing 1 is enough", "1"],
    ["Press 12 for the warehouse", "12"],
    ["Press 2 for billing, 1 for sales.", "2 1"],
    ["Press 1 for sales, then 1 for new orders.", "1"],
  ])("%s", (says, keys) => {
    expect(keysIn(says)).toBe(keys);
  });
});

describe("numbers that are not keys", () => {
  test.each([
    ["We are open 9 to 5. For sales, press 1.", "1"],
    ["For sales, press 1. We are open from 9 to 5, Monday to Friday.", "1"],
    ["For sales, press 1. We are open 9 to 5 for visitors.", "1"],
    ["Open from 9:00 to 17:30. For sales, press 1.", "1"],
    ["You are number 3 in the queue. For a call back, press 1.", "1"],
    ["In an emergency dial 911. For sales, press 1.", "1"],
    ["Call us at 1 800 555 0100, or press 1 for sales.", "1"],
    ["Press 1.5 times", ""],
    ["To press releases, one for all, press 2.", "2"],
    ["Thank you for calling one of the 5 offices.", ""],
  ])("%s", (says, keys) => {
    expect(keysIn(says)).toBe(keys);
  });
});

describe("single digits in other languages", () => {
  test.each([
    ["बिक्री के लिए १ दबाएं, ऑपरेटर के लिए ० दबाएं", "1 0"],
    ["للمبيعات اضغط ١، للفواتير اضغط ٢", "1 2"],
    ["销售请按1，账单请按2，人工请按0", "1 2 0"],
    ["Für den Verkauf drücken Sie die 1, für Rechnungen die 2.", "1 2"],
    ["Pour les ventes, tapez 1. De 9:00 à 17:30.", "1"],
    ["खुला 10-18, बिक्री के लिए 1", "1"],
  ])("%s", (says, keys) => {
    expect(announcedIn(says)).toMatchObject({ language: "other" });
    expect(keysIn(says)).toBe(keys);
  });

  test("returns nothing for a text without a digit", () => {
    expect(announcedIn("Namaste!")).toBeUndefined();
    expect(announcedIn("स्वागत है")).toBeUndefined();
    expect(announcedIn("")).toBeUndefined();
  });
});

test("recognizes dial and push instead of press", () => {
  expect(announcedIn("For sales, dial 1.")?.verb).toBe("dial");
  expect(announcedIn("For sales, push one.")?.verb).toBe("push");
  expect(announcedIn("For sales, press 1. To dial an extension, press 2.")?.verb).toBeUndefined();
});

test("knows the value of every digit in Unicode", () => {
  const values = new Map<string, number>();
  for (let code = 0, row = 0; code < 0x20000; code += 1) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const digit = String.fromCodePoint(code);
    if (/\p{Nd}/u.test(digit)) values.set(digit, row++ % 10);
  }
  expect(values.size).toBeGreaterThan(600);
  for (const [digit, value] of values) expect(keysIn(`ж ${digit}`)).toBe(String(value));
  expect([values.get("०"), values.get("٩"), values.get("５"), values.get("𝟡")]).toEqual([
    0, 9, 5, 9,
  ]);
});

test("accepts any text and stays fast", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
      const announced = announcedIn(`press ${text}`);
      expect(announced?.first ?? 0).toBeGreaterThanOrEqual(0);
      expect(announced?.first ?? 0).toBeLessThanOrEqual(1);
    }),
  );
  for (const part of [" ", "press ", "press the ", "1, ", "or ", "the key number ", "9", "-"]) {
    announcedIn(`press 1${part.repeat(6000)}`);
  }
});
