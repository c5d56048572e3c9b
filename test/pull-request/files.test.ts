import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { actionErrors, workflowErrors } from "../support/ci/parser.ts";

const root = join(import.meta.dirname, "../..");
const workflowFile = "templates/github/.github/workflows/ivrctl.yml";

describe("the parser of GitHub", () => {
  test("accepts the workflow", async () => {
    expect(await workflowErrors(read(workflowFile))).toEqual([]);
  });

  test("accepts the action", () => {
    expect(actionErrors(read("action.yml"))).toEqual([]);
  });

  test("rejects misspelled keys, operators and contexts", async () => {
    const workflow = read(workflowFile);
    const wrong = [
      workflow.replace("permissions:\n      contents: read", "permissions:\n      content: read"),
      workflow.replace("github.event_name ==", "github.event_name ="),
      workflow.replace("vars.TELEPHONY_BASE_URL", "var.TELEPHONY_BASE_URL"),
    ];
    for (const text of wrong) expect(await workflowErrors(text)).not.toEqual([]);
    const action = read("action.yml");
    expect(actionErrors(action.replace("using: composite", "using: compost"))).not.toEqual([]);
    expect(actionErrors(action.replace("steps.job.outputs", "step.job.outputs"))).not.toEqual([]);
  });
});

test.each([workflowFile, "action.yml"])("%s pins every action to a commit", (file) => {
  const uses = [...read(file).matchAll(/\buses: (\S+)(.*)/g)].filter(
    ([, name]) => !name?.startsWith("./"),
  );
  expect(uses.length).toBeGreaterThan(1);
  for (const [, name, comment] of uses) {
    expect(name).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    expect(comment).toMatch(/^ # v\d+\.\d+\.\d+$/);
  }
});

test.each([workflowFile, "action.yml", "templates/gitlab/.gitlab/ivrctl.yml"])(
  "%s installs no package by its name",
  (file) => {
    expect(read(file)).not.toMatch(/npm (?:install|i|exec)|npx/);
  },
);

const gitlabFile = "templates/gitlab/.gitlab/ivrctl.yml";

describe.each([workflowFile, gitlabFile])("%s", (file) => {
  test("installs without scripts, and refuses ivrctl from a public registry", () => {
    const installs = read(file).match(/npm ci.*/g) ?? [];
    expect(installs.length).toBeGreaterThan(0);
    for (const line of installs) expect(line).toContain("npm ci --ignore-scripts");
    const guards = [...read(file).matchAll(/grep -E '(.*?)'/g)].map(([, text = ""]) => text);
    expect(guards).toHaveLength(installs.length);
    const lock = (resolved: string) => `"resolved": "${resolved}",`;
    for (const guard of guards) {
      const isRefused = (resolved: string) => new RegExp(guard).test(lock(resolved));
      expect(isRefused("https://registry.npmjs.org/ivrctl/-/ivrctl-1.0.0.tgz")).toBe(true);
      expect(isRefused("https://registry.yarnpkg.com/ivrctl/-/ivrctl-1.0.0.tgz")).toBe(true);
      expect(isRefused("file:vendor/ivrctl-1.0.0.tgz")).toBe(false);
      expect(isRefused("https://npm.acme.example/ivrctl/-/ivrctl-1.0.0.tgz")).toBe(false);
      expect(isRefused("https://registry.npmjs.org/pg/-/pg-8.0.0.tgz")).toBe(false);
    }
  });
});

test("the job of a pull request does not get the token of the service", () => {
  const [, review = ""] = /^ {2}pull-request:\n(.*?)^ {2}\S/ms.exec(read(workflowFile)) ?? [];
  expect(review).toContain("TELEPHONY_BASE_URL");
  expect(review).not.toContain("TELEPHONY_TOKEN");
  // Nor does the check, which would wait for the approvals of the environment.
  expect(read(workflowFile).match(/secrets\.TELEPHONY_TOKEN/g)).toHaveLength(1);
  // And only the job that applies has an environment, whose approvals it waits for.
  const { jobs } = parse(read(workflowFile));
  const withEnvironment = Object.keys(jobs).filter((name) => "environment" in jobs[name]);
  expect(withEnvironment).toEqual(["apply"]);
  expect(jobs.apply.needs).toBe("changes");
  expect(read(workflowFile).match(/^[^#]*production/gm)).toHaveLength(1);
});

test("the parser of GitHub accepts the workflow with two environments, as the guide shows it", async () => {
  const guide = read("docs/ci.md");
  const [top = ""] = /IVRCTL_ENVIRONMENT: staging,production/.exec(guide) ?? [];
  expect(top).not.toBe("");
  const workflow = read(workflowFile).replace(/IVRCTL_ENVIRONMENT: .*/, top);
  expect(parse(workflow).jobs.apply.strategy["max-parallel"]).toBe(1);
  expect(await workflowErrors(workflow)).toEqual([]);
});

test.each([
  [workflowFile, /^ {4}timeout-minutes: \d+/gm, 4],
  ["templates/gitlab/.gitlab/ivrctl.yml", /^ {2}timeout: \d+/gm, 2],
])("%s limits the time of every job", (file, limit, count) => {
  expect(read(file).match(limit)).toHaveLength(count);
});

test("pull requests for other branches than the default one get no plan", () => {
  expect(parse(read(workflowFile)).on.pull_request).toEqual({ branches: ["main"] });
  expect(read(gitlabFile)).toContain(
    'merge_request_event" && $CI_MERGE_REQUEST_TARGET_BRANCH_NAME == $CI_DEFAULT_BRANCH',
  );
});

test("the image of GitLab is pinned", () => {
  expect(read(gitlabFile)).toMatch(/^ {2}image: \S+@sha256:[0-9a-f]{64}$/m);
});

test("a new project ignores what npm installs", () => {
  expect(read("templates/project/gitignore")).toMatch(/^node_modules\/$/m);
});

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
