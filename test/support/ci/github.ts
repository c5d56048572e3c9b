import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
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
  repository,
  textOf,
} from "./world.ts";

const workflow = ".github/workflows/ivrctl.yml";
const token = "ghs_t0ken-of-the-workflow";
const events = {
  "pull request": "pull_request",
  "merge queue": "merge_group",
  push: "push",
  "by hand": "workflow_dispatch",
  schedule: "schedule",
} as const;

/** Starts the part of the GitHub API that the jobs use. Another origin stores the artifacts. */
export async function startGithub(world: World): Promise<Platform> {
  const storage = await serveApi({
    // The address has its own permission. The token must not get there.
    isAllowed: ({ headers, query }) =>
      headers["authorization"] === undefined && query.get("sig") === "s1gnature",
    answer: ({ path }) => {
      const { artifact } = world.jobs.find(({ id }) => path === `/${id}.zip`) ?? {};
      if (artifact === undefined) return missing;
      return { status: 200, value: Buffer.from(zipSync(Object.fromEntries(artifact.files))) };
    },
  });
  const api = await serveApi({
    isAllowed: ({ headers }) => headers["authorization"] === `Bearer ${token}`,
    answer: (asked, base) => answer(world, asked, base, storage.url),
  });
  return {
    token,
    user: "x-access-token",
    api,
    storage,
    variables: (job, runner) => ({ GITHUB_API_URL: api.url, ...variablesOf(job, runner) }),
  };
}

function answer(world: World, asked: Asked, base: string, storage: string): Reply {
  const { method, query } = asked;
  // The token of a workflow belongs to no user.
  if (asked.path === "/user") return { status: 403, value: { message: "Resource not accessible" } };
  const path = asked.path.replace(`/repos/${repository}/`, "");
  const [, number] = /^issues\/(\d+)\/comments$/.exec(path) ?? [];
  if (number !== undefined) {
    const pull = Number(number);
    if (method === "GET") {
      const comments = world.comments.filter((comment) => comment.pull === pull).map(shownComment);
      return page(comments, asked, base);
    }
    const body = textOf(asked);
    if (body.length > 65_536) return { status: 422, value: { message: "body is too long" } };
    world.comments.push({ id: world.comments.length + 1, pull, by: "the pipeline", body });
    return { status: 201 };
  }
  const [, id] = /^issues\/comments\/(\d+)$/.exec(path) ?? [];
  const comment = world.comments.find((one) => String(one.id) === id);
  if (comment !== undefined && method === "PATCH") {
    comment.body = textOf(asked);
    return { status: 200 };
  }
  if (/^issues(?:\/\d+)?$/.test(path)) {
    return answerIssues(world, asked, base, ({ number, by, body }) => {
      const login = by === "the pipeline" ? "github-actions[bot]" : "stranger";
      return { id: 9000 + number, number, body, user: { login } };
    });
  }
  const [, shown] = /^statuses\/([0-9a-f]{40})$/.exec(path) ?? [];
  if (shown !== undefined && method === "POST") {
    const { context, state, description } = asked.body as Record<string, string>;
    world.statuses.set(`${shown} ${context}`, { state: state ?? "", words: description ?? "" });
    return { status: 201 };
  }
  if (path === "pulls") {
    return { status: 200, value: world.pulls.filter(({ merged }) => !merged).map(shownPull) };
  }
  const [, pullNumber] = /^pulls\/(\d+)$/.exec(path) ?? [];
  if (pullNumber !== undefined) {
    const pull = world.pulls.find((one) => String(one.number) === pullNumber);
    return pull === undefined ? missing : { status: 200, value: shownPull(pull) };
  }
  const [, commit] = /^commits\/([0-9a-f]{40})\/pulls$/.exec(path) ?? [];
  if (commit !== undefined) {
    const pulls = world.pulls.filter(({ head, merged }) => [head, merged].includes(commit));
    return page(pulls.map(shownPull), asked, base);
  }
  if (path === "actions/workflows/ivrctl.yml/runs") {
    const runs = world.jobs
      .map(shownRun)
      .filter((run) =>
        (["head_sha", "event"] as const).every((name) =>
          [null, run[name]].includes(query.get(name)),
        ),
      );
    return { status: 200, value: { workflow_runs: runs } };
  }
  const [, attempted] = /^actions\/runs\/(\d+)\/attempts\/1\/jobs$/.exec(path) ?? [];
  if (attempted !== undefined) {
    const status = world.jobs.find(({ id }) => String(id) === attempted)?.isOver
      ? "completed"
      : "in_progress";
    // The job of a second environment waits for its approval.
    return { status: 200, value: { total_count: 2, jobs: [{ status }, { status: "waiting" }] } };
  }
  const [, run, part] = /^actions\/(?:runs|artifacts)\/(\d+)(?:\/(\w+))?$/.exec(path) ?? [];
  const job = world.jobs.find((one) => String(one.id) === run);
  if (job === undefined) return missing;
  if (part === undefined) return { status: 200, value: shownRun(job) };
  if (part === "zip") {
    return { status: 302, headers: { location: `${storage}/${job.id}.zip?sig=s1gnature` } };
  }
  const { name } = job.artifact ?? {};
  const artifacts = name !== undefined && name === query.get("name") ? [shownArtifact(job)] : [];
  return { status: 200, value: { total_count: artifacts.length, artifacts } };
}

