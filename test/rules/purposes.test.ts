import { expect, test } from "vitest";
import { isReadable, purposeOf, soundsLikeHelp } from "../../src/rules/built-in/purposes.ts";

test.each([
  ["Operator", "help"],
  ["Speak to a person", "help"],
  ["Front desk", "help"],
  ["Help", "help"],
  ["Réception", "help"],
  ["Repeat this menu", "repeat"],
  ["Hear the options again", "repeat"],
  ["Back", "back"],
  ["Return to the main menu", "back"],
  ["Enter", "enter"],
  ["End the call", "end"],
  ["Hang up", "end"],
  ["Human resources", undefined],
  ["Back office", undefined],
  ["Weekend bookings", undefined],
  ["End user licenses", undefined],
  ["Returns and refunds", undefined],
  ["Cancel an order", undefined],
  ["Leave a message", undefined],
  ["Technical support", undefined],
  ["Sales", undefined],
])("%s is for %s", (words, purpose) => {
  expect(purposeOf(words)).toBe(purpose);
});

test("recognizes other words for help on key 0", () => {
  for (const words of ["Support", "Customer care", "An agent", "Help desk"]) {
    expect([words, soundsLikeHelp(words)]).toEqual([words, true]);
  }
  for (const words of ["Complaints", "Sales", "Asha Rao"]) {
    expect([words, soundsLikeHelp(words)]).toEqual([words, false]);
  }
});

test("does not read words in another script", () => {
  expect(isReadable("Réception / Accueil 24/7")).toBe(true);
  expect(isReadable("ऑपरेटर")).toBe(false);
});
