import type { CallMenu } from "./model.ts";
import type { TestResult } from "./run.ts";
import { placeOfWay, waysOf } from "./ways.ts";

/** Which ways through the menus some test's call has landed by. */
export interface Coverage {
  readonly ways: number;
  readonly tested: number;
  /** Of a hundred, rounded down to a tenth: 100 is all. */
  readonly percent: number;
  readonly menus: readonly MenuCoverage[];
}

interface MenuCoverage {
  readonly key: string;
  readonly ways: number;
  /** `key 2`, `invalid`, `timeout`. */
  readonly untested: readonly string[];
}

export function coverageOf(
  menus: readonly CallMenu[],
  results: readonly Pick<TestResult, "key" | "walk">[],
): Coverage {
  const landed = new Set(
    results.map(({ key, walk }) => {
      const { via } = walk.landed;
      return `${key} ${placeOfWay({ via, key: walk.steps.at(-1)?.press })}`;
    }),
  );
  const own = menus.map((menu) => {
    const places = waysOf(menu).map(placeOfWay);
    const untested = places.filter((place) => !landed.has(`${menu.key} ${place}`));
    return { key: menu.key, ways: places.length, untested };
  });
  const ways = own.reduce((sum, menu) => sum + menu.ways, 0);
  const tested = own.reduce((sum, menu) => sum + menu.ways - menu.untested.length, 0);
  const percent = ways === 0 ? 100 : Math.floor((tested * 1000) / ways) / 10;
  return { ways, tested, percent, menus: own };
}
