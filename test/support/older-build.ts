import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { root, writeFiles } from "./cli.ts";

/**
 * Returns the path of the command that wrote the states of a format, by default the oldest one. It is below
 * this repository, so that it finds the drivers.
 */
export function olderCommand(format = "8"): string {
  const kept = join(root, `test/state/lasting/${format}/ivrctl.json.br`);
  const folder = join(root, `test-results/ivrctl-${format}`);
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
