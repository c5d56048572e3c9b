import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * A package that is not bundled: who keeps the state in files need not have it. It
 * is looked for beside ivrctl, wherever that is installed, and in the project.
 */
export function loadPackage<T>(
  name: string,
  root: string,
  isRight: (loaded: unknown) => loaded is T,
): T | undefined {
  for (const from of [import.meta.url, join(root, "package.json")]) {
    const require = createRequire(from);
    const found = resolved(require, name);
    if (found === undefined) continue;
    const loaded: unknown = require(found);
    if (isRight(loaded)) return loaded;
  }
  return undefined;
}

function resolved(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}
