import { bucketFields } from "./bucket.ts";
import type { FieldCondition } from "./common.ts";
import { gitFields } from "./git-branch.ts";

/** The settings of each backend, and those that it requires. */
export const backends = {
  file: { needs: [], takes: [] },
  git: { needs: [], takes: gitFields },
  postgres: { needs: ["url"], takes: ["url", "schema"] },
  s3: { needs: ["bucket"], takes: bucketFields },
} as const;

export function isBackend(word: string): word is keyof typeof backends {
  return Object.hasOwn(backends, word);
}

/** The settings of all backends. */
export const backendFields: ReadonlySet<string> = new Set(
  Object.values(backends).flatMap(({ takes }) => takes),
);

export const backendConditions: readonly FieldCondition[] = Object.entries(backends).map(
  ([is, { needs, takes }]) => {
    const taken: readonly string[] = takes;
    return {
      field: "backend",
      is,
      needs,
      never: [...backendFields].filter((name) => !taken.includes(name)),
    };
  },
);
