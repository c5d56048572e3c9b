import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { folder } from "../cli.ts";
import { service, token } from "../project.ts";
import { type MergeRequest, gitlabToken, projectId, startGitlab } from "./gitlab.ts";
import { type Variables, runPipeline } from "./gitlab-pipeline.ts";
import { Repository } from "./repository.ts";
import { config, snapshot } from "./stage.ts";

interface Options {
  readonly faults?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** Variables of the project, in addition to those of every job. */
  readonly variables?: Variables;
}

/** Creates a repository on GitLab with a project, the pipeline and a service. */
export async function gitlabStage({ faults = [], files = {}, variables: own = {} }: Options = {}) {
  const place = folder({});
  const gitlab = await startGitlab();
  const sandbox = await service({ token, faults });
  const repository = new Repository(place, "acme/phone");
  repository.commit("main", { "ivrctl.yaml": config, "agents.lock.json": snapshot, ...files });
  let jobs = 9000;

  async function run(commit: string, variables: Variables, iid?: number) {
    jobs += 1;
    const workspace = join(place, `job-${jobs}`, "workspace");
    mkdirSync(dirname(workspace));
    repository.checkOut(workspace, commit);
    const [ran, ...others] = await runPipeline(workspace, {
      CI_API_V4_URL: gitlab.url,
      CI_COMMIT_SHA: commit,
      CI_DEFAULT_BRANCH: "main",
      CI_JOB_ID: `${jobs}`,
      CI_JOB_TOKEN: "job-t0ken",
      CI_JOB_URL: `https://gitlab.invalid/acme/phone/-/jobs/${jobs}`,
      CI_PROJECT_ID: `${projectId}`,
      CI_PROJECT_URL: `file://${place}/acme/phone`,
      // The service is new, so every apply may begin a state.
      IVRCTL_CI_NEW_STATE: "true",
      IVRCTL_GITLAB_TOKEN: gitlabToken,
      TELEPHONY_BASE_URL: sandbox.url,
      TELEPHONY_TOKEN: token,
      ...own,
      ...variables,
    });
    if (ran === undefined || others.length > 0)
      throw new Error("Exactly one job must run for this event");
    gitlab.jobs.push({
      id: jobs,
      name: ran.job,
      ref: iid === undefined ? "main" : `refs/merge-requests/${iid}/head`,
      pipeline: { id: jobs + 100, project_id: Number(variables["CI_PROJECT_ID"] ?? projectId) },
      source: variables["CI_PIPELINE_SOURCE"] ?? "",
      iid,
      status: ran.exit === 0 ? "success" : "failed",
      files: ran.files,
    });
    return { id: jobs, ...ran };
  }

  const onMain = (source: string, variables: Variables = {}) =>
    run(repository.head("main"), {
      CI_PIPELINE_SOURCE: source,
      CI_COMMIT_BRANCH: "main",
      ...variables,
    });

  return {
    gitlab,
    sandbox,
    repository,
    onMain,
    open(branch: string, source = projectId): MergeRequest {
      const request: MergeRequest = {
        iid: gitlab.mergeRequests.length + 1,
        sha: repository.head(branch),
        source_project_id: source,
        target_project_id: projectId,
        state: "opened",
        merge_commit_sha: null,
      };
      gitlab.mergeRequests.push(request);
      return request;
    },
    mergeRequest(request: MergeRequest, branch: string, variables: Variables = {}) {
      request.sha = repository.head(branch);
      const about = {
        CI_PIPELINE_SOURCE: "merge_request_event",
        CI_MERGE_REQUEST_IID: `${request.iid}`,
        CI_MERGE_REQUEST_PROJECT_ID: `${projectId}`,
        CI_MERGE_REQUEST_SOURCE_PROJECT_ID: `${request.source_project_id}`,
        CI_MERGE_REQUEST_DIFF_BASE_SHA: repository.head("main"),
        ...variables,
      };
      return run(request.sha, about, request.iid);
    },
    merge(request: MergeRequest, branch: string) {
      request.merge_commit_sha = repository.merge(branch);
      request.state = "merged";
    },
  };
}
