import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { type Contexts, holds, interpolate } from "./expressions.ts";
import { type Github, forgeToken } from "./github.ts";
import { filesAt, putFiles, runShell } from "./steps.ts";

/*
 * Runs the workflow and the composite action from their files, with their conditions, inputs,
 * environments and outputs. Only the checkout, the installation and the two artifact actions are
 * simulated.
 */

export const root = join(import.meta.dirname, "../../..");
export const workflowPath = ".github/workflows/ivrctl.yml";

const Scalar = z.union([z.string(), z.number(), z.boolean()]);
const Step = z.object({
  id: z.optional(z.string()),
  name: z.optional(z.string()),
  if: z.optional(z.string()),
  uses: z.optional(z.string()),
  run: z.optional(z.string()),
  with: z.optional(z.record(z.string(), Scalar)),
  env: z.optional(z.record(z.string(), Scalar)),
});
const Action = z.object({
  inputs: z.record(z.string(), z.object({ default: z.optional(Scalar) })),
  runs: z.object({ steps: z.array(Step) }),
});
const Workflow = z.object({
  jobs: z.record(z.string(), z.object({ if: z.string(), steps: z.array(Step) })),
});

export interface Occasion {
  readonly github: Github;
  readonly run: number;
  /** The part of the `github` context that is used. */
  readonly context: { readonly event_name: string; readonly ref: string };
  readonly event: object;
  readonly inputs: Readonly<Record<string, string | boolean>>;
  readonly vars: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly checkout: (workspace: string) => Promise<void>;
  readonly workspace: string;
  /** Called with each process of a step, and the id or name of the step. */
  readonly started?: (step: string, child: ChildProcess) => void;
  /** The step during which the runner dies. No later step runs. */
  readonly last?: string;
  /** The workflow. Default: the template. */
  readonly workflow?: string;
  /** Inputs of the action that replace those of the workflow. */
  readonly wishes?: Readonly<Record<string, string>>;
}

export interface WorkflowRun {
  readonly run: number;
  readonly job: string;
  readonly workspace: string;
  readonly ok: boolean;
  readonly log: string;
  readonly summary: string;
  /** The exit code of each step that ran. */
  readonly exits: Readonly<Record<string, number | null>>;
}

export async function runWorkflow(occasion: Occasion): Promise<WorkflowRun> {
  const { workflow = readFileSync(join(root, "templates/github", workflowPath), "utf8") } =
    occasion;
  const { jobs } = Workflow.parse(parse(workflow));
  const contexts: Contexts = {
    github: { ...occasion.context, token: forgeToken },
    inputs: occasion.inputs,
    vars: occasion.vars,
    secrets: occasion.secrets,
  };
  const chosen = Object.entries(jobs).filter(([, job]) => holds(job.if, contexts, "success"));
  const [[name, job] = fail("No job is for this event"), ...others] = chosen;
  if (others.length > 0) fail("Several jobs are for this event");
  for (const step of job.steps) {
    if (step.uses?.startsWith("actions/checkout@")) await occasion.checkout(occasion.workspace);
    else if (step.run?.startsWith("npm install --no-save ivrctl@")) {
      // Otherwise the action would start a build while other tests run.
      if (!existsSync(join(root, "dist/ivrctl.cjs"))) fail("ivrctl is not built: npm run build");
      mkdirSync(join(occasion.workspace, "node_modules"));
      symlinkSync(root, join(occasion.workspace, "node_modules/ivrctl"));
    } else if (step.uses === "./node_modules/ivrctl") {
      const given = { ...mapped(step.with, contexts), ...occasion.wishes };
      return { job: name, ...(await runAction(occasion, given, mapped(step.env, contexts))) };
    } else if (!step.uses?.startsWith("actions/setup-node@"))
      fail(`This step is not simulated: ${step.run ?? step.uses}`);
  }
  return fail("The workflow does not use the action");
}

