import * as z from "zod/mini";

/* The answers of the GitLab API, as far as the jobs of a pipeline read them. */

export const MergeRequest = z.pipe(
  z.object({
    iid: z.int(),
    state: z.string(),
    merged_at: z.nullish(z.string()),
    sha: z.nullish(z.string()),
    merge_commit_sha: z.nullish(z.string()),
    squash_commit_sha: z.nullish(z.string()),
    source_project_id: z.nullish(z.int()),
    target_project_id: z.int(),
    target_branch: z.string(),
  }),
  z.transform(({ iid, state, sha, merge_commit_sha, squash_commit_sha, ...request }) => ({
    number: iid,
    head: sha ?? "",
    target: request.target_project_id,
    into: request.target_branch,
    isFork: request.source_project_id !== request.target_project_id,
    mergedAt: state === "merged" ? (request.merged_at ?? "") : undefined,
    mergedAs: [merge_commit_sha ?? [], squash_commit_sha ?? [], sha ?? []].flat(),
  })),
);
export const Pipelines = z.array(
  z.object({
    id: z.int(),
    source: z.nullish(z.string()),
    ref: z.nullish(z.string()),
    project_id: z.int(),
  }),
);
export const GitlabJob = z.object({
  id: z.int(),
  name: z.string(),
  status: z.string(),
  /** Absent until it has ended. */
  finished_at: z.nullish(z.string()),
  ref: z.string(),
  pipeline: z.object({ project_id: z.int() }),
});
/** Notes, or issues. Only an issue has a number and a description. */
export const GitlabPosts = z.array(
  z.pipe(
    z.object({
      id: z.int(),
      iid: z.optional(z.int()),
      author: z.object({ id: z.int() }),
      body: z.optional(z.string()),
      description: z.nullish(z.string()),
    }),
    z.transform(({ id, iid = id, author, body, description }) => ({
      id: iid,
      by: author.id,
      body: description ?? body ?? "",
    })),
  ),
);
export const GitlabUser = z.object({ id: z.int() });
