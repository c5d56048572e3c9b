import { describe, expect, test } from "vitest";
import { Pace } from "../../../src/deploy/apply/pace.ts";
import { clock } from "../../support/host.ts";

/** A clock that moves only with `pass`. */
function clockAt(start: number) {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => new Date(now),
    elapsed: () => now,
    after: () => () => {},
    pass: (milliseconds: number) => void (now += milliseconds),
    sleep: async (milliseconds: number) => {
      slept.push(milliseconds);
    },
  };
}

describe("the pace", () => {
  test("keeps requests apart and in order", async () => {
    const clock = clockAt(1000);
    const pace = new Pace(5, clock);
    await Promise.all([pace.turn(), pace.turn(), pace.turn()]);
    expect(clock.slept).toEqual([200, 400]);
  });

  test("does not allow a burst after a pause", async () => {
    const clock = clockAt(0);
    const pace = new Pace(10, clock);
    await pace.turn();
    clock.pass(5000);
    await pace.turn();
    await pace.turn();
    expect(clock.slept).toEqual([100]);
  });

  test("does not wait without a rate", async () => {
    const clock = clockAt(0);
    const pace = new Pace(null, clock);
    await Promise.all(Array.from({ length: 100 }, () => pace.turn()));
    expect(clock.slept).toEqual([]);
  });

  test("stops waiting at a signal", async () => {
    const pace = new Pace(0.01, clock);
    await pace.turn();
    await expect(pace.turn(AbortSignal.abort())).rejects.toThrow("aborted");
  });
});
