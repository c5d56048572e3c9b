import { cpSync, existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { folder } from "./cli.ts";

const root = join(import.meta.dirname, "../..");

export const projectFiles = [
  "ivrctl.yaml",
  "agents.lock.json",
  ...["config", "defaults", "menu", "test"].map((name) => `schema/${name}.schema.json`),
  "ivrs/front-desk.yaml",
  ".gitignore",
  ".gitattributes",
];

/** The files that `ivrctl init` names, by what it did with them. */
export function madeIn(stdout: string) {
  const of = (word: string) =>
    [...stdout.matchAll(new RegExp(`^${word} +(.*)$`, "gm"))].map(([, file]) => file ?? "");
  return { created: of("created"), changed: of("changed"), kept: of("kept") };
}

/** A package.json's lock file that pins these packages. */
export function lockFile(...names: readonly string[]): string {
  const pinned = { version: "1.0.0", integrity: "sha512-AAAA" };
  const packages = names.map((name) => [`node_modules/${name}`, pinned]);
  return JSON.stringify({ lockfileVersion: 3, packages: Object.fromEntries(packages) });
}

/** Creates a copy of the built package with small pipeline templates that show what init fills in. */
export function packaged(): string {
  const path = folder({
    "templates/github/.github/workflows/ivrctl.yml":
      "environment: production\nsteps:\n  - run: npm ci\n  - uses: ./node_modules/ivrctl\n    with:\n      environment: production\n      run: ${{ inputs.run }}\n",
    "templates/gitlab/.gitlab-ci.yml":
      '# Why.\ninclude:\n  - local: .gitlab/ivrctl.yml\n\nvariables:\n  IVRCTL_DIRECTORY: "." # where\n',
    "templates/gitlab/.gitlab/ivrctl.yml": "jobs: true\n",
  });
  for (const part of ["package.json", "dist", "schema", "templates/project"]) {
    cpSync(join(root, part), join(path, part), { recursive: true });
  }
  return join(path, "dist/ivrctl.cjs");
}

/** Returns the content of every file of a folder, except in .git. */
export function contents(path: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path, { recursive: true, encoding: "utf8" })
      .filter((name) => !/^\.git(?:\/|$)/.test(name) && statSync(join(path, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(path, name), "utf8")]),
  );
}

/** Creates a git repository with these remotes. */
export function repository(path: string, remotes: Readonly<Record<string, string>> = {}): void {
  if (!existsSync(join(path, ".git"))) git(path, "init", "-q");
  for (const [name, url] of Object.entries(remotes)) git(path, "remote", "add", name, url);
}

export function git(path: string, ...args: string[]): string {
  return execFileSync("git", ["-C", path, ...args], { encoding: "utf8" });
}
