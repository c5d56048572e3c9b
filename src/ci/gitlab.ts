import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { loginVariables } from "../deploy/state/git/token.ts";
import { JsonApi } from "./json-api.ts";
import { Job, MergeRequest, Notes, Pipelines, User } from "../schema/gitlab-api.ts";
import { diagnosticsGitlab } from "../views/diagnostics/gitlab.ts";
import { gitlabSection } from "../views/pipeline-log.ts";
import { reportJunit } from "../views/test/junit.ts";
import type { Comment, Findings, Forge, Pull, Review, Reviewed } from "./forge.ts";
import { DescribedJob, JobProblem, workFolder } from "./forge.ts";

const readApi = "the scope read_api or api, and the role Developer";
const writeApi = "the scope api, and the role Developer";

/** The job of the template that makes plans. */
const planJob = "ivrctl:merge-request";

/** The states of a job that has ended. A job in any other state may still run. */
const ended = new Set(["success", "failed", "canceled", "skipped"]);

/** A job of GitLab CI. */
export class Gitlab extends DescribedJob implements Forge {
  readonly name = "GitLab";
  readonly request = "merge request";
  readonly section = (title: string) => gitlabSection(title, this.clock);
  readonly workflow = "pipeline";
  readonly #project = Number(this.needed("CI_PROJECT_ID"));
  readonly #path = `/projects/${this.#project}`;
  readonly #token = this.variables["IVRCTL_GITLAB_TOKEN"] ?? "";
  readonly #login = { user: "oauth2", token: this.#token };
  readonly top = this.needed("CI_PROJECT_DIR");
  readonly commit =
    this.variables["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"] || this.needed("CI_COMMIT_SHA");
  readonly run = this.needed("CI_JOB_URL");
  readonly actor = this.needed("GITLAB_USER_LOGIN");
  readonly id = this.needed("CI_JOB_ID");
  readonly lockId = `gitlab-job-${this.id}`;
  readonly #server = this.needed("CI_SERVER_URL");
  readonly gitVariables =
    this.#token === "" ? {} : loginVariables(this.#server, this.#login, this.variables);
  #opened: JsonApi | undefined;

  review(): Review {
    const { variables } = this;
    const target = variables["CI_MERGE_REQUEST_PROJECT_ID"];
    const base = variables["CI_MERGE_REQUEST_DIFF_BASE_SHA"];
    if (!target || !base) {
      throw new JobProblem("IVR680", "This pipeline does not belong to a merge request.");
    }
    // The pipeline of a fork runs in the fork or, if a member starts it, in this project.
    const isOwn = target === variables["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"];
    return {
      pull: Number(this.needed("CI_MERGE_REQUEST_IID")),
      untrusted: isOwn ? undefined : "it comes from a fork",
      base,
      head: this.commit,
    };
  }

  pushed() {
    const { CI_COMMIT_BRANCH: branch, CI_DEFAULT_BRANCH: wanted } = this.variables;
    if (!wanted || branch !== wanted) {
      throw new JobProblem("IVR680", `Only the default branch, ${wanted}, can be applied.`);
    }
    return { branch, before: this.variables["CI_COMMIT_BEFORE_SHA"], after: this.commit };
  }

