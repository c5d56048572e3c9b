import fc from "fast-check";

/** Tests try one of so many random examples: see vitest.config.ts. */
const share = Number(process.env["IVRCTL_RUNS"]);

// A share of the examples is the same in every run. Only a run with all of them searches for new ones.
if (share > 1) fc.configureGlobal({ seed: 1 });

/** Returns how many random examples a property test tries, or how large a huge input is. */
export function runs(all: number): number {
  return Math.ceil(all / share);
}

/** Returns a share of the combinations, at least one. Each `turn` gives other ones. */
export function some<T>(all: readonly T[], turn: number): readonly T[] {
  const first = turn % Math.min(share, all.length);
  return all.filter((_, at) => at % share === first);
}
