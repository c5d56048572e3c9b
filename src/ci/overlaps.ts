import { isDeepStrictEqual } from "node:util";
import { fieldName } from "../model/field-words.ts";
import type { Menu } from "../model/menu.ts";
import { changedFields } from "../model/menu-diff.ts";
import type { MenuHistory } from "../operations/menu-history.ts";
import { listed } from "../util/many.ts";
import { withNote } from "../views/pipeline.ts";
import { hasCommit, isAffected, mergeBase } from "../workspace/changed-files.ts";
import { fetch } from "../project/git.ts";
import { JobProblem, type Pull, problemOr } from "./forge.ts";
import type { EnvironmentJob } from "./job.ts";

/**
 * What other open pull requests change in the same menus, as sentences. Also says so on each of them,
 * because the one that is merged last needs a new plan. A menu may change with a default or a recording.
 */
export async function overlapsOf(
  job: EnvironmentJob,
  number: number,
  base: string,
  history: MenuHistory,
): Promise<readonly string[]> {
  const { forge, environment } = job;
  const own = await changesOf(history, base, "HEAD");
  if (own.size === 0) return [];
  const open = await problemOr(forge.openPulls());
  const sentences: string[] = [];
  const failed: string[] = [];
  for (const pull of open instanceof JobProblem ? [] : open) {
    if (pull.number === number) continue;
    const theirs = await changesOfPull(job, pull, base, history);
    if (theirs === undefined) failed.push(`${pull.number}`);
    const both = [...own].flatMap(([key, mine]) => {
      const other = theirs?.get(key);
      return other === undefined ? [] : { mine, other };
    });
    if (both.length === 0) continue;
    const sentence = (of: number, words: readonly string[]) =>
      `${forge.request} ${of} also changes ${listed(words)} in ${environment}.`;
    sentences.push(
      sentence(
        pull.number,
        both.map(({ other }) => other),
      ),
    );
    const note = sentence(
      number,
      both.map(({ mine }) => mine),
    );
    await job.write(pull.number, ["plan"], (old) =>
      old === undefined ? undefined : { body: withNote(old, `${environment}-${number}`, note) },
    );
  }
  const why = open instanceof JobProblem ? open.message : `${listed(failed)} cannot be read.`;
  if (open instanceof JobProblem || failed.length > 0) {
    job.report(`Open ${forge.request}s were not all compared: ${why}`);
  }
  return sentences;
}

/** What a pull request changes. Undefined if git cannot read it. */
async function changesOfPull(
  { context, prefix }: EnvironmentJob,
  { head }: Pull,
  base: string,
  history: MenuHistory,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (!(await hasCommit(context, head))) await fetch(context, head);
  if (!(await hasCommit(context, head))) return undefined;
  const from = await mergeBase(context, base, head);
  return (await isAffected(context, prefix, from, head))
    ? changesOf(history, from, head)
    : new Map();
}

/** The menus that differ between two commits, each with what differs: `Front desk (key 2)`. */
async function changesOf(
  history: MenuHistory,
  from: string,
  to: string,
): Promise<ReadonlyMap<string, string>> {
  const [before, after] = [await history.menusOf(from), await history.menusOf(to)];
  const keys = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
  const changed = new Map<string, string>();
  for (const key of keys) {
    const [old, now] = [before?.get(key), after?.get(key)];
    if (!isDeepStrictEqual(old, now)) changed.set(key, changeWords(old, now));
  }
  return changed;
}

function changeWords(old: Menu | undefined, now: Menu | undefined): string {
  const name = (now ?? old)?.name ?? "";
  const fields = old && now ? changedFields(old, now) : [];
  const words = fields.flatMap(({ before, after }) => {
    const field = after ?? before;
    return field === undefined ? [] : fieldName(field);
  });
  return words.length === 0 ? name : `${name} (${listed(words, 5)})`;
}
