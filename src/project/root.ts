import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { configName } from "./files.ts";
import { pathExists, slashed } from "../util/disk.ts";

/**
 * Returns the folder of the project that a folder belongs to: the nearest one with ivrctl.yaml, from
 * this folder upwards. Returns the folder itself if there is none.
 */
export function projectRoot(folder: string): string {
  return foldersUp(folder).find(hasConfig) ?? folder;
}

/** Returns the nearest folder with ivrctl.yaml above a folder, if there is one. */
export function projectAbove(folder: string): string | undefined {
  return foldersUp(folder).slice(1).find(hasConfig);
}

function hasConfig(folder: string): boolean {
  return pathExists(join(folder, configName));
}

/** Returns a path from the current folder as a path from the root. Leaves `-` as it is. */
export function fromRoot(root: string, folder: string, path: string): string {
  if (root === folder || path === "" || path === "-" || isAbsolute(path)) return path;
  return slashed(relative(root, resolve(folder, path))) || ".";
}

/** Returns a path from the root as a path from the current folder, for people. */
export function fromFolder(root: string, folder: string, path: string): string {
  // A state may be at an address: s3://BUCKET/PREFIX, REMOTE#BRANCH.
  const isElsewhere = isAbsolute(path) || path === "" || path === "-" || /:\/\/|#/.test(path);
  if (root === folder || isElsewhere) return path;
  return slashed(relative(folder, resolve(root, path))) || ".";
}

/**
 * Returns the path from the top of the repository to a project in the workspace of a pipeline: empty,
 * or ends with `/`. The workspace is the top, unless the pipeline has checked out the repository into
 * a subfolder. Returns undefined if the project is not in the workspace.
 */
export function fromRepository(workspace: string, root: string): string | undefined {
  const names = relative(workspace, root).split(sep);
  if (names[0] === "..") return undefined;
  const top = names.findLastIndex((_, at) =>
    // In a submodule, `.git` is a file. Its files are not part of the repository of the pipeline.
    pathExists(join(workspace, ...names.slice(0, at + 1), ".git/config")),
  );
  const below = names.slice(top + 1).join("/");
  return below === "" ? "" : `${below}/`;
}

/** The folder and those above it, the nearest first, up to the top of the git repository or the disk. */
function foldersUp(folder: string): string[] {
  const above = dirname(folder);
  const isTop = above === folder || pathExists(join(folder, ".git"));
  return isTop ? [folder] : [folder, ...foldersUp(above)];
}
