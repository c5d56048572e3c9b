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

/** The name of the job that makes plans in the template. A matrix adds a suffix. */
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
    // Not needed: the jobs of the template name their files themselves.
  }

  change() {
    const target = this.#env["CI_MERGE_REQUEST_PROJECT_ID"];
    const base = this.#env["CI_MERGE_REQUEST_DIFF_BASE_SHA"];
    const head = this.#env["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"];
    if (!target || !base) throw new Problem("This is not a pipeline for a merge request.");
    // The pipeline of a fork runs in the fork or, if a member starts it, in this project.
    const own = target === this.#env["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"];
    return {
      untrusted: own ? undefined : "it comes from a fork",
      /** @param {import("./git.mjs").Git} git */
      base: async (git) => {
        // If the checkout is a merge commit, its first parent is the target branch.
        const parents = (await git.text(["rev-list", "--parents", "-n", "1", "HEAD"])).split(" ");
        const [, into, merged] = parents;
        return into !== undefined && head && merged === head ? into : base;
      },
    };
  }

  /**
   * Writes a code quality report. GitLab shows it at the changed lines.
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
        // Does not contain the line, so that it stays the same when lines move.
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
   * Creates or updates the note that has this marker in its first line. Only a note of our own account
   * counts, because anyone can write such a line.
   *
   * @param {string} marker
   * @param {string} body
   * @returns {Promise<string | undefined>}
   */
  async comment(marker, body) {
    if (this.#token === "") {
      return "The plan is in this log and in the artifacts of the job. To get a note on the merge request, set IVRCTL_GITLAB_TOKEN: the token of a job cannot write notes.";
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
      throw new Problem("Only the default branch can be applied.");
    }
    const asked = this.#env["IVRCTL_PLAN_JOB"] ?? "";
    if (this.#token === "") {
      return none("Set IVRCTL_GITLAB_TOKEN, so that the job can find the reviewed plan.");
    }
    if (asked !== "") return this.#askedPlan(asked, settings);
    if (this.#env["CI_PIPELINE_SOURCE"] !== "push") {
      return none("The pipeline was started by hand without `IVRCTL_PLAN_JOB`.");
    }
    return this.#reviewedPlan(settings);
  }

  byHand() {
    return `To apply exactly this plan, start a pipeline by hand with \`IVRCTL_PLAN_JOB\` set to \`${this.#must("CI_JOB_ID")}\`.`;
  }

  /** @param {string} run */
  byHandNew(run) {
    return `If ivrctl has never created anything there, start a pipeline by hand with \`IVRCTL_PLAN_JOB\` set to \`${run}\` and \`IVRCTL_CI_NEW_STATE\` to \`true\`.`;
  }

  /**
   * Finds the plan of the merge request that was merged as this commit.
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
    if (merged === undefined) return none("This commit does not belong to a merged merge request.");
    if (numberAt(merged, "source_project_id") !== this.#project) {
      return none("The merge request came from a fork, so it has no plan.");
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
    return none(`The pipeline for merge request ${iid} has no plan, or its plan has expired.`);
  }

  /**
   * @param {string} id
   * @param {Settings} settings
   * @returns {Promise<Found>}
   */
  async #askedPlan(id, settings) {
    if (!/^\d+$/.test(id)) throw new Problem("`IVRCTL_PLAN_JOB` must be the number of a job.");
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
        `The plan of job ${id} cannot be applied. The job must belong to a branch of this project.`,
      );
    }
    return (await this.#fetchPlan(Number(id), settings))
      ? { kind: "found", run: id, words: `of job ${id}, as \`IVRCTL_PLAN_JOB\` says` }
      : none(`Job ${id} has no plan, or its plan has expired.`);
  }

  /**
   * @param {number} job
   * @param {Settings} settings
   * @returns {Promise<boolean>} whether the job has a plan for this environment
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
    if (!value) throw new Problem(`${name} is not set. This script works only in GitLab CI.`);
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
