import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { quietPort } from "../../../scripts/quiet-port.mjs";
import { Source } from "../../../src/diagnostics/source.ts";
import { withStateId } from "../../../src/project/state-id.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { type Finished, folder, root, startIvrctl } from "../cli.ts";
import { ivrctl } from "../commands.ts";
import { endsLocked, eventLines } from "../file-log.ts";
import { memoryBucket } from "../memory-bucket.ts";
import { beginning, namesOf, service, token, until } from "../project.ts";
import { skipWaits } from "../waits.ts";
import { serveGit } from "./git-server.ts";
import { startGithub } from "./github.ts";
import { startGitlab } from "./gitlab.ts";
import { type Changes, type Merge, Repository, git } from "./repository.ts";
import { filesIn, killIn, textAt } from "./workspace.ts";
import { type Job, type Kind, type Occasion, type Pull, type World, repository } from "./world.ts";

const state = `state: { backend: s3, bucket: states, endpoint: "\${STATE_ENDPOINT}" }`;

export const config = configFor("production");

/** The configuration of a project with these environments on one service. */
export function configFor(...environments: readonly string[]): string {
  const service = `{ base_url: "\${TELEPHONY_BASE_URL}", token: "\${TELEPHONY_TOKEN}", timeout: 300, concurrency: 2 }`;
  return `version: 1
rules: { zero-not-operator: off, renumbered: off }
environments:
${environments.map((name) => `  ${name}:\n    service: ${service}\n    ${state}\n`).join("")}`;
}

interface Options {
  readonly faults?: readonly string[];
  /** Default: a new service. */
  readonly sandbox?: Pick<Sandbox, "url" | "records" | "requests">;
  readonly files?: Changes;
  /** The folder of the project in its repository. */
  readonly directory?: string;
  /** The folder of the workspace that jobs check out the repository into. */
  readonly checkout?: string;
  /** The environments of the pipeline, as `--env` names them. */
  readonly environments?: string;
  /** Whether a job for a pull request checks out its merge with main. Always true on GitHub. */
  readonly mergedResults?: boolean;
  /** Whether the states have begun. */
  readonly begins?: boolean;
  /**
   * Whether the state is on a branch, as in the generated pipelines. Otherwise it is in an object store
   * in memory: a push starts about twenty processes.
   */
  readonly isInGit?: boolean;
  /** Whether every job is a process of its own. Jobs in this process are faster. */
  readonly asProcesses?: boolean;
  /** Variables of every job. */
  readonly env?: Readonly<Record<string, string>>;
}

interface Wishes {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly actor?: string;
  /** The last commit of main before the push. Default: that of the last push. */
  readonly before?: string;
  /** The commit of main that the job is for, in a shallow checkout. Default: the last one, with all others. */
  readonly commit?: string;
  /** The commit of a pull request that the job is for. Default: its last one. */
  readonly head?: string;
  /** The folder of the project, if it was moved in its repository. */
  readonly movedTo?: string;
  /** Whether the files of this job may contain a token. */
  readonly isLeaky?: boolean;
}

interface Work {
  readonly command: "pull-request" | "apply" | "check";
  readonly pull?: Pull;
}

/** A job that has ended. */
export interface Ran {
  readonly id: number;
  readonly exit: number | null;
  readonly log: string;
  /** The page of the run. On GitLab, the file with that content. */
  readonly summary: string;
  /** What it left in ivrctl-ci. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The values for later steps and jobs. */
  readonly outputs: string;
  /** Outcomes that it could not record. */
  readonly rescued: ReadonlyMap<string, Buffer>;
}

