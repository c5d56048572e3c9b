import type { ProjectCache } from "../cache/project-cache.ts";
import { type Context, UsageError } from "./command.ts";

/** With fewer menus, to look what is known takes as long as to read them. */
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
