import type { ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { quietPort } from "../../../scripts/quiet-port.mjs";
import { folder, ivrctl } from "../cli.ts";
import type { Sandbox } from "../../../src/sandbox/server.ts";
import { onNewService, service, token } from "../project.ts";
import { type Pull, startGithub } from "./github.ts";
import { Repository } from "./repository.ts";
import { type Occasion, type WorkflowRun, root, runWorkflow, workflowPath } from "./workflow.ts";

const own = "acme/phone";

export const config = `version: 1
rules: { zero-not-operator: off, renumbered: off }
environments:
  production:
    service: { base_url: "\${TELEPHONY_BASE_URL}", token: "\${TELEPHONY_TOKEN}", timeout: 300 }
`;

interface Options {
  readonly faults?: readonly string[];
  /** Default: a new service. */
  readonly sandbox?: Sandbox;
  readonly agents?: readonly unknown[];
  readonly files?: Readonly<Record<string, string>>;
  /** Whether every apply may begin a state. Default: true, because the service is new. */
  readonly newState?: boolean;
  /** The folder of the project in its repository. */
  readonly directory?: string;
}

interface Wishes {
  readonly started?: (step: string, child: ChildProcess) => void;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly vars?: Readonly<Record<string, string>>;
  readonly last?: string;
  readonly workflow?: string;
  readonly wishes?: Readonly<Record<string, string>>;
}

/** Creates a repository on GitHub with a project, the pipeline and a service. */
export async function stage({
  files = {},
  directory,
  sandbox: given,
  newState = true,
  ...options
}: Options = {}) {
  const place = folder({});
  const github = await startGithub(own);
  const sandbox = given ?? (await service({ token, port: await quietPort(), ...options }));
  const repository = new Repository(place, own);
  const prefix = directory === undefined ? "" : `${directory}/`;
  const inProject = (changes: Readonly<Record<string, string | null>>) =>
    Object.fromEntries(Object.entries(changes).map(([name, text]) => [prefix + name, text]));
  repository.commit(
    "main",
    inProject({ "ivrctl.yaml": config, "agents.lock.json": snapshot, ...files }),
  );
  let runs = 1000;

  async function run(
    about: Pick<Occasion, "context" | "event" | "checkout"> & {
      readonly sha: string;
      readonly head: { sha: string; branch: string; repository: string };
      readonly actor?: string;
      readonly inputs?: Occasion["inputs"];
    },
    { secrets = { TELEPHONY_TOKEN: token }, vars, wishes = {}, ...more }: Wishes,
  ): Promise<WorkflowRun> {
    runs += 1;
    const workspace = join(place, `run-${runs}`, "workspace");
    mkdirSync(dirname(workspace));
    const record = {
      id: runs,
      event: about.context.event_name,
      head_sha: about.head.sha,
      head_branch: about.head.branch,
      path: workflowPath,
      repository: { full_name: own },
      head_repository: { full_name: about.head.repository },
      conclusion: null as "success" | "failure" | null,
    };
    github.runs.push(record);
    const ended = await runWorkflow({
      ...about,
      github,
      run: runs,
      inputs: about.inputs ?? {},
      vars: { TELEPHONY_BASE_URL: sandbox.url, ...vars },
      secrets,
      workspace,
      wishes: {
        ...(directory === undefined ? {} : { directory }),
        ...(newState ? { "new-state": "true" } : {}),
        ...wishes,
      },
      ...more,
      env: {
        GITHUB_SERVER_URL: `file://${place}`,
        GITHUB_REPOSITORY: own,
        GITHUB_SHA: about.sha,
        GITHUB_ACTOR: about.actor ?? "asha",
        GITHUB_WORKFLOW_REF: `${own}/${workflowPath}@refs/heads/main`,
      },
    });
    record.conclusion = ended.ok ? "success" : "failure";
    return ended;
  }

  const stage = {
    github,
    sandbox,
    repository,
    place,
    commit: (branch: string, changes: Readonly<Record<string, string | null>>) =>
      repository.commit(branch, inProject(changes)),

    /** Runs the command in a clone of main. */
    ivrctl: (...args: readonly string[]) =>
      ivrctl([...onNewService(args), "--env", "production"], {
        cwd: join(repository.clone, directory ?? "."),
        env: { TELEPHONY_BASE_URL: sandbox.url, TELEPHONY_TOKEN: token },
      }),

    /** Changes the agents of the service. */
    async withAgents(agents: readonly unknown[]) {
      await sandbox.close();
      await service({ token, agents, port: Number(new URL(sandbox.url).port) });
    },

    /** Opens a pull request for a branch. */
    open(branch: string, from: string | null = own): Pull {
      const pull: Pull = {
        number: github.pulls.length + 1,
        head: { sha: repository.head(branch), repo: from === null ? null : { full_name: from } },
        base: { sha: repository.head("main"), repo: { full_name: own } },
        merged_at: null,
        merge_commit_sha: null,
      };
      github.pulls.push(pull);
      return pull;
    },

    /** Runs the workflow for the last commit of a pull request. */
    pullRequest(pull: Pull, branch: string, wishes: Wishes & { readonly actor?: string } = {}) {
      pull.head.sha = repository.head(branch);
      const from = pull.head.repo?.full_name ?? "gone/phone";
      return run(
        {
          context: { event_name: "pull_request", ref: `refs/pull/${pull.number}/merge` },
          event: { pull_request: pull, repository: { default_branch: "main" } },
          sha: "0".repeat(40),
          head: { sha: pull.head.sha, branch, repository: from },
          checkout: async (workspace) => repository.checkOutMerge(workspace, pull.head.sha),
          ...(wishes.actor === undefined ? {} : { actor: wishes.actor }),
        },
        wishes,
      );
    },

    merge(pull: Pull, branch: string): string {
      const sha = repository.merge(branch);
      pull.merged_at = new Date().toISOString();
      pull.merge_commit_sha = sha;
      return sha;
    },

    /** Runs the workflow for the last commit of main. */
    push(wishes: Wishes = {}) {
      return stage.onMain("push", wishes);
    },

    byHand(inputs: Occasion["inputs"], wishes: Wishes = {}) {
      return stage.onMain("workflow_dispatch", wishes, inputs);
    },

    schedule() {
      return stage.onMain("schedule", {});
    },

    onMain(
      event_name: string,
      wishes: Wishes,
      inputs: Occasion["inputs"] = {},
      ref = "refs/heads/main",
    ) {
      const sha = repository.head("main");
      return run(
        {
          context: { event_name, ref },
          event: { repository: { default_branch: "main" } },
          sha,
          head: { sha, branch: "main", repository: own },
          checkout: async (workspace) => repository.checkOut(workspace, sha),
          inputs,
        },
        wishes,
      );
    },

    /** Opens a pull request, merges it and applies its plan. */
    async ship(
      branch: string,
      changes: Readonly<Record<string, string | null>>,
      wishes: Wishes = {},
    ) {
      stage.commit(branch, changes);
      const pull = stage.open(branch);
      const planned = await stage.pullRequest(pull, branch);
      stage.merge(pull, branch);
      return { pull, planned, applied: await stage.push(wishes) };
    },
  };
  return stage;
}

/** The agents of the sandbox, which are also those of the example project. */
export const snapshot = readFileSync(join(root, "agents.lock.json"), "utf8");
