import { expect, test } from "vitest";
import { phoneText } from "../../src/util/phone.ts";

test.each([
  ["+912241234567", "+91 22 4123 4567"],
  ["+12125551234", "+1 212 555 1234"],
  ["+442071234567", "+44 20 7123 4567"],
  ["+3531234567", "+353 123 4567"],
  ["912241234567", "912241234567"],
  ["+91", "+91"],
  ["", ""],
])("%s is shown as %s", (number, text) => {
  expect(phoneText(number)).toBe(text);
});
