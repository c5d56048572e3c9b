import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { root, writeFiles } from "./cli.ts";

/** The files of the oldest build whose states are promised, which has the format 8. */
const kept = join(root, "test/state/lasting/8/ivrctl.json.br");

/** Returns the path of its command. It is below this repository, so that it finds the drivers. */
export function olderCommand(): string {
  const folder = join(root, "test-results/ivrctl-8");
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    const made = mkdtempSync(`${folder}-`);
    writeFiles(made, JSON.parse(brotliDecompressSync(readFileSync(kept)).toString()));
    try {
      renameSync(made, folder);
    } catch {
      // Another process was faster.
    }
  }
  return join(folder, "dist/ivrctl.cjs");
}
