/**
 * Returns how many random examples a property test tries: a tenth in the unit tests, all of them if
 * the project `search` runs the same file.
 */
export function runs(all: number): number {
  return inSearch ? all : Math.ceil(all / 10);
}

/**
 * Returns a tenth of the combinations in the unit tests, and all of them in the project `search`.
 * Each of ten `turn`s gives another tenth.
 */
export function some<T>(all: readonly T[], turn: number): readonly T[] {
  return inSearch ? all : all.filter((_, at) => at % 10 === turn % 10);
}

const inSearch = process.env["IVRCTL_RUNS"] === "all";
