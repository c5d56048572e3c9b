import { describe, expect, test } from "vitest";
import { ageOf } from "../../src/util/age.ts";

describe("the age of a snapshot", () => {
  test.each([
    [0, "from less than a minute ago"],
    [59, "from less than a minute ago"],
    [60, "from 1 minute ago"],
    [3 * 3600 + 5, "from 3 hours ago"],
    [86_400, "from 1 day ago"],
    [400 * 86_400, "from 400 days ago"],
    [-50, "from less than a minute ago"],
  ])("%i seconds: %s", (seconds, words) => {
    const now = new Date("2026-11-15T12:00:00Z");
    expect(ageOf(new Date(now.getTime() - seconds * 1000), now)).toBe(words);
  });
});
