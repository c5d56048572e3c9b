/**
 * How many random examples a property is tried with: a fifth of them in the unit tests, all of them
 * when the project `search` runs the same file.
 */
export function runs(all: number): number {
  return process.env["IVRCTL_RUNS"] === "all" ? all : Math.ceil(all / 5);
}
