import { appendFileSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Caller } from "../operations/caller.ts";
import { chosenEndpoint } from "../deploy/service/connect.ts";
import { print } from "../cli/printer.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { configName } from "../project/files.ts";
import { type Matter, isOnConsole } from "../deploy/reasons/kinds.ts";
import { type ProjectPlace, openConfiguration } from "../workspace/open-project.ts";
import { fromRepository } from "../project/root.ts";
import { environmentNamePattern } from "../schema/field-types.ts";
import { pathExists } from "../util/disk.ts";
import type { Host } from "../util/host.ts";
import { advice, fenced, marker, message } from "../views/markdown.ts";
import { type Status, liveStatus } from "../views/pipeline.ts";
import type { PlanDocument } from "../views/plan/describe.ts";
import { planJson } from "../views/plan/plan-json.ts";
import { type Forge, JobProblem, type Post, problemOr, workFolder } from "./forge.ts";
import { openGithub } from "./github.ts";
import { openGitlab } from "./gitlab.ts";
import type { ExitCode, Result } from "../views/result.ts";
import { secrets } from "../util/secrets.ts";
import { hintText, withSentence } from "../util/suggest.ts";

/** A job of a pipeline: its platform, its project and its environments, and what it writes. */
export class Job {
  readonly forge: Forge;
  /** The context of the command. Everything it prints goes to one stream, in order. */
  readonly context: Caller;
  readonly environments: readonly string[];
  /** The path from the top of the repository to the project: empty, or ends with `/`. */
  readonly prefix: string;
  /** The folder for files that the pipeline keeps. */
  readonly work: string;

  constructor({ forge, environments, prefix, work }: JobFacts, context: Caller) {
    this.forge = forge;
    this.context = context;
    this.environments = environments;
    this.prefix = prefix;
    this.work = work;
  }

  /** The folder of the project for commands that a person runs in a clone. Undefined at the top. */
  get directory(): string | undefined {
    return this.prefix === "" ? undefined : this.prefix.slice(0, -1);
  }

  /** An environment, with the folder of the project if a repository may have several. */
  named(environment: string): string {
    return this.directory === undefined ? environment : `${environment} (${this.directory})`;
  }

  get artifacts() {
    // The name of an artifact cannot contain a slash.
    const where = this.directory === undefined ? "" : `@${encodeURIComponent(this.directory)}`;
    const offer = `ivrctl-plan-${this.environments.join("-")}${where}`;
    return { review: `ivrctl-plan${where}`, offer };
  }

  /** Prints the command that a part of the job does. */
  start(command: string): void {
    this.context.terminal.say(`\n$ ${command}\n`);
  }

  /** Prints a sentence to the log and to the page of the run. */
  report(sentence: string): void {
    this.context.terminal.say(`${sentence}\n`);
    this.summarize(message(sentence));
  }

  /** Prints why something failed to the log. Returns that as diagnostics. */
  async printProblem(problem: JobProblem): Promise<readonly Diagnostic[]> {
    const diagnostics = problem.diagnostics(this.forge.name);
    await print({ diagnostics }, this.context);
    return diagnostics;
  }

  /** Adds Markdown to the page of the run. */
  summarize(markdown: string): void {
    const { summaryFile } = this.forge;
    if (summaryFile) appendFileSync(summaryFile, `${secrets.mask(markdown.trimEnd())}\n\n`);
  }

  /** Leaves a value for later steps and jobs. `artifact`: the name under which they keep the files of this job. */
  output(name: string, value: string): void {
    if (this.forge.outputFile) appendFileSync(this.forge.outputFile, `${name}=${value}\n`);
  }

  /** Leaves a plan for the job that applies it, or says what failed. */
  leavePlan(
    environment: string,
    pulls: readonly number[],
    shown: PlanDocument | null,
    failed: readonly string[] = [],
  ): void {
    const plan: unknown = shown && failed.length === 0 ? JSON.parse(planJson(shown)) : null;
    const { commit } = this.forge;
    const left = { commit, pulls, plan, ...(failed.length > 0 && { failed }) };
    writeFileSync(join(this.work, planFileName(environment)), JSON.stringify(left));
  }

  /** Whether the run that holds a lock has ended. Undefined if the platform does not say. */
  readonly hasEnded = async (lockId: string): Promise<boolean | undefined> => {
    const ended = await problemOr(this.forge.hasEnded(lockId));
    return ended instanceof JobProblem ? undefined : ended;
  };

  /** Shows something about an environment at a commit, if the platform can and lets the job do it. */
  async showStatus(commit: string, environment: string, status: Status): Promise<void> {
    const shown = this.forge.setStatus?.(commit, `ivrctl/${this.named(environment)}`, status);
    if (shown !== undefined) await problemOr(shown);
  }

  /** Returns what this pipeline has written with this name, and the line that identifies it. */
  async posted(pull: number | undefined, name: readonly string[]) {
    const first = marker(...[...name, this.forge.workflow, this.prefix || []].flat());
    const all = await this.forge.ownPosts(pull);
    // Somebody may have added text above it.
    return { first, old: all.find(({ body }) => body?.split(/\r?\n/).includes(first)) };
  }

  /**
   * Writes a comment or, without a pull request, an issue with this name. `postFrom` gets the old text,
   * and returns undefined to leave it. Returns false and reports why if the platform refuses that.
   */
  async write(
    pull: number | undefined,
    name: readonly string[],
    postFrom: (old: string | undefined) => Post | undefined,
  ): Promise<boolean> {
    const act = async () => {
      const { first, old } = await this.posted(pull, name);
      const post = postFrom(old?.body);
      if (post === undefined) return;
      const marked =
        post === "closed" ? post : { ...post, body: secrets.mask(`${first}\n\n${post.body}\n`) };
      await this.forge.write(pull, old?.id, marked);
    };
    let problem = await problemOr(act());
    // Each of three more attempts looks for it first.
    for (let tries = 1; problem?.mayBeDone && tries < 4; tries += 1) {
      await this.context.host.clock.sleep(1000 * tries);
      problem = await problemOr(act());
    }
    if (problem === undefined) return true;
    const words = withSentence(problem.message, problem.hint);
    this.context.terminal.say(`${hintText(words)}\n`);
    this.summarize(advice(words));
    return false;
  }
}