  async mergedWith(commit: string): Promise<readonly Pull[]> {
    const path = `${this.#path}/repository/commits/${commit}/merge_requests`;
    const requests = await this.#api.list(path, z.array(MergeRequest), readApi);
    return requests
      .filter((one) => one.state === "merged" && one.target_project_id === this.#project)
      .map(({ iid, sha, merge_commit_sha, squash_commit_sha, source_project_id }) => ({
        number: iid,
        mergedAs: [merge_commit_sha ?? [], squash_commit_sha ?? [], sha ?? []].flat(),
        head: sha ?? "",
        fromFork: source_project_id !== this.#project,
      }));
  }

  async reviewed({ number }: Pull): Promise<Reviewed> {
    const path = `${this.#path}/merge_requests/${number}/pipelines?per_page=100`;
    const pipelines = await this.#api.list(path, Pipelines, readApi);
    const [newest] = pipelines
      .filter((one) => one.source === "merge_request_event" && one.project_id === this.#project)
      .toSorted((a, b) => b.id - a.id);
    const jobs = `${this.#path}/pipelines/${newest?.id}/jobs?per_page=100`;
    const all = newest === undefined ? [] : await this.#api.list(jobs, z.array(Job), readApi);
    const job = all.find(({ name }) => name === planJob);
    return job === undefined
      ? { kind: "none", why: `Merge request ${number} has no job ${planJob}.` }
      : this.#filesOf(job);
  }

  async reviewedIn(run: string): Promise<Reviewed> {
    const job = await this.#api.get(`${this.#path}/jobs/${run}`, Job, readApi);
    const number = /^refs\/merge-requests\/(\d+)\//.exec(job.ref)?.[1];
    const isOwn =
      number === undefined
        ? job.ref === this.variables["CI_DEFAULT_BRANCH"]
        : (await this.#api.get(`${this.#path}/merge_requests/${number}`, MergeRequest, readApi))
            .source_project_id === this.#project;
    if (isOwn && job.pipeline.project_id === this.#project) return this.#filesOf(job);
    throw new JobProblem(
      "IVR682",
      `The plan of job ${run} cannot be applied.`,
      "Name a job for a branch of this project.",
    );
  }

  async ownComments(pull: number): Promise<readonly Comment[]> {
    const { id: me } = await this.#api.get("/user", User, writeApi);
    const path = `${this.#path}/merge_requests/${pull}/notes?per_page=100&sort=asc`;
    const all = await this.#api.list(path, Notes, writeApi);
    return all.filter(({ author }) => author.id === me);
  }

  writeComment(pull: number, id: number | undefined, body: string): Promise<void> {
    const notes = `${this.#path}/merge_requests/${pull}/notes`;
    return id === undefined
      ? this.#api.send("POST", notes, { body }, writeApi)
      : this.#api.send("PUT", `${notes}/${id}`, { body }, writeApi);
  }

  /** Writes the reports that GitLab shows at the changed lines and in the list of tests. */
  annotate({ diagnostics, report, prefix, work }: Findings): string {
    writeFileSync(join(work, "codequality.json"), diagnosticsGitlab(diagnostics, prefix));
    writeFileSync(join(work, "junit.xml"), reportJunit(report, prefix));
    return "";
  }

  /** A job on GitLab has no page for Markdown, so it goes to a file of the job. */
  summarize(markdown: string): void {
    const folder = join(this.top, workFolder);
    mkdirSync(folder, { recursive: true });
    appendFileSync(join(folder, "summary.md"), `${markdown.trimEnd()}\n\n`);
  }

  /** The jobs of the template name their files themselves. */
  output(): void {}

  async hasEnded(lockId: string): Promise<boolean | undefined> {
    const id = /^gitlab-job-(\d+)/.exec(lockId)?.[1];
    if (id === undefined || this.#token === "") return undefined;
    const job = await this.#api.find(`${this.#path}/jobs/${id}`, Job, readApi);
    return job && ended.has(job.status);
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }

  async #filesOf({ id, status }: z.infer<typeof Job>): Promise<Reviewed> {
    if (!ended.has(status)) return { kind: "pending", why: `Job ${id} has not ended yet.` };
    const folder = `${this.#path}/jobs/${id}/artifacts/${workFolder}`;
    const file = (name: string) => this.#api.file(`${folder}/${encodeURIComponent(name)}`, readApi);
    if ((await file("job.json")) === undefined) {
      return { kind: "none", why: `Job ${id} has left no plan, or its plan has expired.` };
    }
    return { kind: "found", run: String(id), file };
  }

  get #api(): JsonApi {
    if (this.#token === "") {
      throw new JobProblem(
        "IVR680",
        "The variable IVRCTL_GITLAB_TOKEN is not set. The token of a job can neither find plans nor write comments.",
        `Create a project access token (${writeApi}), and add it as a masked CI/CD variable.`,
      );
    }
    return (this.#opened ??= new JsonApi({
      name: this.name,
      variable: "CI_API_V4_URL",
      base: this.needed("CI_API_V4_URL"),
      clock: this.clock,
      headers: { "private-token": this.#token },
    }));
  }
}
