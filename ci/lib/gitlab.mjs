// @ts-check
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Api } from "./http.mjs";
import { listAt, numberAt, parsed, textAt } from "./json.mjs";
import { GitlabLog } from "./log.mjs";
import { reviewedFile } from "./plan.mjs";
import { Problem } from "./problem.mjs";

/** @typedef {import("./forge.mjs").Forge} Forge */
/** @typedef {import("./forge.mjs").Found} Found */
/** @typedef {import("./forge.mjs").Ask} Ask */
/** @typedef {import("./settings.mjs").Settings} Settings */

/** The job that makes plans, as the template calls it; a matrix adds to the name. */
const planJob = "ivrctl:merge-request";

/** @implements {Forge} */
export class Gitlab {
  name = "GitLab";
  log = new GitlabLog();
  paged = false;
  /** @type {NodeJS.ProcessEnv} */ #env;
  /** @type {number} */ #project;
  /** @type {string} */ #token;

  /** @param {NodeJS.ProcessEnv} env */
  constructor(env) {
    this.#env = env;
    this.#project = Number(this.#must("CI_PROJECT_ID"));
    this.#token = env["IVRCTL_GITLAB_TOKEN"] ?? "";
    this.top = this.#must("CI_PROJECT_DIR");
    this.commit = env["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"] || this.#must("CI_COMMIT_SHA");
    this.run = this.#must("CI_JOB_URL");
    const login =
      this.#token === "" ? `gitlab-ci-token:${env["CI_JOB_TOKEN"] ?? ""}` : `oauth2:${this.#token}`;
    this.remote = {
      url: `${this.#must("CI_PROJECT_URL")}.git`,
      header: `AUTHORIZATION: basic ${Buffer.from(login).toString("base64")}`,
    };
  }

  /**
   * @param {string} markdown
   * @param {Settings} settings
   */
  summarize(markdown, { work }) {
    appendFileSync(join(work, "summary.md"), `${markdown.trimEnd()}\n\n`);
  }

  output() {
    // The jobs of the template name their files themselves.
  }

  change() {
    const target = this.#env["CI_MERGE_REQUEST_PROJECT_ID"];
    const base = this.#env["CI_MERGE_REQUEST_DIFF_BASE_SHA"];
    const head = this.#env["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"];
    if (!target || !base) throw new Problem("This pipeline is not of a merge request.");
    // A fork's pipeline runs in the fork, or, when a member starts it, in the project itself.
    const own = target === this.#env["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"];
    return {
      untrusted: own ? undefined : "it comes from a fork",
      /** @param {import("./git.mjs").Git} git */
      base: async (git) => {
        // Where the merged result is checked out, its first parent is what it is merged into.
        const parents = (await git.text(["rev-list", "--parents", "-n", "1", "HEAD"])).split(" ");
        const [, into, merged] = parents;
        return into !== undefined && head && merged === head ? into : base;
      },
    };
  }

  /**
   * A code quality report: GitLab shows it at the lines of the change.
   *
   * @param {Ask} ask
   * @param {Settings} settings
   */
  async markProblems(ask, { work, directory }) {
    const { stdout } = await ask("validate", "--format", "json");
    /** @type {Map<string, number>} */
    const seen = new Map();
    const report = listAt(parsed(stdout), "diagnostics").map((one) => {
      const file = textAt(one, "file") ?? "";
      const words = `${textAt(one, "code")}: ${textAt(one, "message")}`;
      const count = seen.get(file + words) ?? 0;
      seen.set(file + words, count + 1);
      return {
        description: words,
        check_name: textAt(one, "code"),
        // The same problem has the same one when lines move.
        fingerprint: createHash("sha256").update(`${file}\n${words}\n${count}`).digest("hex"),
        severity: severities[textAt(one, "severity") ?? ""] ?? "info",
        location: {
          path: directory === "." ? file : `${directory}/${file}`,
          lines: { begin: numberAt(one, "line") ?? 1 },
        },
      };
    });
    writeFileSync(join(work, "codequality.json"), `${JSON.stringify(report, null, 2)}\n`);
  }

  /**
   * @param {Ask} ask
   * @param {boolean} _
   * @param {Settings} settings
   */
  async markTests(ask, _, { work }) {
    const { stdout } = await ask("test", "--format", "junit");
    writeFileSync(join(work, "junit.xml"), stdout);
  }

  /**
   * The note with this marker in its first line, if it is one of ours: anybody can
   * write such a line.
   *
   * @param {string} marker
   * @param {string} body
   * @returns {Promise<string | undefined>}
   */
  async comment(marker, body) {
    if (this.#token === "") {
      return "The plan is in this log and among the job's artifacts. For a note on the merge request, give the pipeline IVRCTL_GITLAB_TOKEN: the token of a job may not write one.";
    }
    const needs = "the scope api and the role Developer";
    const api = this.#api();
    const { value: me } = await api.ask("/user", { needs });
    const notes = `/projects/${this.#project}/merge_requests/${this.#must("CI_MERGE_REQUEST_IID")}/notes`;
    const all = await api.list(`${notes}?per_page=100&sort=asc`, { needs });
    const own = all.find(
      (note) =>
        numberAt(note, "author", "id") === numberAt(me, "id") &&
        textAt(note, "body")?.split(/\r?\n/, 1)[0] === marker,
    );
    const id = numberAt(own, "id");
    if (id === undefined) await api.ask(notes, { method: "POST", body: { body }, needs });
    else await api.ask(`${notes}/${id}`, { method: "PUT", body: { body }, needs });
    return undefined;
  }

