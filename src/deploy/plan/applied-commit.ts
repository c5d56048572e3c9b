import type { Diagnostics, Severity } from "../../diagnostics/diagnostic.ts";
import { commitOf, haveSameFiles, missingCommits, readCheckout } from "../../workspace/checkout.ts";
import { configName } from "../../project/files.ts";
import type { AppliedCommit } from "../../schema/state.ts";
import type { Project } from "../../workspace/open-project.ts";
import { joined, many } from "../../util/many.ts";
import { minute } from "../../util/time.ts";
import { visible } from "../../util/visible.ts";
import type { StateView } from "../state/view.ts";
import { actions } from "./changes/actions.ts";
import type { Change } from "./changes/changes.ts";
import type { Plan } from "./plan.ts";

type Applied = Pick<StateView, "applied">;

/** Fetches a commit that was applied, and returns the name of the pull request that it is from. */
export type OriginOf = (commit: string) => Promise<string | undefined>;

/** Reports commits that were applied and that the files do not contain. Returns whether there are any. */
export async function reportMissingCommits(
  project: Project,
  { applied }: Applied,
  severity: Severity,
  diagnostics: Diagnostics,
  originOf?: OriginOf,
): Promise<boolean> {
  const commit = applied === null ? undefined : await commitOf(project);
  if (applied === null || commit === undefined) return false;
  if (commit !== applied.commit) await originOf?.(applied.commit);
  const missing = await missingCommits(project, commit, applied.commit);
  if (missing === undefined) return false;
  const origins = missing.commits.slice(0, most).map(async ({ id, subject }) => {
    return (await originOf?.(id)) ?? `“${visible(subject)}”`;
  });
  const left = missing.commits.length - most;
  const names = [
    ...new Set(await Promise.all(origins)),
    ...(left > 0 ? [many(left, "more commit")] : []),
  ];
  const were = names.length === 1 ? "was" : "were";
  const short = applied.commit.slice(0, 7);
  diagnostics.addAt(
    "IVR685",
    { file: configName },
    `This checkout does not contain ${joined(names, "and")}, which ${were} applied (${describe(applied)}).`,
    missing.isOlder
      ? "Run `git pull`. To undo a change on purpose, use `git revert`, or add `--allow older`."
      : `Merge this commit, for example with \`git merge ${short}\`. To undo a change on purpose, add \`--allow older\`.`,
    severity,
  );
  return true;
}

/** Reports a plan that only takes back what the last apply sent and nobody has committed. */
export async function reportUncommitted(
  project: Project,
  { applied }: Applied,
  plan: Plan,
  diagnostics: Diagnostics,
): Promise<void> {
  const changes = plan.changes.filter(({ action }) => actions[action].isLeft !== true);
  // A record since then has content that the commit does not have: these files would be no change.
  const isSince = ({ before }: Change) =>
    before !== undefined && (before.updated_at ?? before.created_at) >= (applied?.at ?? "");
  if (applied?.modified !== true || changes.length === 0 || !changes.every(isSince)) return;
  const checkout = await readCheckout(project);
  if (checkout === undefined || checkout.modified) return;
  if (!(await haveSameFiles(project, checkout.commit, applied.commit))) return;
  diagnostics.addAt(
    "IVR685",
    { file: configName },
    `The last apply (${describe(applied)}) sent changes that are not committed. This plan takes exactly these back.`,
    "To keep them, commit them in the checkout that applied them, and pull them here.",
    "warning",
  );
}

/** The most commits that a message names. */
const most = 5;

function describe({ commit, at }: AppliedCommit): string {
  return `${commit.slice(0, 7)}, ${minute(at)} UTC`;
}
