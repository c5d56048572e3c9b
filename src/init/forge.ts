import { dirname, join } from "node:path";
import { runGit } from "../project/git.ts";
import { pathExists } from "../util/disk.ts";
import type { Host } from "../util/host.ts";

const forges = ["github", "gitlab"] as const;
export type Forge = (typeof forges)[number];

/** The platform whose pipeline files are written. */
export type Ci = Forge | "none";
export const ciChoices: readonly Ci[] = [...forges, "none"];

/** The top of the git repository that a folder is in, or will be in. */
export function repositoryTop(folder: string): string | undefined {
  if (pathExists(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? undefined : repositoryTop(dirname(folder));
}

/** The forge that hosts this repository, found by its remotes or else by its files. */
export async function likelyForge(top: string, host: Host): Promise<Forge | undefined> {
  return only(await remoteHosts(top, host)) ?? only(forgesOf(top));
}

/** The branch that changes are merged into: the default branch of the remote, or the current branch. */
export async function defaultBranch(top: string, host: Host): Promise<string | undefined> {
  for (const ref of ["refs/remotes/origin/HEAD", "HEAD"]) {
    const ran = await runGit(top, ["symbolic-ref", "--short", ref], host);
    if (ran.kind !== "done") continue;
    const name = ran.stdout.toString("utf8").trim();
    const branch = ref === "HEAD" ? name : name.replace(/^origin\//, "");
    // In a workflow, a branch is a pattern. Other characters have a special meaning there.
    return /^[\w./-]+$/.test(branch) ? branch : undefined;
  }
  return undefined;
}

/** The only forge; undefined if there are several. */
function only(found: readonly Forge[]): Forge | undefined {
  const [first, ...others] = new Set(found);
  return others.length === 0 ? first : undefined;
}

async function remoteHosts(top: string, host: Host): Promise<Forge[]> {
  const ran = await runGit(top, ["config", "--get-regexp", String.raw`^remote\..*\.url$`], host);
  if (ran.kind !== "done") return [];
  return ran.stdout
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const host = hostOf(line.replace(/^\S+ /, ""));
      return forges.filter((forge) => host.includes(forge));
    });
}

/** The host of `https://HOST/…`, `ssh://git@HOST:22/…` or `git@HOST:…`; empty for a path. */
function hostOf(url: string): string {
  const host =
    /^[a-z+]+:\/\/(?:[^/@]*@)?([^/:]+)/i.exec(url) ?? /^(?:[^/@:]+@)?([^/:]+):/.exec(url);
  return (host?.[1] ?? "").toLowerCase();
}

function forgesOf(top: string): Forge[] {
  const has = (name: string) => pathExists(join(top, name));
  return [
    ...(has(".github") ? (["github"] as const) : []),
    ...(has(".gitlab-ci.yml") || has(".gitlab") ? (["gitlab"] as const) : []),
  ];
}
