import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of this package. A bundle is not as deep in it as this file. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) {
    if (dirname(folder) === folder) throw new Error("the package.json of ivrctl is missing");
    folder = dirname(folder);
  }
  return folder;
}
