import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { validate } from "../schema/validate.ts";

export const lockFile = "package-lock.json";

/** The folder whose lock file has all packages that a pipeline needs, or a package that is missing. */
export type Locked =
  | { readonly kind: "locked"; readonly folder: string }
  | { readonly kind: "missing"; readonly missing: string };

/** Looks for a lock file that pins ivrctl and the driver of the state store, if it needs one. */
export function lockedIn(folders: readonly string[], driver: string | undefined): Locked {
  const needed = ["ivrctl", driver ?? []].flat();
  const missing = folders.map((folder) => {
    const packages = packagesIn(folder);
    return needed.find((name) => !isPinned(packages[`node_modules/${name}`]));
  });
  const at = missing.indexOf(undefined);
  const folder = folders[at];
  if (folder !== undefined) return { kind: "locked", folder };
  // A missing driver is the smaller problem.
  return { kind: "missing", missing: missing.find((name) => name !== "ivrctl") ?? "ivrctl" };
}

const LockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      resolved: z.optional(z.string()),
      integrity: z.optional(z.string()),
      link: z.optional(z.boolean()),
    }),
  ),
});
type Package = z.infer<typeof LockFile>["packages"][string];

function packagesIn(folder: string): Readonly<Record<string, Package>> {
  try {
    const text = readFileSync(join(folder, lockFile), "utf8");
    const read = validate(LockFile, JSON.parse(text));
    return read.success ? read.data.packages : {};
  } catch {
    return {};
  }
}

/** Whether `npm ci` installs exactly this package, from a registry or from the repository. */
function isPinned(entry: Package | undefined): boolean {
  if (entry === undefined || /^(?:file:)?\.\./.test(entry.resolved ?? "")) return false;
  return entry.integrity !== undefined || entry.link === true;
}
