import { readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";

/** The variables of a job for a push on each platform. */
function variables(workspace: string): Readonly<Record<"github" | "gitlab", Variables>> {
  const event = join(folder({}), "event.json");
  writeFileSync(event, JSON.stringify({ repository: { default_branch: "main" } }));
  const address = "http://127.0.0.1:9";
  return {
    github: {
      GITHUB_ACTIONS: "true",
      GITHUB_ACTOR: "asha",
      GITHUB_API_URL: address,
      GITHUB_EVENT_NAME: "push",
      GITHUB_EVENT_PATH: event,
      GITHUB_REF: "refs/heads/main",
      GITHUB_REPOSITORY: "acme/phone",
      GITHUB_RUN_ID: "1",
      GITHUB_SERVER_URL: address,
      GITHUB_SHA: "0".repeat(40),
      GITHUB_TOKEN: "ghs_t0ken",
      GITHUB_WORKFLOW_REF: "acme/phone/.github/workflows/ivrctl.yml@refs/heads/main",
      GITHUB_WORKSPACE: workspace,
    },
    gitlab: {
      GITLAB_CI: "true",
      GITLAB_USER_LOGIN: "asha",
      CI_API_V4_URL: address,
      CI_COMMIT_BRANCH: "main",
      CI_COMMIT_SHA: "0".repeat(40),
      CI_DEFAULT_BRANCH: "main",
      CI_JOB_ID: "1",
      CI_JOB_URL: `${address}/1`,
      CI_PROJECT_DIR: workspace,
      CI_PROJECT_ID: "7",
      CI_SERVER_URL: address,
      IVRCTL_GITLAB_TOKEN: "glpat-t0ken",
    },
  };
}

type Variables = Record<string, string>;

/** The variables that may be missing. */
const optional = new Set(["GITHUB_ACTIONS", "GITHUB_EVENT_NAME", "GITHUB_REF", "GITLAB_CI"]);

async function apply(cwd: string, env: Variables, ...args: readonly string[]) {
  const run = await ivrctl(["ci", "apply", ...args], { cwd, env });
  return { exit: run.exit, log: (run.stdout + run.stderr).replaceAll(/\s+/g, " ") };
}

describe("a job", () => {
  test("needs GitHub or GitLab", async () => {
    const { exit, log } = await apply(folder({}), {}, "--env", "production");
    expect([exit, log]).toEqual([1, expect.stringContaining("IVR680")]);
    expect(log).toContain("This command works only in a GitHub or GitLab pipeline.");
  });

  test.each(["github", "gitlab"] as const)(
    "on %s names a variable that is not set",
    async (kind) => {
      const cwd = folder({ "ivrctl.yaml": "" });
      const all = variables(cwd)[kind];
      for (const name of Object.keys(all).filter((variable) => !optional.has(variable))) {
        const { [name]: _, ...rest } = all;
        const { exit, log } = await apply(cwd, rest, "--env", "production");
        expect({ name, exit }).toEqual({ name, exit: 1 });
        if (name.endsWith("BRANCH")) expect(log).toContain("Only the default branch,");
        else expect(log).toContain(name);
        expect(log).toContain("IVR680");
      }
    },
  );

  test.each(["github", "gitlab"] as const)("on %s needs an environment", async (kind) => {
    const cwd = folder({ "ivrctl.yaml": "" });
    const { exit, log } = await apply(cwd, variables(cwd)[kind]);
    expect([exit, log]).toEqual([1, expect.stringContaining("No environment is chosen.")]);
  });

  test("refuses a folder outside of the checkout", async () => {
    const { github } = variables(folder({}));
    const { exit, log } = await apply(folder({}), github, "--env", "production");
    expect([exit, log]).toEqual([1, expect.stringContaining("is not in the repository")]);
  });

  test.each(["pull-request", "apply", "check"])(
    "%s fails if the folder of the pipeline has no project",
    async (command) => {
      for (const kind of ["github", "gitlab"] as const) {
        const cwd = folder({ "desk/ivrctl.yaml": "", "other/menu.yaml": "" });
        const env = variables(cwd)[kind];
        for (const directory of ["other", "."]) {
          const args = ["ci", command, "--env", "production", "-C", directory];
          const { exit, stderr, stdout } = await ivrctl(args, { cwd, env });
          const log = (stdout + stderr).replaceAll(/\s+/g, " ");
          const shown = directory === "." ? "." : "other/";
          expect([exit, log]).toEqual([
            1,
            expect.stringContaining(`The folder ${shown} of the repository has no ivrctl.yaml.`),
          ]);
          expect(log).toContain("Set IVRCTL_DIRECTORY");
        }
      }
    },
  );

  test("refuses to send the token to an address without encryption", async () => {
    const cwd = folder({ "ivrctl.yaml": "" });
    const env = { ...variables(cwd).github, GITHUB_API_URL: "http://api.example" };
    const { exit, log } = await apply(cwd, env, "--env", "production");
    expect([exit, log]).toEqual([1, expect.stringContaining("GITHUB_API_URL")]);
  });

  test.each(["../production", "a/b", "..", "$(id)"])(
    "refuses an environment with the name %s",
    async (name) => {
      const cwd = folder({ "ivrctl.yaml": "" });
      const { exit, log } = await apply(cwd, variables(cwd).github, "--env", `staging,${name}`);
      expect([exit, log]).toEqual([1, expect.stringContaining("IVR680")]);
      expect(log).toContain(`${name} cannot be the name of an environment.`);
      expect(readdirSync(cwd)).toEqual(["ivrctl-ci", "ivrctl.yaml"]);
    },
  );

  test("finds the project if the platform names its folder by a link", async () => {
    const cwd = folder({ "desk/ivrctl.yaml": "" });
    const link = join(folder({}), "link");
    symlinkSync(cwd, link);
    const env = { ...variables(link).github, GITHUB_REF: "refs/heads/other" };
    const { log } = await apply(join(cwd, "desk"), env, "--env", "production");
    expect(log).toContain("Only the default branch, main, can be applied.");
  });

  test.each([
    ["github", "The event push has no pull request."],
    ["gitlab", "This pipeline does not belong to a merge request."],
  ] as const)("on %s reviews only a change", async (kind, words) => {
    const cwd = folder({ "ivrctl.yaml": "" });
    const args = ["ci", "pull-request", "--env", "production"];
    const { exit, stderr } = await ivrctl(args, { cwd, env: variables(cwd)[kind] });
    expect([exit, stderr]).toEqual([1, expect.stringContaining(words)]);
    expect(stderr).toContain("IVR680");
  });

  test("shows the problem on the page of the run, and never the token", async () => {
    const cwd = folder({ "ivrctl.yaml": "" });
    const summary = join(folder({}), "summary.md");
    const env = { ...variables(cwd).github, GITHUB_STEP_SUMMARY: summary };
    const { exit, log } = await apply(cwd, env, "--env", "production", "--run", "one");
    expect([exit, log]).toEqual([1, expect.stringContaining("IVR682")]);
    const page = readFileSync(summary, "utf8");
    expect(page).toBe("```text\n`--run` must be the id or the address of a run.\n```\n\n");
    expect(log + page).not.toContain("t0ken");
  });
});
