import type { ChangedMenu, MenuHistory } from "../operations/menu-history.ts";
import { listed } from "../util/many.ts";
import { changedMenuWords, withNote } from "../views/pipeline.ts";
import { JobProblem, problemOr } from "./forge.ts";
import type { EnvironmentJob } from "./job.ts";

/**
 * What other open pull requests change in the same menus, by the names of the notes about it. Also says so
 * on each of them, because the one that is merged last needs a new plan.
 */
export async function overlapsOf(
  job: EnvironmentJob,
  number: number,
  base: string,
  history: MenuHistory,
): Promise<ReadonlyMap<string, string>> {
  const { forge, environment } = job;
  const own = await history.changed(base, "HEAD");
  const open = own.size === 0 ? [] : await problemOr(forge.openPulls());
  const overlaps = new Map<string, string>();
  const unread: string[] = [];
  for (const pull of open instanceof JobProblem ? [] : open) {
    if (pull.number === number) continue;
    const theirs = await history.changedOn(pull.head, base, job.prefix);
    if (theirs === undefined) unread.push(`${pull.number}`);
    const both = [...own.keys()].filter((key) => theirs?.has(key));
    if (theirs === undefined || both.length === 0) continue;
    const sentence = (of: number, changed: ReadonlyMap<string, ChangedMenu>) =>
      `${forge.request} ${of} also changes ${listed(both.map((key) => changedMenuWords(changed.get(key))))} in ${environment}.`;
    overlaps.set(`${environment}-${pull.number}`, sentence(pull.number, theirs));
    const note = sentence(number, own);
    await job.write(pull.number, ["plan"], (old) =>
      old === undefined ? undefined : { body: withNote(old, `${environment}-${number}`, note) },
    );
  }
  if (open instanceof JobProblem || unread.length > 0) {
    const why = open instanceof JobProblem ? open.message : `${listed(unread)} cannot be read.`;
    job.report(`Open ${forge.request}s were not all compared: ${why}`);
  }
  return overlaps;
}
