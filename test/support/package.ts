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

/** `npm pack` of what is built, gone when the test file is through. */
export function pack(): Packed {
  const folder = emptyFolder();
  // Without scripts: the build would pull dist/ from under the tests that run beside this one.
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [packed] = JSON.parse(npm(args, root));
  return { ...packed, tarball: join(folder, packed.filename) };
}

/** A folder where the package is installed, and nothing else. */
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
