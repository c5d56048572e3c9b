import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import * as z from "zod/mini";
import { loginVariables } from "../deploy/state/git/token.ts";
import {
  Comments,
  PullRequest,
  Run,
  RunArtifacts,
  RunEvent,
  Runs,
  User,
} from "../schema/github-api.ts";
import { validate } from "../schema/validate.ts";
import { JsonApi } from "./json-api.ts";
import { unzip } from "../util/unzip.ts";
import { diagnosticsGithub, failedTestsGithub } from "../views/diagnostics/github.ts";
import { githubSection } from "../views/pipeline-log.ts";
import { failedIn } from "../views/test/report.ts";
import type { Artifacts, Comment, Findings, Forge, Pull, Review, Reviewed } from "./forge.ts";
import { DescribedJob, JobProblem } from "./forge.ts";

const tokenHint = "Add `GITHUB_TOKEN: ${{ github.token }}` to the `env` of this step.";
const readPulls = "pull-requests: read";
const writePulls = "pull-requests: write";
const readActions = "actions: read";

/** A job of GitHub Actions. */
export class Github extends DescribedJob implements Forge {
  readonly name = "GitHub";
  readonly request = "pull request";
  readonly section = githubSection;
  readonly #event = readEvent(this.needed("GITHUB_EVENT_PATH"));
  readonly #repository = this.needed("GITHUB_REPOSITORY");
  readonly #repos = `/repos/${this.#repository}`;
  readonly #login = { user: "x-access-token", token: this.needed("GITHUB_TOKEN", tokenHint) };
  readonly top = this.needed("GITHUB_WORKSPACE");
  // For a pull request, GITHUB_SHA is a temporary merge commit.
  readonly commit = this.#event.pull_request?.head.sha ?? this.needed("GITHUB_SHA");
  readonly workflow = withoutRef(
    this.needed("GITHUB_WORKFLOW_REF").slice(this.#repository.length + 1),
  );
  readonly actor = this.needed("GITHUB_ACTOR");
  readonly #server = this.needed("GITHUB_SERVER_URL");
  readonly id = this.needed("GITHUB_RUN_ID");
  readonly #attempt = this.variables["GITHUB_RUN_ATTEMPT"] ?? "1";
  readonly run = `${this.#server}/${this.#repository}/actions/runs/${this.id}${this.#attempt === "1" ? "" : `/attempts/${this.#attempt}`}`;
  readonly lockId = `github-run-${this.id}-${this.#attempt}`;
  readonly gitVariables = loginVariables(this.#server, this.#login, this.variables);
  readonly #api = new JsonApi({
    name: this.name,
    variable: "GITHUB_API_URL",
    base: this.needed("GITHUB_API_URL"),
    clock: this.clock,
    headers: {
      authorization: `Bearer ${this.#login.token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    },
  });

  review(): Review {
    const { pull_request: pull, merge_group: group } = this.#event;
    if (group !== undefined) {
      const { base_sha: base, head_sha: head } = group;
      return { pull: undefined, untrusted: undefined, base, head };
    }
    if (pull === undefined) {
      throw new JobProblem(
        "IVR680",
        `The event ${this.variables["GITHUB_EVENT_NAME"] ?? ""} has no pull request.`,
        "Run this job for the events `pull_request` and `merge_group`.",
      );
    }
    const untrusted =
      pull.head.repo?.full_name !== this.#repository
        ? "it comes from a fork"
        : this.actor === "dependabot[bot]"
          ? "Dependabot opened it"
          : undefined;
    return { pull: pull.number, untrusted, base: pull.base.sha, head: pull.head.sha };
  }

  pushed() {
    const branch = this.#event.repository?.default_branch ?? "";
    if (this.variables["GITHUB_REF"] !== `refs/heads/${branch}`) {
      throw new JobProblem("IVR680", `Only the default branch, ${branch}, can be applied.`);
    }
    return { branch, before: this.#event.before, after: this.commit };
  }

  async mergedWith(commit: string): Promise<readonly Pull[]> {
    const path = `${this.#repos}/commits/${commit}/pulls`;
    const pulls = await this.#api.list(path, z.array(PullRequest), readPulls);
    return pulls
      .filter(({ merged_at, base }) => merged_at && base.repo?.full_name === this.#repository)
      .map(({ number, merge_commit_sha, head }) => ({
        number,
        mergedAs: [merge_commit_sha ?? []].flat(),
        head: head.sha,
        fromFork: head.repo?.full_name !== this.#repository,
      }));
  }

  async reviewed({ number, head }: Pull, names: Artifacts): Promise<Reviewed> {
    const file = encodeURIComponent(basename(this.workflow));
    const query = `event=pull_request&head_sha=${head}&per_page=100`;
    const path = `${this.#repos}/actions/workflows/${file}/runs?${query}`;
    const { workflow_runs: runs } = await this.#api.get(path, Runs, readActions);
    const [newest] = runs
      .filter((run) => this.#isOwn(run) && run.event === "pull_request" && run.head_sha === head)
      .toSorted((a, b) => b.id - a.id);
    if (newest === undefined) {
      return { kind: "none", why: `Pull request ${number} has no run for its last commit.` };
    }
    return this.#filesOf(newest, names.review);
  }

  async reviewedIn(run: string, names: Artifacts): Promise<Reviewed> {
    const found = await this.#api.get(`${this.#repos}/actions/runs/${run}`, Run, readActions);
    const isOnMain =
      (found.event === "push" || found.event === "workflow_dispatch") &&
      found.head_branch === this.#event.repository?.default_branch;
    if (!this.#isOwn(found) || !(found.event === "pull_request" || isOnMain)) {
      throw new JobProblem(
        "IVR682",
        `The plan of run ${run} cannot be applied.`,
        "Name a run of this workflow for a branch of this repository.",
      );
    }
    return this.#filesOf(found, isOnMain ? names.offer : names.review);
  }

  async ownComments(pull: number): Promise<readonly Comment[]> {
    // The token of a workflow or an app cannot read the name of its own account, which is a bot.
    const me = await this.#api.find("/user", User, "none");
    const path = `${this.#repos}/issues/${pull}/comments?per_page=100`;
    const all = await this.#api.list(path, Comments, writePulls);
    return all.filter(({ user }) =>
      me ? user?.login === me.login : user?.login.endsWith("[bot]"),
    );
  }

  writeComment(pull: number, id: number | undefined, body: string): Promise<void> {
    const issues = `${this.#repos}/issues`;
    return id === undefined
      ? this.#api.send("POST", `${issues}/${pull}/comments`, { body }, writePulls)
      : this.#api.send("PATCH", `${issues}/comments/${id}`, { body }, writePulls);
  }

  annotate({ diagnostics, report, prefix }: Findings): string {
    return diagnosticsGithub(diagnostics, prefix) + failedTestsGithub(failedIn(report), prefix);
  }

  summarize(markdown: string): void {
    const file = this.variables["GITHUB_STEP_SUMMARY"];
    if (file) appendFileSync(file, `${markdown.trimEnd()}\n\n`);
  }

  output(name: string, value: string): void {
    const file = this.variables["GITHUB_OUTPUT"];
    const end = randomUUID();
    if (file) appendFileSync(file, `${name}<<${end}\n${value}\n${end}\n`);
  }

  async hasEnded(lockId: string): Promise<boolean | undefined> {
    const [, id, attempt] = /^github-run-(\d+)-(\d+)/.exec(lockId) ?? [];
    if (id === undefined) return undefined;
    const path = `${this.#repos}/actions/runs/${id}`;
    const run = await this.#api.find(path, Run, readActions);
    return run && (run.status === "completed" || (run.run_attempt ?? 1) > Number(attempt));
  }

  close(): Promise<void> {
    return this.#api.close();
  }

  /** A plan counts when its job has left it. Other jobs of the run do not matter. */
  async #filesOf({ id, status }: Run, artifact: string): Promise<Reviewed> {
    const path = `${this.#repos}/actions/runs/${id}/artifacts?name=${encodeURIComponent(artifact)}`;
    const { artifacts } = await this.#api.get(path, RunArtifacts, readActions);
    const [newest] = artifacts
      .filter(({ name, expired }) => name === artifact && !expired)
      .toSorted((a, b) => b.id - a.id);
    if (newest === undefined) {
      return status === "completed"
        ? { kind: "none", why: `Run ${id} has left no plan, or its plan has expired.` }
        : { kind: "pending", why: `Run ${id} has not left its plan yet.` };
    }
    const archive = `${this.#repos}/actions/artifacts/${newest.id}/zip`;
    const bytes = await this.#api.download(archive, readActions);
    const files = bytes && unzip(bytes);
    if (files === undefined) {
      throw new JobProblem("IVR681", `The plan of run ${id} is not a valid archive.`);
    }
    return { kind: "found", run: String(id), file: async (name) => files.get(name) };
  }

  /** Whether a run belongs to this workflow and this repository. A run of a fork may leave any plan. */
  #isOwn({ repository, head_repository, path }: Run): boolean {
    return (
      repository?.full_name === this.#repository &&
      head_repository?.full_name === this.#repository &&
      withoutRef(path) === this.workflow
    );
  }
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