type JobFacts = Pick<Job, "forge" | "environments" | "prefix" | "work">;

/** A job in one of its environments. Its context is for that environment. */
export class EnvironmentJob extends Job {
  readonly environment: string;
  /** The commit whose files count: the last one that was read of the default branch, or that of the run. */
  commit: string;

  /** `overrides` is for the context of its commands. */
  constructor(
    job: Job,
    environment: string,
    overrides: Pick<Caller, "reads" | "latest" | "originOf"> = {},
  ) {
    const globals = { ...job.context.globals, env: environment };
    super(job, { ...job.context, globals, ...overrides });
    this.environment = environment;
    this.commit = job.forge.commit;
  }

  /** Shows at the commit whether the environment has what its files want. */
  async showLive(hasFailed: boolean, matters: readonly Matter[]): Promise<void> {
    const numbers = matters.filter(isOnConsole).flatMap(({ refs }) => refs);
    const status = liveStatus(hasFailed, numbers.length);
    await this.showStatus(this.commit, this.environment, status);
  }
}

/**
 * Runs a job. A problem that ends it is shown in the log and on the page of the run. `tell` may show it
 * elsewhere, too.
 */
export async function runJob(
  context: Caller,
  act: (job: Job) => Promise<ExitCode>,
  tell?: (job: Job, problem: JobProblem, words: string) => Promise<unknown>,
): Promise<Result> {
  let job: Job | undefined;
  try {
    job = openJob(context, openForge(context.host));
    refuseUnusable(job);
    return { exit: await act(job) };
  } catch (error) {
    if (!(error instanceof JobProblem)) throw error;
    const { message, hint } = error;
    const words = fenced("text", [message, hint ? hintText(hint) : []].flat());
    job?.summarize(words);
    if (job) await tell?.(job, error, words);
    return { exit: 1, diagnostics: error.diagnostics(job?.forge.name ?? configName) };
  } finally {
    await job?.forge.close();
  }
}

function openForge(host: Host): Forge {
  if (host.env["GITHUB_ACTIONS"] === "true") return openGithub(host);
  if (host.env["GITLAB_CI"] === "true") return openGitlab(host);
  throw new JobProblem(
    "IVR680",
    "This command works only in a GitHub or GitLab pipeline.",
    "Elsewhere, use `ivrctl plan --out FILE` and `ivrctl apply FILE`.",
  );
}

function openJob(context: Caller, forge: Forge): Job {
  const { terminal, host } = context;
  const prefix = prefixIn(forge, context) ?? "";
  const { env = "" } = context.globals;
  const environments = [...new Set(env.split(/[\s,]+/))].filter((name) => name !== "");
  const work = join(forge.top, workFolder);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  // The tokens are for requests of the job. Custom rules and other commands must not get them.
  delete host.env["GITHUB_TOKEN"];
  delete host.env["IVRCTL_GITLAB_TOKEN"];
  const log = (text: string) => terminal.out(text);
  const printing = { ...terminal, interactive: false, say: log, note: log };
  const inJob = { ...context, host: { ...host, gitEnv: forge.gitVariables }, terminal: printing };
  return new Job({ forge, environments, prefix, work }, inJob);
}

/** The path from the top of the repository to the project. Undefined if it is not in there. */
function prefixIn({ top }: Forge, { root }: Caller): string | undefined {
  // A runner may name its folder by a link.
  const real = (path: string) => (pathExists(path) ? realpathSync(path) : path);
  return fromRepository(real(top), real(root));
}

/** Refuses a folder without a project, and names that no environment can have. */
function refuseUnusable({ forge, context, environments }: Job): void {
  const { root } = context;
  const prefix = prefixIn(forge, context);
  if (prefix === undefined || !pathExists(join(root, configName))) {
    const words =
      prefix === undefined
        ? `${root} is not in the repository at ${forge.top}.`
        : `The folder ${prefix || "."} of the repository has no ivrctl.yaml.`;
    const hint = "Set IVRCTL_DIRECTORY in the pipeline to the folder with ivrctl.yaml.";
    throw new JobProblem("IVR680", words, hint);
  }
  const invalid = environments.find((name) => !environmentNamePattern.test(name));
  if (environments.length > 0 && invalid === undefined) return;
  const words = invalid
    ? `${invalid} cannot be the name of an environment.`
    : "No environment is chosen.";
  throw new JobProblem("IVR680", words, "Add, for example: --env production");
}

/** Refuses a state in a file of the checkout. It is always empty, so a plan from it would create every menu. */
export function refuseFileState(place: ProjectPlace): void {
  const needs = { token: false, state: true };
  const endpoint = chosenEndpoint(openConfiguration(place), new Diagnostics(), needs);
  if (endpoint?.state?.store.kind !== "file" || endpoint.settings.kind === "sandbox") return;
  throw new JobProblem(
    "IVR683",
    `The state of ${endpoint.environment} is a file, which would be lost when this job ends.`,
    `Write \`state: { backend: git }\` under \`${endpoint.environment}\` in ivrctl.yaml.`,
  );
}

/** A name for any environment, also for one that is refused. */
export function planFileName(environment: string): string {
  return `plan.${encodeURIComponent(environment)}.json`;
}
