import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { build } from "../build.ts";
import { PackFiles, keyIn } from "./pack-files.ts";
import { ProjectCache } from "./project-cache.ts";

/** A project's cache under .ivrctl/; undefined where this user has no place for a key. */
export function openCache(
  project: string,
  variables: Readonly<Record<string, string | undefined>>,
): ProjectCache | undefined {
  const given = variables["XDG_CACHE_HOME"] ?? "";
  const key = keyIn(join(isAbsolute(given) ? given : join(homedir(), ".cache"), "ivrctl"));
  return key && new ProjectCache(new PackFiles(project, key), build);
}