/** Creates a repository on GitHub or GitLab with a project and a service. */
export async function stage(kind: Kind, options: Options = {}) {
  const { directory = ".", checkout = "", environments = "production", files = {} } = options;
  const { mergedResults = true, asProcesses = false, begins = true, isInGit = false } = options;
  if (!asProcesses) skipWaits(500);
  const place = folder({});
  const world: World = { pulls: [], jobs: [], comments: [], issues: [], statuses: new Map() };
  const platform = await (kind === "github" ? startGithub : startGitlab)(world);
  const server = await serveGit(place, `${platform.user}:${platform.token}`);
  const sandbox =
    options.sandbox ??
    (await service({ token, port: await quietPort(), faults: options.faults ?? [] }));
  let running = sandbox;
  const origin = new Repository(place, repository);
  const prefix = directory === "." ? "" : `${directory}/`;
  /** The states that have begun, by environment. Every configuration names them. */
  const ids = new Map<string, string>();
  const inProject = (changes: Changes) =>
    Object.fromEntries(
      Object.entries(changes).map(([name, text]) => [
        prefix + name,
        name === "ivrctl.yaml" && text !== null ? naming(ids, text) : text,
      ]),
    );
  const lock = agents.replace('"service": "sandbox"', `"service": "${sandbox.url}"`);
  const bucket = await memoryBucket();
  const first = isInGit ? config.replace(state, "state: { backend: git }") : config;
  const all = { "ivrctl.yaml": first, "agents.lock.json": lock, ...files };
  origin.commit("main", inProject(all));
  const variables = {
    TELEPHONY_BASE_URL: sandbox.url,
    TELEPHONY_TOKEN: token,
    STATE_ENDPOINT: bucket.endpoint,
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret-of-the-store",
    ...options.env,
  };
  if (begins) {
    const clone = join(place, "first");
    git(place, "clone", "--quiet", "--branch", "main", origin.bare, clone);
    for (const environment of environments.split(",")) {
      ids.set(environment, await begin(join(clone, directory), environment, variables));
    }
    origin.commit("main", inProject({ "ivrctl.yaml": all["ivrctl.yaml"] }));
  }
  /** The blocks of the state of an environment, in order. */
  const blocks = (environment: string): readonly string[] => {
    if (isInGit) return origin.blocks(environment, prefix);
    const inLog = [...bucket.objects].filter(
      ([name]) => name.startsWith(`${environment}/`) && name.includes("/log/"),
    );
    return inLog.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, block]) => String(block));
  };
  let pushed = origin.head("main");
  let people = 0;

  /** Checks out the commit of a new job, as a runner does. */
  function prepare(
    occasion: Occasion,
    { pull, command }: Work,
    { args = [], env = {}, actor = "asha", before = pushed, commit, head: old, movedTo }: Wishes,
  ) {
    const id = 1001 + world.jobs.length;
    const home = join(place, `job-${id}`);
    const workspace = join(home, "workspace");
    const top = join(workspace, checkout);
    mkdirSync(home);
    const head = old ?? pull?.head ?? commit ?? origin.head("main");
    // As the checkout of GitHub and the runner of GitLab leave it.
    const { host } = new URL(server.url);
    const login = kind === "gitlab" ? "gitlab-ci-token:job-t0ken@" : "";
    const url = `http://${login}${host}/${repository}.git`;
    const isMerge = pull !== undefined && mergedResults;
    if (commit !== undefined) origin.checkOutShallow(top, head, url);
    else if (!isMerge) origin.checkOut(top, head, url);
    const checkedOut = isMerge ? origin.checkOutMerge(top, head, url) : head;
    if (kind === "github") {
      const old = Buffer.from("x-access-token:ghs_of-checkout").toString("base64");
      const header = `AUTHORIZATION: basic ${old}`;
      const section = `[http "${server.url}/"]\n\textraheader = "${header}"\n`;
      appendFileSync(join(top, ".git/config"), section);
    }
    const job: Job = {
      id,
      occasion,
      pull,
      head: occasion === "merge queue" ? checkedOut : head,
      checkedOut,
      before: occasion === "merge queue" ? origin.head("main") : before,
      isOver: false,
      artifact: undefined,
    };
    world.jobs.push(job);
    if (occasion === "push" && commit === undefined) pushed = head;
    const runner = { workspace, folder: home, server: server.url, actor };
    return {
      job,
      home,
      args: [
        "ci",
        command,
        "--env",
        environments,
        "-C",
        join(checkout, movedTo ?? directory),
        ...args,
      ],
      cwd: workspace,
      // The job of a pull request has no token, as in the generated pipelines.
      env: {
        ...platform.variables(job, runner),
        ...variables,
        ...(command === "pull-request" ? { TELEPHONY_TOKEN: "" } : {}),
        ...env,
      },
    };
  }

  /** Starts the built command as a process. */
  function start(occasion: Occasion, work: Work, wishes: Wishes) {
    const { job, home, args, cwd, env } = prepare(occasion, work, wishes);
    const runnerEnv = {
      NODE_OPTIONS: `--require=${join(import.meta.dirname, "runner.cjs")}`,
      TEST_HOST: `runner-${job.id}`,
    };
    const { child, finished, printed } = startIvrctl(args, { cwd, env: { ...env, ...runnerEnv } });
    const ended = finished.then(async (done) => {
      // A runner that is lost takes all of its processes with it.
      if (done.exit === null) await killIn(cwd);
      await until(() => server.active === 0);
      return collect(job, home, done, wishes);
    });
    return { id: job.id, child, printed, ended };
  }

  /** Runs a job to its end, in this process unless the stage wants processes. */
  async function run(occasion: Occasion, work: Work, wishes: Wishes = {}): Promise<Ran> {
    if (asProcesses) return start(occasion, work, wishes).ended;
    const { job, home, args, cwd, env } = prepare(occasion, work, wishes);
    return collect(job, home, await ivrctl(args, { cwd, env }), wishes);
  }

  /** Takes what a job left. Its artifact is uploaded, unless the runner was lost. */
  function collect(job: Job, home: string, done: Finished, { isLeaky = false }: Wishes): Ran {
    const { exit, stdout, stderr } = done;
    job.isOver = true;
    job.ended = new Date().toISOString();
    const workspace = join(home, "workspace");
    const left = filesIn(join(workspace, "ivrctl-ci"));
    const outputs = textAt(join(home, "output"));
    const name = /^artifact=(.*)$/m.exec(outputs)?.[1];
    if (exit !== null && left.size > 0) job.artifact = { name: name ?? "", files: left };
    const page = kind === "github" ? textAt(join(home, "summary.md")) : undefined;
    const summary = page ?? left.get("summary.md")?.toString("utf8") ?? "";
    const log = stdout + stderr;
    expect(log).not.toMatch(/^ +at .*:\d+:\d+\)?$/m);
    const inFiles = isLeaky ? [] : filesIn(home).values();
    const texts = [log, JSON.stringify(world.comments), ...inFiles];
    expect(texts.filter(hasToken).map(String)).toEqual([]);
    const rescued = filesIn(join(workspace, checkout, prefix, ".ivrctl/rescue"));
    // Only to save space.
    rmSync(join(workspace, checkout, ".git"), { recursive: true, force: true });
    return { id: job.id, exit, log, summary, files: left, outputs, rescued };
  }

  const tokens = [platform.token, `${platform.user}:${platform.token}`];
  // Without the last letters, which depend on what follows.
  const encoded = tokens.map((text) => Buffer.from(text).toString("base64").slice(0, -4));
  /** The token of the platform, in all forms that the jobs use. */
  const secrets = [...tokens, ...encoded];
  const hasToken = (text: string | Buffer) =>
    [...secrets, token].some((secret) => text.includes(secret));

  const placed = {
    world,
    secrets,
    api: platform.api,
    storage: platform.storage,
    server,
    repository: origin,
    sandbox,
    place,
    variables,

    /** The names of the created menus, sorted. */
    created: () => namesOf(sandbox.records),

    /** The events of the state, one on each line. */
    events: (environment = "production") => eventLines(blocks(environment)),

    /** Whether a run holds the lock of the state, or has left it. */
    isLocked: () => endsLocked(blocks("production")),

    /** The comments of the pipeline on a pull request. */
    comments: (pull: Pull) =>
      world.comments.filter(
        (comment) => comment.pull === pull.number && comment.by === "the pipeline",
      ),

    commit: (branch: string, changes: Changes) => origin.commit(branch, inProject(changes)),

    open(branch: string, { isFork = false, into = "main" } = {}): Pull {
      const number = world.pulls.length + 1;
      const [head, base] = [origin.head(branch), origin.head(into)];
      const pull: Pull = { number, branch, isFork, head, base, into, merged: null };
      world.pulls.push(pull);
      return pull;
    },

    /** Commits to a new branch and opens a pull request. */
    propose(branch: string, changes: Changes): Pull {
      placed.commit(branch, changes);
      return placed.open(branch);
    },

    /** Runs the job for the last commit of a pull request. */
    review(pull: Pull, wishes?: Wishes): Promise<Ran> {
      pull.head = origin.head(pull.branch);
      return run("pull request", { pull, command: "pull-request" }, wishes);
    },

    /** Runs the job for a pull request in a merge queue. */
    queue: (pull: Pull) => run("merge queue", { pull, command: "pull-request" }),

    merge(pull: Pull, how?: Merge): void {
      pull.merged = origin.merge(pull.branch, { how, into: pull.into });
      pull.mergedAt = new Date().toISOString();
    },

    /** Runs the job for everything that came to main since the last such job. */
    apply: (wishes?: Wishes) => run("push", { command: "apply" }, wishes),

    /** The comment with the result of the applies of a pull request. */
    result: (pull: Pull) =>
      placed.comments(pull).find(({ body }) => body.startsWith("<!-- ivrctl:result:"))?.body ?? "",

    /** What the last commit of a pull request shows about an environment. */
    status: (pull: Pull, environment = "production") =>
      world.statuses.get(`${pull.head} ivrctl/${environment}`),

    /** Starts the same as a process. */
    startApply: () => start("push", { command: "apply" }, {}),

    /** Applies the plan of a run or job that a person names. */
    applyRun: (id: number | string, ...args: readonly string[]) =>
      run("by hand", { command: "apply" }, { args: ["--run", String(id), ...args] }),

    check: (wishes?: Wishes) => run("schedule", { command: "check" }, wishes),

    /** Opens, reviews and merges a pull request, and applies its plan. */
    async ship(branch: string, changes: Changes) {
      const pull = placed.propose(branch, changes);
      const planned = await placed.review(pull);
      placed.merge(pull);
      return { pull, planned, applied: await placed.apply() };
    },

    /** Returns a function that runs commands in a new clone of main, as a person does. */
    person() {
      people += 1;
      const clone = join(place, `person-${people}`);
      git(place, "clone", "--quiet", "--branch", "main", origin.bare, clone);
      return (...args: readonly string[]) =>
        beginning(args, (all) =>
          ivrctl([...all, "--env", environments], {
            cwd: join(clone, directory),
            env: variables,
          }),
        );
    },

    /** Changes the agents of the service. */
    async withAgents(list: readonly unknown[]) {
      if ("close" in running) await (running as Sandbox).close();
      running = await service({ token, agents: list, port: Number(new URL(sandbox.url).port) });
    },
  };
  return placed;
}

export type Stage = Awaited<ReturnType<typeof stage>>;

/** Begins a state, unless another stage has begun it. Returns its id. */
async function begin(cwd: string, environment: string, env: Readonly<Record<string, string>>) {
  const { stderr } = await ivrctl(["state", "init", "--env", environment], { cwd, env });
  const [, id] = /(?:Initialized the state|write `id:) ([\w-]+)/.exec(stderr) ?? [];
  if (id === undefined) throw new Error(stderr);
  return id;
}

/** Returns a configuration that names these states. */
function naming(ids: ReadonlyMap<string, string>, config: string): string {
  let text = config;
  for (const [environment, id] of ids) {
    text = withStateId(new Source("ivrctl.yaml", text), environment, id) ?? text;
  }
  return text;
}

/** The agents of the sandbox, which are also those of the example project. */
const agents = readFileSync(join(root, "agents.lock.json"), "utf8");
