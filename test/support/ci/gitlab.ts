import { serveApi } from "./api-server.ts";
import {
  type Asked,
  type Job,
  type Platform,
  type Pull,
  type Reply,
  type Runner,
  type World,
  answerIssues,
  missing,
  page,
  textOf,
} from "./world.ts";

const token = "glpat-t0ken-of-the-project";
const project = 7;
const fork = 8;
const me = 42;
const sources = {
  "pull request": "merge_request_event",
  "merge queue": "merge_request_event",
  push: "push",
  "by hand": "web",
  schedule: "schedule",
} as const;

/** Starts the part of the GitLab API that the jobs use. */
export async function startGitlab(world: World): Promise<Platform> {
  const api = await serveApi({
    base: "/api/v4",
    isAllowed: ({ headers }) => headers["private-token"] === token,
    answer: (asked, base) => answer(world, asked, base),
  });
  return {
    token,
    user: "oauth2",
    api,
    variables: (job, runner) => ({ CI_API_V4_URL: api.url, ...variablesOf(job, runner) }),
  };
}

function answer(world: World, asked: Asked, base: string): Reply {
  const { method } = asked;
  if (asked.path === "/user") return { status: 200, value: { id: me } };
  const path = asked.path.replace(`/projects/${project}/`, "");
  if (/^issues(?:\/\d+)?$/.test(path)) {
    return answerIssues(world, asked, base, ({ number: iid, by, body }) => ({
      id: 9000 + iid,
      iid,
      author: { id: by === "the pipeline" ? me : 13 },
      description: body,
    }));
  }
  if (path === "merge_requests") {
    return { status: 200, value: world.pulls.filter(({ merged }) => !merged).map(shownPull) };
  }
  const [, number, note] = /^merge_requests\/(\d+)\/notes(?:\/(\d+))?$/.exec(path) ?? [];
  if (number !== undefined) return answerNotes(world, asked, base, Number(number), note);
  const [, commit] = /^repository\/commits\/([0-9a-f]{40})\/merge_requests$/.exec(path) ?? [];
  if (commit !== undefined) {
    const pulls = world.pulls.filter(({ head, merged }) => [head, merged].includes(commit));
    return page(pulls.map(shownPull), asked, base);
  }
  const [, iid, pipelines] = /^merge_requests\/(\d+)(\/pipelines)?$/.exec(path) ?? [];
  if (iid !== undefined) {
    const pull = world.pulls.find((one) => String(one.number) === iid);
    if (pull === undefined) return missing;
    if (pipelines === undefined) return { status: 200, value: shownPull(pull) };
    const jobs = world.jobs.filter((job) => job.pull?.number === pull.number).toReversed();
    const all = new Map(jobs.map((job) => [pipelineOf(job, world), shownPipeline(job, world)]));
    return page([...all.values()], asked, base);
  }
  const [, pipeline] = /^pipelines\/(\d+)\/jobs$/.exec(path) ?? [];
  if (pipeline !== undefined) {
    const jobs = world.jobs
      .filter((job) => pipelineOf(job, world) === Number(pipeline))
      .map((job) => shownJob(job, world));
    const others = jobs.map((job) => ({ ...job, id: 1, name: "lint" }));
    const wanted = asked.query.get("include_retried") === "true" ? jobs : jobs.slice(-1);
    return page([...others, ...others, ...wanted], asked, base);
  }
  const [, id, file] = /^jobs\/(\d+)(?:\/artifacts\/ivrctl-ci\/(.+))?$/.exec(path) ?? [];
  const job = world.jobs.find((one) => String(one.id) === id);
  if (job === undefined || method !== "GET") return missing;
  if (file === undefined) return { status: 200, value: shownJob(job, world) };
  const content = job.artifact?.files.get(decodeURIComponent(file));
  return content === undefined ? missing : { status: 200, value: content };
}

