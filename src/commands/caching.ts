import type { ProjectCache } from "../cache/project-cache.ts";
import { type Context, UsageError } from "./command.ts";

/** Fewer menus take a few tenths of a second; to keep what they say would take a tenth of that. */
const worthIt = 50;

/** What earlier runs found out about a project of so many menus, where it pays to ask. */
export async function cacheOf(
  { root, variables }: Pick<Context, "root" | "variables">,
  menus: number,
): Promise<ProjectCache | undefined> {
  const wish = variables["IVRCTL_CACHE"] || undefined;
  if (wish !== undefined && wish !== "off" && wish !== "always") {
    throw new UsageError(`IVRCTL_CACHE is \`off\` or \`always\`, not ${wish}.`);
  }
  if (wish === "off" || (wish === undefined && menus < worthIt)) return undefined;
  const { openCache } = await import("../cache/open.ts");
  return openCache(root, variables);
}
