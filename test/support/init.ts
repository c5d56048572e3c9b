import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export const projectFiles = [
  "agents.lock.json",
  "ivrs/front-desk.yaml",
  ".gitignore",
  ".gitattributes",
  "ivrctl.yaml",
];

/** The files that `ivrctl init` names, by what it did with them. */
export function madeIn(stdout: string) {
  const of = (word: string) =>
    [...stdout.matchAll(new RegExp(`^${word} +(.*)$`, "gm"))].map(([, file]) => file ?? "");
  return { created: of("created"), kept: of("kept") };
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
