import { createRequire } from "node:module";
import { join } from "node:path";
import type * as S3 from "@aws-sdk/client-s3";
import type * as Pg from "pg";
import { StateProblem } from "./lock.ts";

/** The packages that are not bundled, because a state in files does not need them. */
interface Drivers {
  readonly pg: typeof Pg;
  readonly "@aws-sdk/client-s3": typeof S3;
}

/**
 * Loads a driver. It may be installed where ivrctl is, or in the project. `needs` is the subject of
 * the error message.
 */
export function loadDriver<N extends keyof Drivers>(
  name: N,
  root: string,
  needs: string,
): Drivers[N] {
  for (const from of [import.meta.url, join(root, "package.json")]) {
    const require = createRequire(from);
    const path = resolved(require, name);
    if (path !== undefined) return require(path);
  }
  throw new StateProblem(
    "IVR671",
    `${needs} needs the package \`${name}\`, which is not installed.`,
    { words: "Install it in the project. Run:", command: `npm install ${name}` },
  );
}

function resolved(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}