function shownComment({ id, by, body }: World["comments"][number]) {
  return { id, body, user: { login: by === "the pipeline" ? "github-actions[bot]" : "stranger" } };
}

function shownPull({ number, branch, isFork, head, base, into, merged, mergedAt }: Pull) {
  return {
    number,
    head: { sha: head, ref: branch, repo: { full_name: isFork ? "stranger/phone" : repository } },
    base: { sha: base, ref: into, repo: { full_name: repository } },
    merged_at: mergedAt === undefined ? null : second(mergedAt),
    merge_commit_sha: merged,
  };
}

function shownRun({ id, occasion, pull, head, isOver, isWaiting = false }: Job) {
  return {
    id,
    run_attempt: 1,
    event: events[occasion],
    status: isOver && !isWaiting ? "completed" : "in_progress",
    path: workflow,
    head_sha: head,
    head_branch: pull?.branch ?? "main",
    repository: { full_name: repository },
    head_repository: { full_name: pull?.isFork === true ? "stranger/phone" : repository },
  };
}

function shownArtifact({ id, artifact, ended = "" }: Job) {
  const expired = artifact?.files.size === 0;
  return { id, name: artifact?.name, expired, created_at: second(ended) };
}

/** GitHub shows no fractions of a second. */
function second(time: string): string {
  return time.replace(/\.\d+/, "");
}

function variablesOf(job: Job, { workspace, folder, server, actor }: Runner) {
  const event = join(folder, "event.json");
  writeFileSync(
    event,
    JSON.stringify({
      repository: { default_branch: "main" },
      ...(job.occasion === "pull request" && job.pull
        ? { pull_request: shownPull({ ...job.pull, head: job.head }) }
        : {}),
      ...(job.occasion === "merge queue"
        ? {
            merge_group: {
              base_sha: job.before,
              head_sha: job.checkedOut,
              head_ref: `refs/heads/gh-readonly-queue/main/pr-${job.pull?.number}-${job.before}`,
            },
          }
        : {}),
      ...(job.occasion === "push" ? { before: job.before } : {}),
    }),
  );
  return {
    GITHUB_ACTIONS: "true",
    GITHUB_ACTOR: actor,
    GITHUB_EVENT_NAME: events[job.occasion],
    GITHUB_EVENT_PATH: event,
    GITHUB_OUTPUT: join(folder, "output"),
    GITHUB_REF: job.pull === undefined ? "refs/heads/main" : `refs/pull/${job.pull.number}/merge`,
    GITHUB_REPOSITORY: repository,
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_RUN_ID: String(job.id),
    GITHUB_SERVER_URL: server,
    GITHUB_SHA: job.checkedOut,
    GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
    GITHUB_TOKEN: token,
    GITHUB_WORKFLOW_REF: `${repository}/${workflow}@refs/heads/main`,
    GITHUB_WORKSPACE: workspace,
  };
}
