// @ts-check
import { appendFileSync, readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { Api } from "./http.mjs";
import { at, listAt, numberAt, parsed, textAt } from "./json.mjs";
import { GithubLog } from "./log.mjs";
import { Problem } from "./problem.mjs";
import { plain } from "./text.mjs";

/** @typedef {import("./forge.mjs").Forge} Forge */
/** @typedef {import("./forge.mjs").Found} Found */
/** @typedef {import("./forge.mjs").Ask} Ask */
/** @typedef {import("./settings.mjs").Settings} Settings */

/** @implements {Forge} */
export class Github {
  name = "GitHub";
  log = new GithubLog();
  paged = true;
  /** @type {NodeJS.ProcessEnv} */ #env;
  /** @type {unknown} */ #event;
  /** @type {string} */ #repository;
  /** @type {string} */ #token;

  /** @param {NodeJS.ProcessEnv} env */
  constructor(env) {
    this.#env = env;
    this.#event = parsed(readFileSync(this.#must("GITHUB_EVENT_PATH"), "utf8"));
    this.#repository = this.#must("GITHUB_REPOSITORY");
    this.#token = env["IVRCTL_CI_TOKEN"] ?? "";
    this.top = this.#must("GITHUB_WORKSPACE");
    // For a pull request, GITHUB_SHA is a temporary merge commit.
    this.commit = textAt(this.#event, "pull_request", "head", "sha") ?? this.#must("GITHUB_SHA");
    const server = this.#must("GITHUB_SERVER_URL");
    this.run = `${server}/${this.#repository}/actions/runs/${this.#must("GITHUB_RUN_ID")}`;
    const login = Buffer.from(`x-access-token:${this.#token}`).toString("base64");
    this.remote = {
      url: `${server}/${this.#repository}.git`,
      header: this.#token === "" ? undefined : `AUTHORIZATION: basic ${login}`,
    };
  }

  /** @param {string} markdown */
  summarize(markdown) {
    const file = this.#env["GITHUB_STEP_SUMMARY"];
    if (file) appendFileSync(file, `${markdown.trimEnd()}\n\n`);
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  output(name, value) {
    const file = this.#env["GITHUB_OUTPUT"];
    const end = randomUUID();
    if (file) appendFileSync(file, `${name}<<${end}\n${value}\n${end}\n`);
  }

  change() {
    const pull = at(this.#event, "pull_request");
    const from = textAt(pull, "head", "repo", "full_name");
    const head = textAt(pull, "head", "sha");
    const base = textAt(pull, "base", "sha");
    if (base === undefined) throw new Problem("This is not a run for a pull request.");
    return {
      untrusted:
        from !== this.#repository
          ? "it comes from a fork"
          : this.#env["GITHUB_ACTOR"] === "dependabot[bot]"
            ? "Dependabot opened it"
            : undefined,
      /** @param {import("./git.mjs").Git} git */
      base: async (git) => {
        // The checkout is a merge commit. Its first parent is the target branch.
        const parents = (await git.text(["rev-list", "--parents", "-n", "1", "HEAD"])).split(" ");
        const [, into, merged] = parents;
        if (into !== undefined && merged === head) return into;
        return git.text(["merge-base", "HEAD", base]);
      },
    };
  }

  /** @param {Ask} ask */
  async markProblems(ask) {
    const { stdout } = await ask("validate", "--format", "github");
    this.log.annotate(stdout);
  }

  /**
   * @param {Ask} ask
   * @param {boolean} failed
   * @param {Settings} settings
   */
  async markTests(ask, failed, { directory }) {
    if (!failed) return;
    const { stdout } = await ask("test", "--format", "json");
    const lines = listAt(parsed(stdout), "tests")
      .filter((test) => at(test, "passed") === false)
      .map((test) => {
        const file = textAt(test, "file") ?? "";
        const place = directory === "." ? file : `${directory}/${file}`;
        const properties = [
          `file=${property(place)}`,
          `line=${numberAt(test, "line") ?? 1}`,
          `title=${property("A menu test failed")}`,
        ];
        const words = `${textAt(test, "key") ?? ""}: ${textAt(test, "name") ?? ""}`;
        return `::error ${properties.join(",")}::${data(words)}`;
      });
    this.log.annotate(lines.join("\n"));
  }

  /**
   * Creates or updates the comment that has this marker in its first line. Only a comment of our own
   * account counts, because anyone can write such a line.
   *
   * @param {string} marker
   * @param {string} body
   * @returns {Promise<string | undefined>}
   */
  async comment(marker, body) {
    const needs = "pull-requests: write";
    const api = this.#api();
    const number = numberAt(this.#event, "pull_request", "number");
    const comments = `/repos/${this.#repository}/issues/${number}/comments`;
    const me = await this.#login(api);
    const all = await api.list(`${comments}?per_page=100`, { needs });
    const own = all.find(
      (comment) =>
        textAt(comment, "user", "login") === me &&
        textAt(comment, "body")?.split(/\r?\n/, 1)[0] === marker,
    );
    const id = numberAt(own, "id");
    if (id === undefined) await api.ask(comments, { method: "POST", body: { body }, needs });
    else {
      const path = `/repos/${this.#repository}/issues/comments/${id}`;
      await api.ask(path, { method: "PATCH", body: { body }, needs });
    }
    return undefined;
  }

  /**
   * @param {Settings} settings
   * @returns {Promise<Found>}
   */
  async findPlan(settings) {
    const branch = textAt(this.#event, "repository", "default_branch");
    if (this.#env["GITHUB_REF"] !== `refs/heads/${branch}`) {
      throw new Problem("Only the default branch can be applied.");
    }
    const asked = this.#env["IVRCTL_CI_PLAN_RUN"] ?? "";
    const found =
      asked !== ""
        ? await this.#askedRun(asked, branch ?? "")
        : this.#env["GITHUB_EVENT_NAME"] === "workflow_dispatch"
          ? none("The run was started by hand without `plan-run`.")
          : await this.#reviewedRun();
    if (found.kind === "none") return found;
    const artifacts = `/repos/${this.#repository}/actions/runs/${found.run}/artifacts`;
    const query = `?name=${encodeURIComponent(settings.artifact)}`;
    const { value } = await this.#api().ask(artifacts + query, { needs: "actions: read" });
    const there = listAt(value, "artifacts").some(
      (one) => textAt(one, "name") === settings.artifact && at(one, "expired") === false,
    );
    return there ? found : none(`Run ${found.run} has no plan, or its plan has expired.`);
  }

  byHand() {
    const id = this.#must("GITHUB_RUN_ID");
    return `To apply exactly this plan, start this workflow by hand with \`plan-run: ${id}\`.`;
  }

  /** @param {string} run */
  byHandNew(run) {
    return `If ivrctl has never created anything there, start this workflow by hand with \`plan-run: ${run}\` and \`new-state: true\`.`;
  }

  /** @returns {Promise<Found>} the plan of the pull request that was merged as this commit */
  async #reviewedRun() {
    const api = this.#api();
    const pulls = await api.list(`/repos/${this.#repository}/commits/${this.commit}/pulls`, {
      needs: "pull-requests: read",
    });
    const pull = pulls.find(
      (one) =>
        typeof at(one, "merged_at") === "string" &&
        textAt(one, "merge_commit_sha") === this.commit &&
        textAt(one, "base", "repo", "full_name") === this.#repository,
    );
    if (pull === undefined) return none("This commit does not belong to a merged pull request.");
    if (textAt(pull, "head", "repo", "full_name") !== this.#repository) {
      return none("The pull request came from a fork, so it has no plan.");
    }
    const head = textAt(pull, "head", "sha") ?? "";
    const number = numberAt(pull, "number");
    const workflow = this.#workflow();
    const file = encodeURIComponent(workflow.slice(workflow.lastIndexOf("/") + 1));
    const query = `event=pull_request&head_sha=${head}&per_page=100`;
    const path = `/repos/${this.#repository}/actions/workflows/${file}/runs?${query}`;
    const { value } = await api.ask(path, { needs: "actions: read" });
    // Only the newest run counts. If it failed, an older plan is out of date.
    const [newest] = listAt(value, "workflow_runs")
      .filter(
        (run) =>
          this.#isOwn(run) &&
          textAt(run, "event") === "pull_request" &&
          textAt(run, "head_sha") === head,
      )
      .toSorted((a, b) => (numberAt(b, "id") ?? 0) - (numberAt(a, "id") ?? 0));
    const id = numberAt(newest, "id");
    if (id === undefined)
      return none(`There is no run for the last commit of pull request ${number}.`);
    return textAt(newest, "conclusion") === "success"
      ? { kind: "found", run: `${id}`, words: `of run ${id}, for pull request ${number}` }
      : none(`The last run for pull request ${number}, ${id}, did not succeed.`);
  }

  /**
   * @param {string} id
   * @param {string} branch
   * @returns {Promise<Found>}
   */
  async #askedRun(id, branch) {
    if (!/^\d+$/.test(id)) throw new Problem("`plan-run` must be the number of a run.");
    const { value: run } = await this.#api().ask(`/repos/${this.#repository}/actions/runs/${id}`, {
      needs: "actions: read",
    });
    const event = textAt(run, "event");
    const isAllowed =
      event === "pull_request" ||
      ((event === "push" || event === "workflow_dispatch") &&
        textAt(run, "head_branch") === branch);
    if (!this.#isOwn(run) || !isAllowed) {
      throw new Problem(
        `The plan of run ${id} cannot be applied. The run must belong to this workflow and to a branch of this repository.`,
      );
    }
    return { kind: "found", run: id, words: `of run ${id}, as \`plan-run\` says` };
  }

  /**
   * Returns whether a run belongs to this workflow and to a commit of this repository. A run of a fork
   * could contain any plan.
   *
   * @param {unknown} run
   */
  #isOwn(run) {
    return (
      textAt(run, "repository", "full_name") === this.#repository &&
      textAt(run, "head_repository", "full_name") === this.#repository &&
      textAt(run, "path")?.split("@", 1)[0] === this.#workflow()
    );
  }

  /** Returns the path of the workflow file. */
  #workflow() {
    const [path = ""] = this.#must("GITHUB_WORKFLOW_REF").split("@", 1);
    return path.slice(this.#repository.length + 1);
  }

  /**
   * Returns the account of the token. The token of the workflow cannot read its own account name.
   *
   * @param {Api} api
   */
  async #login(api) {
    const { value } = await api.ask("/user", { needs: "nothing", fine: [403, 404] });
    return textAt(value, "login") ?? "github-actions[bot]";
  }

  #api() {
    if (this.#token === "") throw new Problem("The action has no token. Set its input `token`.");
    return new Api("GitHub", this.#must("GITHUB_API_URL"), {
      authorization: `Bearer ${this.#token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    });
  }

  /** @param {string} name */
  #must(name) {
    const value = this.#env[name];
    if (!value) throw new Problem(`${name} is not set. This script works only in GitHub Actions.`);
    return value;
  }
}

/**
 * @param {string} words
 * @returns {Found}
 */
function none(words) {
  return { kind: "none", words };
}

/** @param {string} text */
function data(text) {
  return plain(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** @param {string} text */
function property(text) {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
