import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { filesAt, runShell } from "./steps.ts";
import { root } from "./workflow.ts";

/*
 * Runs the two files of the GitLab template with their rules, variables, scripts and artifacts. Only the
 * installation is simulated.
 */

const Lines = z.array(z.string());
// Strict, because GitLab would ignore a misspelled keyword.
const Job = z.strictObject({
  extends: z.literal(".ivrctl"),
  rules: z.array(z.strictObject({ if: z.string() })),
  interruptible: z.optional(z.boolean()),
  resource_group: z.optional(z.string()),
  environment: z.optional(z.strictObject({ name: z.string() })),
  script: Lines,
  after_script: z.optional(Lines),
  artifacts: z.optional(
    z.strictObject({
      when: z.literal("always"),
      access: z.literal("developer"),
      expose_as: z.optional(z.string().regex(/^[\w -]+$/)),
      paths: Lines,
      reports: z.optional(z.record(z.string().regex(/^(?:junit|codequality)$/), z.string())),
    }),
  ),
});
const Hidden = z.strictObject({
  image: z.string(),
  variables: z.record(z.string(), z.string()),
  before_script: Lines,
});
const Project = z.strictObject({
  include: z.array(z.object({ local: z.string() })),
  variables: z.record(z.string(), z.string()),
});

export type Variables = Readonly<Record<string, string>>;

export interface GitlabRun {
  readonly job: string;
  readonly exit: number | null;
  readonly log: string;
  readonly after: number | null | undefined;
  /** The artifacts by path in the repository. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The reports by kind. */
  readonly reports: Readonly<Record<string, string>>;
}

/** Runs the jobs of a pipeline one after another. */
export async function runPipeline(workspace: string, given: Variables): Promise<GitlabRun[]> {
  const project = Project.parse(parse(read("templates/gitlab/.gitlab-ci.yml")));
  const { ".ivrctl": hidden, ...rest } = z
    .record(z.string(), z.unknown())
    .parse(parse(read(`templates/gitlab/${project.include[0]?.local}`)));
  const common = Hidden.parse(hidden);
  // Variables of the project and of GitLab override those of a file.
  const variables = { ...project.variables, ...common.variables, ...given };
  const jobs = Object.entries(z.record(z.string(), Job).parse(rest)).filter(([, { rules }]) =>
    rules.some((rule) => holds(rule.if, variables)),
  );
  const runs: GitlabRun[] = [];
  for (const [name, job] of jobs) {
    if (!common.before_script.every((line) => line.startsWith("npm install --no-save"))) {
      throw new Error("before_script may only run npm install");
    }
    mkdirSync(join(workspace, "node_modules"));
    symlinkSync(root, join(workspace, "node_modules/ivrctl"));
    const env = { ...variables, GITLAB_CI: "true", CI: "true", CI_PROJECT_DIR: workspace };
    const ran = await runShell(job.script.join("\n"), workspace, env);
    const after = job.after_script && (await runShell(job.after_script.join("\n"), workspace, env));
    const { paths = [], reports = {} } = job.artifacts ?? {};
    runs.push({
      job: name,
      exit: ran.exit,
      log: ran.log + (after?.log ?? ""),
      after: after?.exit,
      files: new Map(paths.flatMap((path) => kept(workspace, expanded(path, variables)))),
      reports: Object.fromEntries(
        Object.entries(reports)
          .filter(([, path]) => existsSync(join(workspace, path)))
          .map(([kind, path]) => [kind, readFileSync(join(workspace, path), "utf8")]),
      ),
    });
  }
  return runs;
}

function kept(workspace: string, path: string): [string, Buffer][] {
  const files = filesAt(join(workspace, path), true);
  return [...files].map(([name, content]) => [path.endsWith("/") ? path + name : path, content]);
}

/** Evaluates the part of the rule language that the template uses. */
function holds(rule: string, variables: Variables): boolean {
  return rule.split(" && ").every((part) => {
    const sides = /^(\$\w+) == (\$\w+|"[^"$]*")$/.exec(part);
    if (sides === null) throw new Error(`This rule is not supported: ${part}`);
    const [, left = "", right = ""] = sides;
    const wanted = right.startsWith("$") ? expanded(right, variables) : right.slice(1, -1);
    return expanded(left, variables) === wanted;
  });
}

function expanded(text: string, variables: Variables): string {
  return text.replaceAll(/\$(\w+)/g, (_, name: string) => variables[name] ?? "");
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
