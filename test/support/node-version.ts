import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npm } from "./package.ts";

/** The newest version. The lowest one is in package.json. */
export const newestNode = "26.10.0";

const cache = join(import.meta.dirname, "../../node_modules/.cache/node");

/**
 * Returns the path of another Node version. Downloads it from npm on first use (45 MB, too large for
 * a dependency).
 */
export function nodeProgram(version: string): string {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(cache, version);
  const program = join(folder, "node_modules", name, "bin/node");
  if (says(program) !== version) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const wanted = `${name}@${version}`;
    const quiet = ["--no-audit", "--no-fund", "--fetch-retries=5"];
    const args = ["install", "--prefix", folder, ...quiet, wanted];
    try {
      npm(args, folder);
    } catch (error) {
      throw new Error(
        `Node ${version} is not installed, and npm cannot fetch it. Install it with: npm ${args.join(" ")}`,
        { cause: error },
      );
    }
  }
  const found = says(program);
  if (found !== version) throw new Error(`${program} is Node ${found}, not ${version}.`);
  return program;
}

function says(program: string): string | undefined {
  if (!existsSync(program)) return undefined;
  return execFileSync(program, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
}
