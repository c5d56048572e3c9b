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
    // For a pull request GITHUB_SHA is a merge that nobody else knows.
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
    if (base === undefined) throw new Problem("This event is not of a pull request.");
    return {
      untrusted:
        from !== this.#repository
          ? "it comes from a fork"
          : this.#env["GITHUB_ACTOR"] === "dependabot[bot]"
            ? "Dependabot opened it"
            : undefined,
      /** @param {import("./git.mjs").Git} git */
      base: async (git) => {
        // What is checked out is the merge of both sides: its first parent is what it is merged into.
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
          `title=${property("A test of the menu fails")}`,
        ];
        const words = `${textAt(test, "key") ?? ""}: ${textAt(test, "name") ?? ""}`;
        return `::error ${properties.join(",")}::${data(words)}`;
      });
    this.log.annotate(lines.join("\n"));
  }

  /**
   * The comment with this marker in its first line, if it is one of ours: anybody
   * can write such a line, and would then have a comment that we vouch for.
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
      throw new Problem("Only the default branch is applied.");
    }
    const asked = this.#env["IVRCTL_CI_PLAN_RUN"] ?? "";
    const found =
      asked !== ""
        ? await this.#askedRun(asked, branch ?? "")
        : this.#env["GITHUB_EVENT_NAME"] === "workflow_dispatch"
          ? none("It was started by hand, without `plan-run`.")
          : await this.#reviewedRun();
    if (found.kind === "none") return found;
    const artifacts = `/repos/${this.#repository}/actions/runs/${found.run}/artifacts`;
    const query = `?name=${encodeURIComponent(settings.artifact)}`;
    const { value } = await this.#api().ask(artifacts + query, { needs: "actions: read" });
    const there = listAt(value, "artifacts").some(
      (one) => textAt(one, "name") === settings.artifact && at(one, "expired") === false,
    );
    return there ? found : none(`Run ${found.run} has no plan any more, or never had one.`);
  }

  byHand() {
    const id = this.#must("GITHUB_RUN_ID");
    return `To apply exactly this plan, run this workflow by hand with \`plan-run: ${id}\`.`;
  }

  /** @param {string} run */
  byHandNew(run) {
    return `If nothing was ever created through ivrctl there, run this workflow by hand with \`plan-run: ${run}\` and \`new-state: true\`.`;
  }

  /** @returns {Promise<Found>} that of the pull request which was merged as this commit */
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
    if (pull === undefined) return none("No merged pull request has this commit.");
    if (textAt(pull, "head", "repo", "full_name") !== this.#repository) {
      return none("The pull request came from a fork, for which no plan is made.");
    }
    const head = textAt(pull, "head", "sha") ?? "";
    const number = numberAt(pull, "number");
    const workflow = this.#workflow();
    const file = encodeURIComponent(workflow.slice(workflow.lastIndexOf("/") + 1));
    const query = `event=pull_request&head_sha=${head}&per_page=100`;
    const path = `/repos/${this.#repository}/actions/workflows/${file}/runs?${query}`;
    const { value } = await api.ask(path, { needs: "actions: read" });
    // The newest decides: one that failed has seen what an older one has not.
    const [newest] = listAt(value, "workflow_runs")
      .filter(
        (run) =>
          this.#isOwn(run) &&
          textAt(run, "event") === "pull_request" &&
          textAt(run, "head_sha") === head,
      )
      .toSorted((a, b) => (numberAt(b, "id") ?? 0) - (numberAt(a, "id") ?? 0));
    const id = numberAt(newest, "id");
    if (id === undefined) return none(`No run was for pull request ${number} at its last commit.`);
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
    if (!/^\d+$/.test(id)) throw new Problem("`plan-run` is the number of a run.");
    const { value: run } = await this.#api().ask(`/repos/${this.#repository}/actions/runs/${id}`, {
      needs: "actions: read",
    });
    const event = textAt(run, "event");
    const sound =
      event === "pull_request" ||
      ((event === "push" || event === "workflow_dispatch") &&
        textAt(run, "head_branch") === branch);
    if (!this.#isOwn(run) || !sound) {
      throw new Problem(
        `Run ${id} is not one whose plan may be applied: it has to be of this workflow, and of this repository's own branches.`,
      );
    }
    return { kind: "found", run: id, words: `of run ${id}, asked for by hand` };
  }

  /**
   * Whether a run is of this very workflow, for this repository's own commits: a
   * fork's run can have made any plan it likes.
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

  /** The path of the workflow's file. */
  #workflow() {
    const [path = ""] = this.#must("GITHUB_WORKFLOW_REF").split("@", 1);
    return path.slice(this.#repository.length + 1);
  }

  /**
   * The workflow's own token may not ask who it is; then it is this one.
   *
   * @param {Api} api
   */
  async #login(api) {
    const { value } = await api.ask("/user", { needs: "nothing", fine: [403, 404] });
    return textAt(value, "login") ?? "github-actions[bot]";
  }

  #api() {
    if (this.#token === "") throw new Problem("The action was given no token.");
    return new Api("GitHub", this.#must("GITHUB_API_URL"), {
      authorization: `Bearer ${this.#token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    });
  }

  /** @param {string} name */
  #must(name) {
    const value = this.#env[name];
    if (!value) throw new Problem(`${name} is not set: this is no job of GitHub Actions.`);
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