async function runAction(
  occasion: Occasion,
  given: Readonly<Record<string, string>>,
  outer: Readonly<Record<string, string>>,
): Promise<Omit<WorkflowRun, "job">> {
  const { github, run, workspace, started } = occasion;
  const action = Action.parse(parse(readFileSync(join(root, "action.yml"), "utf8")));
  const context = { ...occasion.context, token: forgeToken };
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [
      name,
      given[name] ?? interpolate(String(input.default ?? ""), { github: context }),
    ]),
  );
  const eventFile = join(workspace, "../event.json");
  writeFileSync(eventFile, JSON.stringify(occasion.event));
  const base = {
    ...occasion.env,
    GITHUB_ACTIONS: "true",
    CI: "true",
    GITHUB_ACTION_PATH: join(workspace, "node_modules/ivrctl"),
    GITHUB_API_URL: github.url,
    GITHUB_EVENT_NAME: context.event_name,
    GITHUB_EVENT_PATH: eventFile,
    GITHUB_REF: context.ref,
    GITHUB_RUN_ID: `${run}`,
    GITHUB_WORKSPACE: workspace,
  };
  const steps: Record<string, { outcome: string; outputs: Readonly<Record<string, string>> }> = {};
  const exits: Record<string, number | null> = {};
  let status: "success" | "failure" = "success";
  let log = "";
  let summary = "";
  for (const step of action.runs.steps) {
    const name = step.id ?? step.name ?? "";
    const contexts = { github: context, inputs, steps };
    if (!holds(step.if, contexts, status)) {
      if (step.id !== undefined) steps[step.id] = { outcome: "skipped", outputs: {} };
      continue;
    }
    const parameters = mapped(step.with, contexts);
    if (step.run === undefined) {
      playArtifacts(occasion, step.uses ?? "", parameters);
      exits[name] = 0;
      continue;
    }
    if (step.run.includes("${{")) fail("A `run:` must not contain an expression");
    const env = { ...base, ...outer, ...mapped(step.env, contexts) };
    const ran = await runShell(step.run, workspace, env, (child) => started?.(name, child));
    exits[name] = ran.exit;
    log += ran.log;
    summary += ran.summary;
    if (ran.exit !== 0) status = "failure";
    const outcome = ran.exit === 0 ? "success" : "failure";
    if (step.id !== undefined) steps[step.id] = { outcome, outputs: ran.outputs };
    if (occasion.last === name) break;
  }
  return { run, workspace, ok: status === "success", log, summary, exits };
}

/** Simulates the two artifact actions as their documentation describes them. */
function playArtifacts(
  { github, run, workspace }: Occasion,
  uses: string,
  given: Readonly<Record<string, string>>,
): void {
  const { name = "", path = "" } = given;
  const place = isAbsolute(path) ? path : join(workspace, path);
  if (name === "") fail(`${uses} has no name`);
  if (uses.startsWith("actions/upload-artifact@")) {
    const files = filesAt(place, given["include-hidden-files"] === "true");
    if (files.size === 0) {
      if (given["if-no-files-found"] === "error") fail(`There is no ${path}`);
      return;
    }
    const others = github.artifacts.filter((one) => one.run !== run || one.name !== name);
    github.artifacts.splice(0, Infinity, ...others, { run, name, files, expired: false });
  } else if (uses.startsWith("actions/download-artifact@")) {
    if (given["github-token"] !== forgeToken) fail("The download has no token");
    const found = github.artifacts.find(
      (one) => one.name === name && one.run === Number(given["run-id"]) && !one.expired,
    );
    putFiles(place, found?.files ?? fail(`There is no artifact ${name}`));
  } else fail(`This action is not simulated: ${uses}`);
}

function mapped(
  values: Readonly<Record<string, string | number | boolean>> = {},
  contexts: Contexts,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, interpolate(String(value), contexts)]),
  );
}

function fail(words: string): never {
  throw new Error(words);
}
