import * as z from "zod/mini";

/* The answers of the GitHub API and the event of a run, as far as the jobs of a pipeline read them. */

const Repository = z.nullish(z.object({ full_name: z.string() }));
const Commit = z.object({ sha: z.string(), ref: z.string(), repo: Repository });
export const PullRequest = z.pipe(
  z.object({
    number: z.int(),
    head: Commit,
    base: Commit,
    merged_at: z.nullish(z.string()),
    merge_commit_sha: z.nullish(z.string()),
  }),
  z.transform(({ number, head, base, merged_at, merge_commit_sha }) => ({
    number,
    head: head.sha,
    base: base.sha,
    target: base.repo?.full_name,
    into: base.ref,
    isFork: head.repo?.full_name !== base.repo?.full_name,
    mergedAt: merged_at ?? undefined,
    mergedAs: [merge_commit_sha ?? []].flat(),
  })),
);
export const RunEvent = z.object({
  pull_request: z.optional(PullRequest),
  merge_group: z.optional(
    z.object({ base_sha: z.string(), head_sha: z.string(), head_ref: z.optional(z.string()) }),
  ),
  repository: z.optional(z.object({ default_branch: z.string() })),
  before: z.optional(z.string()),
});
export const Run = z.object({
  id: z.int(),
  event: z.string(),
  path: z.string(),
  head_sha: z.string(),
  head_branch: z.nullish(z.string()),
  repository: Repository,
  head_repository: Repository,
});
export type Run = z.infer<typeof Run>;
export const Runs = z.object({ workflow_runs: z.array(Run) });
export const RunJobs = z.object({
  total_count: z.int(),
  jobs: z.array(z.object({ status: z.string() })),
});
export const RunArtifacts = z.object({
  artifacts: z.array(
    z.object({ id: z.int(), name: z.string(), expired: z.boolean(), created_at: z.string() }),
  ),
});
/** Comments, or issues. Only an issue has a number. */
export const GithubPosts = z.array(
  z.pipe(
    z.object({
      id: z.int(),
      number: z.optional(z.int()),
      user: z.nullish(z.object({ login: z.string() })),
      body: z.nullish(z.string()),
    }),
    z.transform(({ id, number = id, user, body }) => ({
      id: number,
      by: user?.login ?? "",
      body: body ?? "",
    })),
  ),
);
export const GithubUser = z.object({ login: z.string() });
/** A workflow that names the branches whose pushes start it. */
export const Workflow = z.object({
  on: z.object({ push: z.object({ branches: z.array(z.string()) }) }),
});