function answerNotes(
  world: World,
  asked: Asked,
  base: string,
  pull: number,
  note: string | undefined,
): Reply {
  const { method } = asked;
  const body = textOf(asked);
  const comments = world.comments.filter((comment) => comment.pull === pull);
  if (method === "GET" && note === undefined) {
    const notes = comments.map((comment) => ({
      id: comment.id,
      body: comment.body,
      author: { id: comment.by === "the pipeline" ? me : 13 },
    }));
    return page(notes, asked, base);
  }
  if (method === "POST" && note === undefined) {
    world.comments.push({ id: world.comments.length + 1, pull, by: "the pipeline", body });
    return { status: 201 };
  }
  const changed = comments.find(({ id }) => String(id) === note);
  if (changed === undefined || method !== "PUT") return missing;
  changed.body = body;
  return { status: 200 };
}

function shownPull({ number, isFork, head, into, merged, mergedAt }: Pull) {
  return {
    iid: number,
    state: merged === null ? "opened" : "merged",
    merged_at: mergedAt ?? null,
    sha: head,
    merge_commit_sha: merged,
    squash_commit_sha: null,
    source_project_id: isFork ? fork : project,
    target_project_id: project,
    target_branch: into,
  };
}

/** The pipeline of a job. A job for the same commit of a merge request was started again. */
function pipelineOf({ id, pull, head }: Job, { jobs }: World): number {
  const first = jobs.find((job) => pull && job.pull?.number === pull.number && job.head === head);
  return 5000 + (first?.id ?? id);
}

function shownPipeline(job: Job, world: World) {
  const about = { source: sources[job.occasion], ref: refOf(job), project_id: project };
  return { id: pipelineOf(job, world), ...about };
}

function refOf({ pull, occasion }: Job): string {
  const what = occasion === "merge queue" ? "train" : "merge";
  return pull === undefined ? "main" : `refs/merge-requests/${pull.number}/${what}`;
}

function shownJob(job: Job, world: World) {
  const { id, pull, isOver, isManual = false, ended } = job;
  return {
    id,
    name: pull === undefined ? "ivrctl:apply" : "ivrctl:merge-request",
    status: isManual ? "manual" : isOver ? "success" : "running",
    ref: refOf(job),
    finished_at: isOver ? ended : null,
    pipeline: { id: pipelineOf(job, world), project_id: project },
  };
}

function variablesOf(job: Job, { workspace, server, actor }: Runner): Record<string, string> {
  const { id, occasion, pull } = job;
  return {
    GITLAB_CI: "true",
    GITLAB_USER_LOGIN: actor,
    CI_COMMIT_SHA: job.checkedOut,
    CI_DEFAULT_BRANCH: "main",
    CI_JOB_ID: String(id),
    CI_JOB_TOKEN: "job-t0ken",
    CI_JOB_URL: `https://gitlab.invalid/acme/phone/-/jobs/${id}`,
    CI_PIPELINE_SOURCE: sources[occasion],
    CI_PROJECT_DIR: workspace,
    CI_PROJECT_ID: String(project),
    CI_SERVER_URL: server,
    IVRCTL_GITLAB_TOKEN: token,
    ...(pull === undefined
      ? {
          CI_COMMIT_BRANCH: "main",
          CI_COMMIT_BEFORE_SHA: occasion === "push" ? job.before : "0".repeat(40),
        }
      : {
          CI_MERGE_REQUEST_EVENT_TYPE: occasion === "merge queue" ? "merge_train" : "merged_result",
          CI_MERGE_REQUEST_IID: String(pull.number),
          CI_MERGE_REQUEST_PROJECT_ID: String(project),
          CI_MERGE_REQUEST_SOURCE_PROJECT_ID: String(pull.isFork ? fork : project),
          CI_MERGE_REQUEST_DIFF_BASE_SHA: pull.base,
          // Set only in a pipeline for the merged result.
          CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: job.checkedOut === job.head ? "" : job.head,
        }),
  };
}