  /**
   * @param {Settings} settings
   * @returns {Promise<Found>}
   */
  async findPlan(settings) {
    if (this.#env["CI_COMMIT_BRANCH"] !== this.#must("CI_DEFAULT_BRANCH")) {
      throw new Problem("Only the default branch is applied.");
    }
    const asked = this.#env["IVRCTL_PLAN_JOB"] ?? "";
    if (this.#token === "") {
      return none("Without IVRCTL_GITLAB_TOKEN no plan can be looked for.");
    }
    if (asked !== "") return this.#askedPlan(asked, settings);
    if (this.#env["CI_PIPELINE_SOURCE"] !== "push") {
      return none("It was started by hand, without `IVRCTL_PLAN_JOB`.");
    }
    return this.#reviewedPlan(settings);
  }

  byHand() {
    return `To apply exactly this plan, run a pipeline by hand with \`IVRCTL_PLAN_JOB\` set to \`${this.#must("CI_JOB_ID")}\`.`;
  }

  /** @param {string} run */
  byHandNew(run) {
    return `If nothing was ever created through ivrctl there, run a pipeline by hand with \`IVRCTL_PLAN_JOB\` set to \`${run}\` and \`IVRCTL_CI_NEW_STATE\` to \`true\`.`;
  }

  /**
   * That of the merge request which was merged as this commit.
   *
   * @param {Settings} settings
   * @returns {Promise<Found>}
   */
  async #reviewedPlan(settings) {
    const api = this.#api();
    const project = `/projects/${this.#project}`;
    const merged = (
      await api.list(`${project}/repository/commits/${this.commit}/merge_requests`, {
        needs: readApi,
      })
    ).find(
      (one) =>
        textAt(one, "state") === "merged" &&
        numberAt(one, "target_project_id") === this.#project &&
        ["merge_commit_sha", "squash_commit_sha", "sha"].some(
          (name) => textAt(one, name) === this.commit,
        ),
    );
    if (merged === undefined) return none("No merged merge request has this commit.");
    if (numberAt(merged, "source_project_id") !== this.#project) {
      return none("The merge request came from a fork, for which no plan is made.");
    }
    const iid = numberAt(merged, "iid");
    const pipelines = await api.list(`${project}/merge_requests/${iid}/pipelines?per_page=100`, {
      needs: readApi,
    });
    const [newest] = pipelines
      .filter((one) => textAt(one, "source") === "merge_request_event")
      .toSorted((a, b) => (numberAt(b, "id") ?? 0) - (numberAt(a, "id") ?? 0));
    if (
      newest === undefined ||
      numberAt(newest, "project_id") !== this.#project ||
      textAt(newest, "status") !== "success"
    ) {
      return none(`The last pipeline for merge request ${iid} did not succeed.`);
    }
    const jobs = await api.list(
      `${project}/pipelines/${numberAt(newest, "id")}/jobs?scope[]=success&per_page=100`,
      { needs: readApi },
    );
    for (const job of jobs.filter((one) => isPlanJob(textAt(one, "name") ?? ""))) {
      const id = numberAt(job, "id") ?? 0;
      if (await this.#fetchPlan(id, settings)) {
        return { kind: "found", run: `${id}`, words: `of job ${id}, for merge request ${iid}` };
      }
    }
    return none(`The pipeline for merge request ${iid} has no plan any more, or never had one.`);
  }

  /**
   * @param {string} id
   * @param {Settings} settings
   * @returns {Promise<Found>}
   */
  async #askedPlan(id, settings) {
    if (!/^\d+$/.test(id)) throw new Problem("`IVRCTL_PLAN_JOB` is the number of a job.");
    const api = this.#api();
    const project = `/projects/${this.#project}`;
    const { value: job } = await api.ask(`${project}/jobs/${id}`, { needs: readApi });
    const ref = textAt(job, "ref") ?? "";
    const iid = /^refs\/merge-requests\/(\d+)\//.exec(ref)?.[1];
    const own =
      iid === undefined
        ? ref === this.#env["CI_DEFAULT_BRANCH"]
        : numberAt(
            (await api.ask(`${project}/merge_requests/${iid}`, { needs: readApi })).value,
            "source_project_id",
          ) === this.#project;
    if (!own || numberAt(job, "pipeline", "project_id") !== this.#project) {
      throw new Problem(
        `Job ${id} is not one whose plan may be applied: it has to be of this project's own branches.`,
      );
    }
    return (await this.#fetchPlan(Number(id), settings))
      ? { kind: "found", run: id, words: `of job ${id}, asked for by hand` }
      : none(`Job ${id} has no plan any more, or never had one.`);
  }

  /**
   * @param {number} job
   * @param {Settings} settings
   * @returns {Promise<boolean>} whether it has one for this environment
   */
  async #fetchPlan(job, settings) {
    const path = `/projects/${this.#project}/jobs/${job}/artifacts/ivrctl-ci/plan.json`;
    const { status, bytes, value } = await this.#api().ask(path, { needs: readApi, fine: [404] });
    if (status === 404) return false;
    if (textAt(value, "plan", "environment") !== settings.environment) return false;
    const file = reviewedFile(settings);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    return true;
  }

  #api() {
    return new Api("GitLab", this.#must("CI_API_V4_URL"), { "private-token": this.#token });
  }

  /** @param {string} name */
  #must(name) {
    const value = this.#env[name];
    if (!value) throw new Problem(`${name} is not set: this is no job of GitLab CI.`);
    return value;
  }
}

const readApi = "the scope read_api, or api, and the role Developer";

/** @type {Readonly<Record<string, string>>} */
const severities = { error: "major", warning: "minor" };

/** @param {string} name */
function isPlanJob(name) {
  return name === planJob || name.startsWith(`${planJob}: [`);
}

/**
 * @param {string} words
 * @returns {Found}
 */
function none(words) {
  return { kind: "none", words };
}
