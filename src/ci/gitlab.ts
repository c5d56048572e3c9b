import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { loginVariables } from "../deploy/state/git/login.ts";
import { JsonApi } from "./json-api.ts";
import {
  GitlabJob,
  MergeRequest,
  Pipelines,
  GitlabPosts,
  GitlabUser,
} from "../schema/gitlab-api.ts";
import { diagnosticsGitlab } from "../views/diagnostics/gitlab-code-quality.ts";
import { reportJunit } from "../views/test/junit.ts";
import type { Host } from "../util/host.ts";
import { type Forge, JobProblem, issueLabel, neededVariable, workFolder } from "./forge.ts";

const permission = "the scope api, and the role Developer";

/** The states of a job that has ended. A job in any other state may still run. */
const ended = new Set(["success", "failed", "canceled", "skipped"]);

/** A job of GitLab CI. */
export function openGitlab({ env, clock }: Host): Forge {
  const needed = (name: string) => neededVariable(env, name);
  const project = Number(needed("CI_PROJECT_ID"));
  const projects = `/projects/${project}`;
  const token = env["IVRCTL_GITLAB_TOKEN"] ?? "";
  const top = needed("CI_PROJECT_DIR");
  const commit = env["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"] || needed("CI_COMMIT_SHA");
  const run = needed("CI_JOB_URL");
  const id = needed("CI_JOB_ID");
  const defaultBranch = env["CI_DEFAULT_BRANCH"] ?? "";
  const newPipeline = `${run.replace(/\/jobs\/.*/s, "")}/pipelines/new?ref=${encodeURIComponent(defaultBranch)}&var[IVRCTL_RUN]=`;
  const gitVariables = loginVariables(needed("CI_SERVER_URL"), { user: "oauth2", token }, env);
  /** The start of the names of this project's jobs. Those of a second project start differently. */
  const jobsOf = (name: string) => name.split(":", 1)[0];
  const own = jobsOf(env["CI_JOB_NAME"] ?? "ivrctl");
  const planJob = `${own}:merge-request`;
  const api = new JsonApi({
    name: "GitLab",
    variable: "CI_API_V4_URL",
    base: needed("CI_API_V4_URL"),
    clock,
    needs: () => permission,
    headers() {
      if (token !== "") return { "private-token": token };
      // The job of a fork has no token, and sends no request.
      throw new JobProblem(
        "IVR680",
        "The variable IVRCTL_GITLAB_TOKEN is not set. The token of a job can neither find plans nor write comments.",
        `Create a project access token (${permission}), and add it as a masked CI/CD variable.`,
      );
    },
  });

  function filesOf({ id: found, status, finished_at: at }: z.infer<typeof GitlabJob>) {
    if (!ended.has(status) || !at) return `Job ${found} has not ended yet.`;
    const folder = `${projects}/jobs/${found}/artifacts/${workFolder}`;
    const file = (name: string) => api.file(`${folder}/${encodeURIComponent(name)}`);
    return { run: String(found), at, file };
  }

  return {
    name: "GitLab",
    request: "merge request",
    workflow: "pipeline",
    top,
    commit,
    id,
    run,
    kept: `${run}/artifacts/browse/${workFolder}/`,
    page: `${run}/artifacts/file/${workFolder}/summary.md`,
    actor: needed("GITLAB_USER_LOGIN"),
    lockId: `gitlab-job-${id}`,
    gitVariables: token === "" ? {} : gitVariables,
    // A job on GitLab has no page for Markdown, and the jobs of the template name their files themselves.
    summaryFile: join(top, workFolder, "summary.md"),
    outputFile: undefined,
    branch: env["CI_COMMIT_BRANCH"],
    defaultBranch,
    before: env["CI_COMMIT_BEFORE_SHA"],
    byHand: (of) =>
      `run a new pipeline on the default branch with \`IVRCTL_RUN\` set to \`${of}\`: ${newPipeline}${of}`,

    review() {
      const target = env["CI_MERGE_REQUEST_PROJECT_ID"];
      const base = env["CI_MERGE_REQUEST_DIFF_BASE_SHA"];
      if (!target || !base) {
        throw new JobProblem("IVR680", "This pipeline does not belong to a merge request.");
      }
      // The pipeline of a fork runs in the fork or, if a member starts it, in this project.
      const isOwn = target === env["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"];
      const number = Number(needed("CI_MERGE_REQUEST_IID"));
      const isTrain = env["CI_MERGE_REQUEST_EVENT_TYPE"] === "merge_train";
      return {
        pull: isTrain ? undefined : number,
        queued: isTrain ? number : undefined,
        untrusted: isOwn ? undefined : "it comes from a fork",
        base,
        head: commit,
      };
    },

    // A status would become a pipeline, which decides about the merge instead of that of the merge request.

    pull: (number) => api.get(`${projects}/merge_requests/${number}`, MergeRequest),

    openPulls() {
      const query = `state=opened&target_branch=${encodeURIComponent(defaultBranch)}&per_page=30`;
      return api.get(`${projects}/merge_requests?${query}`, z.array(MergeRequest));
    },

    namedIn: (message) => Number(/^See merge request \S*!(\d+)$/m.exec(message)?.[1]) || undefined,

    async mergedWith(sha) {
      const path = `${projects}/repository/commits/${sha}/merge_requests`;
      const requests = await api.list(path, z.array(MergeRequest));
      return requests.filter(({ mergedAt, target }) => mergedAt && target === project);
    },

    async reviewed({ number, mergedAt }) {
      const path = `${projects}/merge_requests/${number}/pipelines?per_page=100`;
      const [newest] = (await api.list(path, Pipelines))
        .filter(
          (pipeline) =>
            pipeline.source === "merge_request_event" &&
            pipeline.project_id === project &&
            // What a merge train checks, nobody has read.
            !pipeline.ref?.endsWith("/train"),
        )
        .toSorted((a, b) => b.id - a.id);
      const jobs = `${projects}/pipelines/${newest?.id}/jobs?include_retried=true&per_page=100`;
      const all = newest === undefined ? [] : await api.list(jobs, z.array(GitlabJob));
      // A job that was started again may have ended after the merge.
      const isBefore = ({ finished_at: at }: z.infer<typeof GitlabJob>) =>
        mergedAt === undefined || Date.parse(at ?? "") <= Date.parse(mergedAt);
      const [job] = all
        .filter((candidate) => candidate.name === planJob)
        .toSorted((a, b) => Number(isBefore(b)) - Number(isBefore(a)) || b.id - a.id);
      return job === undefined ? `Merge request ${number} has no job ${planJob}.` : filesOf(job);
    },

    async reviewedIn(other) {
      const job = await api.get(`${projects}/jobs/${other}`, GitlabJob);
      const number = /^refs\/merge-requests\/(\d+)\//.exec(job.ref)?.[1];
      const isOwn =
        number === undefined
          ? job.ref === defaultBranch
          : !(await api.get(`${projects}/merge_requests/${number}`, MergeRequest)).isFork;
      if (!isOwn || job.pipeline.project_id !== project) return undefined;
      if (jobsOf(job.name) === own) return filesOf(job);
      // A pipeline that a person starts runs the jobs of all projects.
      return `Job ${other} is for a different project of this repository.`;
    },

    async ownPosts(pull) {
      const { id: me } = await api.get("/user", GitlabUser);
      const list =
        pull === undefined
          ? `issues?state=opened&labels=${issueLabel}`
          : `merge_requests/${pull}/notes?sort=asc`;
      const all = await api.list(`${projects}/${list}&per_page=100`, GitlabPosts);
      return all.filter(({ by }) => by === me);
    },

    write(pull, id, post) {
      const method = id === undefined ? "POST" : "PUT";
      const folder = pull === undefined ? "issues" : `merge_requests/${pull}/notes`;
      const path = `${projects}/${folder}${id === undefined ? "" : `/${id}`}`;
      if (post === "closed") return api.send(method, path, { state_event: "close" });
      const { title, body } = post;
      if (pull !== undefined) return api.send(method, path, { body });
      const labels = id === undefined && { labels: issueLabel };
      return api.send(method, path, { title, description: body, ...labels });
    },

    /** Writes the reports that GitLab shows at the changed lines and in the list of tests. */
    annotate({ prefix, work }, diagnostics, report) {
      writeFileSync(join(work, "codequality.json"), diagnosticsGitlab(diagnostics, prefix));
      writeFileSync(join(work, "junit.xml"), reportJunit(report, prefix));
      return "";
    },

    async hasEnded(lockId) {
      const holder = /^gitlab-job-(\d+)/.exec(lockId)?.[1];
      if (holder === undefined || token === "") return undefined;
      const job = await api.find(`${projects}/jobs/${holder}`, GitlabJob);
      return job && ended.has(job.status);
    },

    close: () => api.close(),
  };
}
