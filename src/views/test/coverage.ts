import type { Coverage } from "../../call/verdict.ts";
import { type Covered, many } from "./report.ts";

/** `3 of 5 ways tested: 60 %.` */
export function coverageWords({ ways, tested, percent, least, short }: Covered): string {
  const missed = short ? `, less than the ${least} % asked for` : "";
  return `${tested} of ${many(ways, "way")} tested: ${percent} %${missed}.`;
}

/** A row for each menu of which something is untested. */
export function untestedRows({ menus }: Coverage): string[] {
  return menus.flatMap(({ key, ways, untested }) =>
    untested.length === 0
      ? []
      : `${key}: ${ways - untested.length} of ${ways}, untested: ${untested.join(", ")}`,
  );
}
