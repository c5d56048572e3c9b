import { existsSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";

/**
 * Returns the folder of the project that a file belongs to: the nearest folder with ivrctl.yaml. Looks no
 * further than the workspace folder, because the user trusts only what is inside.
 */
export function projectOf(file: string, workspaceFolder: string): string | undefined {
  const folders = foldersBetween(dirname(file), workspaceFolder);
  const root = folders.find((folder) => existsSync(join(folder, "ivrctl.yaml")));
  return root !== undefined && isProjectFile(root, file) ? root : undefined;
}

/** Whether ivrctl reads a file of a project as YAML that people write. */
function isProjectFile(root: string, file: string): boolean {
  const path = relative(root, file);
  return path === "ivrctl.yaml" || (path.startsWith(`ivrs${sep}`) && path.endsWith(".yaml"));
}

/** Returns the file of the menu that a test file tests. Undefined for a file that describes no single menu. */
export function menuFile(file: string): string | undefined {
  const name = basename(file);
  if (name === "ivrctl.yaml" || name.startsWith("_")) return undefined;
  return file.replace(/\.test\.yaml$/, ".yaml");
}

/** Returns a folder and those above it, up to `top`. Empty if the folder is not inside `top`. */
export function foldersBetween(folder: string, top: string): string[] {
  if (folder === top) return [folder];
  const above = dirname(folder);
  const isInside = `${folder}${sep}`.startsWith(top.endsWith(sep) ? top : `${top}${sep}`);
  return isInside ? [folder, ...foldersBetween(above, top)] : [];
}

/** Returns a path as a glob pattern that matches only this path. */
export function asGlob(path: string): string {
  return path.replaceAll(/[*?[{]/g, "[$&]");
}
