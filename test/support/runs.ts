/**
 * How many random examples a property is tried with: a tenth of them in the unit tests, all of them
 * when the project `search` runs the same file.
 */
export function runs(all: number): number {
  return inSearch ? all : Math.ceil(all / 10);
}

/**
 * Of many combinations the unit tests try a tenth, and the project `search` all of them. Another
 * `turn` gives another tenth, so ten turns try everything.
 */
export function some<T>(all: readonly T[], turn: number): readonly T[] {
  return inSearch ? all : all.filter((_, at) => at % 10 === turn % 10);
}

const inSearch = process.env["IVRCTL_RUNS"] === "all";
