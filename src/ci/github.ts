import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import * as z from "zod/mini";
import { loginVariables } from "../deploy/state/git/login.ts";
import {
  GithubPosts,
  PullRequest,
  Run,
  RunArtifacts,
  RunEvent,
  RunJobs,
  Runs,
  GithubUser,
  Workflow,
} from "../schema/github-api.ts";
import { validate } from "../schema/validated.ts";
import { JsonApi } from "./json-api.ts";
import type { Host } from "../util/host.ts";
import { pathExists } from "../util/disk.ts";
import { unzip } from "../util/unzip.ts";
import { diagnosticsGithub, failedTestsGithub } from "../views/diagnostics/github-annotations.ts";
import { visible } from "../views/terminal.ts";
import { failedIn } from "../views/test/test-report.ts";
import { type Forge, JobProblem, type Reviewed, issueLabel, neededVariable } from "./forge.ts";

const tokenHint = "Add `GITHUB_TOKEN: ${{ github.token }}` to the `env` of this step.";

/** A job of GitHub Actions. */
export function openGithub({ env, clock }: Host): Forge {
  const needed = (name: string, hint?: string) => neededVariable(env, name, hint);
  const event = readEvent(needed("GITHUB_EVENT_PATH"));
  const repository = needed("GITHUB_REPOSITORY");
  const repos = `/repos/${repository}`;
  const login = { user: "x-access-token", token: needed("GITHUB_TOKEN", tokenHint) };
  const actor = needed("GITHUB_ACTOR");
  const workflow = withoutRef(needed("GITHUB_WORKFLOW_REF").slice(repository.length + 1));
  const server = needed("GITHUB_SERVER_URL");
  const id = needed("GITHUB_RUN_ID");
  const top = needed("GITHUB_WORKSPACE");
  const attempt = env["GITHUB_RUN_ATTEMPT"] ?? "1";
  const run = `${server}/${repository}/actions/runs/${id}${attempt === "1" ? "" : `/attempts/${attempt}`}`;
  const defaultBranch = event.repository?.default_branch ?? "";
  const api = new JsonApi({
    name: "GitHub",
    variable: "GITHUB_API_URL",
    base: needed("GITHUB_API_URL"),
    clock,
    needs: (path) =>
      path.includes("/actions/")
        ? "actions: read"
        : /\/issues(?:\?|$|\/\d+$)/.test(path)
          ? "issues: write"
          : `pull-requests: ${path.includes("/issues/") ? "write" : "read"}`,
    headers: () => ({
      authorization: `Bearer ${login.token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    }),
  });

  /** Whether a run belongs to this workflow and this repository. A run of a fork may leave any plan. */
  const isOwn = ({ repository: base, head_repository: head, path }: Run) =>
    base?.full_name === repository &&
    head?.full_name === repository &&
    withoutRef(path) === workflow;

  /** A plan counts when its job has left it. Other jobs of the run do not matter. */
  async function filesOf({ id: found }: Run, artifact: string): Promise<Reviewed> {
    const path = `${repos}/actions/runs/${found}/artifacts?name=${encodeURIComponent(artifact)}`;
    const { artifacts } = await api.get(path, RunArtifacts);
    const [newest] = artifacts
      .filter(({ name, expired }) => name === artifact && !expired)
      .toSorted((a, b) => b.id - a.id);
    if (!newest) return `Run ${found} has left no plan, or its plan has expired.`;
    const bytes = await api.download(`${repos}/actions/artifacts/${newest.id}/zip`);
    const files = bytes && unzip(bytes);
    if (files === undefined) {
      throw new JobProblem("IVR681", `The plan of run ${found} is not a valid archive.`);
    }
    return { run: `${found}`, at: newest.created_at, file: async (name) => files.get(name) };
  }

  return {
    name: "GitHub",
    request: "pull request",
    workflow,
    top,
    // For a pull request, GITHUB_SHA is a temporary merge commit.
    commit: event.pull_request?.head ?? needed("GITHUB_SHA"),
    id,
    run,
    kept: `${run}#artifacts`,
    page: run,
    actor,
    lockId: `github-run-${id}-${attempt}`,
    gitVariables: loginVariables(server, login, env),
    summaryFile: env["GITHUB_STEP_SUMMARY"],
    outputFile: env["GITHUB_OUTPUT"],
    branch: /^refs\/heads\/(.*)/.exec(env["GITHUB_REF"] ?? "")?.[1],
    defaultBranch,
    before: event.before,
    byHand: (of) =>
      `start this workflow by hand with \`run: ${of}\`, or run \`gh workflow run ${basename(workflow)} -f run=${of}\``,
    close: () => api.close(),

    unheard() {
      const file = join(top, workflow);
      const read = pathExists(file) && Workflow.safeParse(parse(readFileSync(file, "utf8")));
      const branches = read && read.success ? read.data.on.push.branches : [defaultBranch];
      // Any other name may be a pattern.
      const isHeard = branches.some((one) => one === defaultBranch || !/^[\w./-]+$/.test(one));
      const words = `No job runs after a merge: ${workflow} has \`branches: [${branches.join(", ")}]\`, but the default branch is ${defaultBranch}.`;
      return isHeard ? undefined : [words, `Write ${defaultBranch} there.`];
    },

    review() {
      const { pull_request: pull, merge_group: group } = event;
      if (group !== undefined) {
        const { base_sha: base, head_sha: head, head_ref: ref } = group;
        // The name of the branch ends with: pr-12-SHA
        const queued = Number(/\/pr-(\d+)-[0-9a-f]+$/.exec(ref ?? "")?.[1]) || undefined;
        return { pull: undefined, queued, untrusted: undefined, base, head };
      }
      if (pull === undefined) {
        const hint = "Run this job for the events `pull_request` and `merge_group`.";
        const name = env["GITHUB_EVENT_NAME"] ?? "";
        throw new JobProblem("IVR680", `The event ${name} has no pull request.`, hint);
      }
      const isBot = actor === "dependabot[bot]" ? "Dependabot opened it" : undefined;
      const untrusted = pull.isFork ? "it comes from a fork" : isBot;
      return { ...pull, pull: pull.number, untrusted };
    },

    pull: (number) => api.get(`${repos}/pulls/${number}`, PullRequest),

    openPulls() {
      const query = `state=open&base=${encodeURIComponent(defaultBranch)}&per_page=30`;
      return api.get(`${repos}/pulls?${query}`, z.array(PullRequest));
    },

    namedIn(message) {
      const [, merged, squashed] =
        /^(?:Merge pull request #(\d+) |.*\(#(\d+)\)$)/m.exec(message) ?? [];
      return Number(merged ?? squashed) || undefined;
    },

    async mergedWith(sha) {
      const pulls = await api.list(`${repos}/commits/${sha}/pulls`, z.array(PullRequest));
      return pulls.filter(({ mergedAt, target }) => mergedAt && target === repository);
    },

    setStatus(sha, name, { state, words }) {
      const shown = { context: name, state, description: visible(words).slice(0, 140) };
      return api.send("POST", `${repos}/statuses/${sha}`, { ...shown, target_url: run });
    },

    async reviewed({ number, head }, names) {
      const runs = `${repos}/actions/workflows/${encodeURIComponent(basename(workflow))}/runs`;
      const query = `event=pull_request&head_sha=${head}&per_page=100`;
      const { workflow_runs: found } = await api.get(`${runs}?${query}`, Runs);
      const [newest] = found.filter(isOwn).toSorted((a, b) => b.id - a.id);
      if (newest !== undefined) return filesOf(newest, names.review);
      return `Pull request ${number} has no run for its last commit.`;
    },

    async reviewedIn(other, names) {
      const found = await api.get(`${repos}/actions/runs/${other}`, Run);
      if (!isOwn(found)) return undefined;
      const isOffer = found.event === "push" || found.event === "workflow_dispatch";
      const isOnMain = isOffer || found.event === "schedule";
      const isRight = isOnMain
        ? found.head_branch === defaultBranch
        : found.event === "pull_request";
      return isRight ? filesOf(found, isOffer ? names.offer : names.review) : undefined;
    },

    async ownPosts(pull) {
      const path =
        pull === undefined ? `issues?state=open&labels=${issueLabel}&` : `issues/${pull}/comments?`;
      // The token of a workflow or an app cannot read the name of its own account, which is a bot.
      const me = await api.find("/user", GithubUser);
      const all = await api.list(`${repos}/${path}per_page=100`, GithubPosts);
      return all.filter(({ by }) => (me ? by === me.login : by.endsWith("[bot]")));
    },

    write(pull, post, content) {
      const isNew = post === undefined;
      const folder = pull === undefined ? "" : isNew ? `/${pull}/comments` : "/comments";
      const path = `${repos}/issues${folder}${isNew ? "" : `/${post}`}`;
      const labels = isNew && pull === undefined ? { labels: [issueLabel] } : {};
      const body = content === "closed" ? { state: content } : { ...content, ...labels };
      return api.send(isNew ? "POST" : "PATCH", path, body);
    },

    annotate: ({ prefix }, diagnostics, report) =>
      diagnosticsGithub(diagnostics, prefix) + failedTestsGithub(failedIn(report), prefix),

    async hasEnded(lockId) {
      const [, holder, holding] = /^github-run-(\d+)-(\d+)/.exec(lockId) ?? [];
      if (holder === undefined) return undefined;
      const path = `${repos}/actions/runs/${holder}/attempts/${holding}/jobs?per_page=100`;
      const all = await api.find(path, RunJobs);
      // Other jobs of the run may wait for an approval. The holder of a lock is in progress.
      const isOpen = ({ status }: { readonly status: string }) => status === "in_progress";
      return all && all.total_count <= all.jobs.length && !all.jobs.some(isOpen);
    },
  };
}

function readEvent(file: string): z.infer<typeof RunEvent> {
  const read = validate(RunEvent, JSON.parse(readFileSync(file, "utf8")));
  if (read.success) return read.data;
  throw new JobProblem("IVR680", `The event of this run is invalid: ${read.problem}.`);
}

/** The path of a workflow, for example in `.github/workflows/ivrctl.yml@refs/heads/main`. */
function withoutRef(path: string): string {
  return path.replace(/@.*/s, "");
}
