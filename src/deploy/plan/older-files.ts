import type { Diagnostics, Severity } from "../../diagnostics/diagnostic.ts";
import { commitOf, commitsBetween } from "../../workspace/checkout.ts";
import { configName } from "../../project/files.ts";
import type { Project } from "../../workspace/open-project.ts";
import { many } from "../../util/many.ts";
import { minute } from "../../util/time.ts";
import type { StateView } from "../state/view.ts";

/** Reports files that are older than those that were applied last, and returns whether they are. */
export async function reportOlder(
  project: Project,
  { applied }: Pick<StateView, "applied">,
  severity: Severity,
  diagnostics: Diagnostics,
): Promise<boolean> {
  const commit = applied === null ? undefined : await commitOf(project);
  if (applied === null || commit === undefined) return false;
  const count = await commitsBetween(project, commit, applied.commit);
  if (count === undefined) return false;
  const when = `${applied.commit.slice(0, 7)}, ${minute(applied.at)} UTC`;
  diagnostics.addAt(
    "IVR685",
    { file: configName },
    `This checkout is ${many(count, "commit")} older than what was applied (${when}).`,
    "Run `git pull`. To undo a change on purpose, use `git revert`, or add `--allow older`.",
    severity,
  );
  return true;
}
