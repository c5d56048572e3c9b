import { expect, test } from "vitest";
import { findings } from "../support/rules.ts";

const menu = (keys: readonly string[]) => `name: Front desk
description: First menu for callers
recording: welcome
options:
${keys.map((key) => `  "${key}": Asha Rao\n`).join("")}
invalid: { retries: 2, recording: not-valid, destination: Front Desk }
timeout: { wait: 5, retries: 2, retry_recording: still-there, recording: goodbye, destination: Front Desk }
`;
const tooLong = (keys: readonly string[]) =>
  findings({ menu: menu(keys) }).filter((found) => found.endsWith(" menu-too-long"));

test("does not count 0, 9, * and #", () => {
  expect(tooLong(["1", "2", "3", "4", "0", "9", "*", "#"])).toEqual([]);
  expect(tooLong(["1", "2", "3", "4", "5", "0"])).toEqual(["4 menu-too-long"]);
});
