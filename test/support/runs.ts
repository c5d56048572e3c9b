/**
 * Returns how many random examples a property test tries, or how large a huge input is: a 30th in the
 * unit tests, and all of it if the project `search` runs the same file.
 */
export function runs(all: number): number {
  return inSearch ? all : Math.ceil(all / 30);
}

/**
 * Returns a 30th of the combinations, at least one, in the unit tests, and all of them in the project
 * `search`. Each `turn` gives other ones.
 */
export function some<T>(all: readonly T[], turn: number): readonly T[] {
  const first = turn % Math.min(30, all.length);
  return inSearch ? all : all.filter((_, at) => at % 30 === first);
}

const inSearch = process.env["IVRCTL_RUNS"] === "all";
