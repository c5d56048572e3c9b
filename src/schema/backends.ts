import { bucketFields } from "./bucket.ts";
import type { FieldCondition } from "./common.ts";
import { gitFields } from "./git-branch.ts";

/** The settings of each backend, and those that it requires. */
const backends = {
  file: { needs: [], takes: [] },
  git: { needs: [], takes: gitFields },
  postgres: { needs: ["url"], takes: ["url", "schema"] },
  s3: { needs: ["bucket"], takes: bucketFields },
} as const;

const backendFields = new Set<string>(Object.values(backends).flatMap(({ takes }) => takes));

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

/** The backend that has a setting of this name. */
export function backendWith(setting: string): string | undefined {
  const found = Object.entries(backends).find(([, { takes }]) =>
    takes.some((name) => name === setting),
  );
  return found?.[0];
}
