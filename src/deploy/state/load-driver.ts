import { createRequire } from "node:module";
import { join } from "node:path";
import { StateProblem } from "./store.ts";

/**
 * Loads a package that is not bundled, because a state in files does not need it. It may be
 * installed where ivrctl is, or in the project. `needs` is the subject of the error message.
 */
export function loadDriver<T>(
  name: string,
  root: string,
  needs: string,
  isDriver: (loaded: unknown) => loaded is T,
): T {
  for (const from of [import.meta.url, join(root, "package.json")]) {
    const require = createRequire(from);
    const found = resolved(require, name);
    if (found === undefined) continue;
    const loaded: unknown = require(found);
    if (isDriver(loaded)) return loaded;
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
