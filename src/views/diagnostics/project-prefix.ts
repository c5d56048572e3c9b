import { fromRepository } from "../../project/root.ts";
import type { Audience } from "../terminal.ts";

/** The path from the root of the repository to the project; empty outside CI. */
export function projectPrefix({ root, host: { env } }: Pick<Audience, "root" | "host">): string {
  const workspace = env["GITHUB_WORKSPACE"] || env["CI_PROJECT_DIR"];
  if (workspace === undefined || workspace === "") return "";
  return fromRepository(workspace, root) ?? "";
}
