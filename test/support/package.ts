import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const root = join(import.meta.dirname, "../..");

export interface Packed {
  /** The package as it would be published. */
  readonly tarball: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Runs `npm pack` on the build. The package is deleted after the test file. */
export function pack(): Packed {
  const folder = emptyFolder();
  // Without scripts, because a build would replace dist/ while other tests use it.
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [packed] = JSON.parse(npm(args, root));
  return { ...packed, tarball: join(folder, packed.filename) };
}

/** Creates a folder where only the package is installed. */
export function install({ tarball }: Packed): string {
  const folder = emptyFolder();
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  npm(["install", "--offline", "--no-audit", "--no-fund", tarball], folder);
  return folder;
}

export function npm(args: readonly string[], cwd: string): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ivrctl-package-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
