import { readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { workflowErrors } from "../support/ci/parser.ts";
import { folder, ivrctl as ivrctlProcess } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import {
  contents,
  git,
  lockFile,
  madeIn,
  packaged,
  projectFiles,
  repository,
} from "../support/init.ts";
import { atTerminal } from "../support/terminal.ts";

/** A repository whose lock file pins ivrctl. */
const pinned = { "package-lock.json": lockFile("ivrctl") };
const pipelines = {
  github: [".github/workflows/ivrctl.yml"],
  gitlab: [".gitlab-ci.yml", ".gitlab/ivrctl.yml"],
  none: [],
};

/** The platform whose files a run without --ci writes. */
async function guessed(cwd: string): Promise<string | undefined> {
  const { created } = madeIn((await ivrctl(["init"], { cwd })).stdout);
  return Object.entries(pipelines).find(
    ([, files]) => String(files) === String(created.filter((file) => /git(?:hub|lab)/.test(file))),
  )?.[0];
}

describe("pipeline files", () => {
  test.each(Object.entries(pipelines))(
    "are written by --ci %s, and a second run writes nothing",
    async (ci, files) => {
      const cwd = folder(pinned);
      const run = async () => {
        const { exit, stdout } = await ivrctl(["init", "--ci", ci], { cwd });
        return { exit, ...madeIn(stdout) };
      };
      expect(await run()).toMatchObject({
        exit: 0,
        created: [...projectFiles, ...files],
        kept: [],
      });
      const before = contents(cwd);
      expect(await run()).toMatchObject({
        exit: 0,
        created: [],
        kept: [...projectFiles, ...files],
      });
      expect(contents(cwd)).toEqual(before);
    },
  );

  test("keep the expressions of the platform", async () => {
    const cwd = folder(pinned);
    await ivrctlProcess(["init", "--ci", "github"], { cwd, bundle: packaged() });
    expect(readFileSync(join(cwd, ".github/workflows/ivrctl.yml"), "utf8")).toBe(
      "environment: production\nsteps:\n  - run: npm ci\n  - uses: ./node_modules/ivrctl\n    with:\n      environment: production\n      run: ${{ inputs.run }}\n",
    );
  });

  test("can be added as --ci none says, which says it once", async () => {
    const cwd = folder(pinned);
    const none = ["init", "--ci", "none"];
    expect((await ivrctl(none, { cwd })).stderr).toContain(
      "To add them later, remove the `#` before `state:` in ivrctl.yaml and run one of these:\n  ivrctl init --ci github\n",
    );
    expect((await ivrctl(none, { cwd })).stderr).not.toContain("pipeline");
    const config = join(cwd, "ivrctl.yaml");
    writeFileSync(config, readFileSync(config, "utf8").replace("# state:", "state:"));
    expect((await ivrctl(["init", "--ci", "github"], { cwd })).exit).toBe(0);
  });

  test("can be added later, and existing files are kept and reported", async () => {
    const cwd = folder({ ...pinned, ".gitlab-ci.yml": "stages: [mine]\n" });
    await ivrctl(["init", "--ci", "none"], { cwd });
    const config = join(cwd, "ivrctl.yaml");
    writeFileSync(config, readFileSync(config, "utf8").replace("# state: {", "state: {"));
    const added = await ivrctlProcess(["init", "--ci", "gitlab"], { cwd, bundle: packaged() });
    const { exit, stdout, stderr } = added;
    expect(exit).toBe(0);
    expect(stdout).toContain("created  .gitlab/ivrctl.yml\n");
    expect(stdout).toContain("kept     .gitlab-ci.yml\n");
    expect(stderr).toContain(`.gitlab-ci.yml already exists. Add these lines to it:

  include:
    - local: .gitlab/ivrctl.yml
  variables:
    IVRCTL_DIRECTORY: "." # where

Next:`);
    expect(readFileSync(join(cwd, ".gitlab-ci.yml"), "utf8")).toBe("stages: [mine]\n");
  });

  test("are at the top of the repository, and refer to the project", async () => {
    const top = folder(pinned);
    repository(top);
    const run = { cwd: top, bundle: packaged() };
    const { exit, stdout } = await ivrctlProcess(
      ["init", "-C", "phones/pune-1", "--ci", "github"],
      run,
    );
    expect(exit).toBe(0);
    expect(madeIn(stdout).created).toContain("../../.github/workflows/ivrctl.yml");
    const text = readFileSync(join(top, ".github/workflows/ivrctl.yml"), "utf8");
    expect(text).toContain(
      "    with:\n      environment: production\n      directory: phones/pune-1\n      run:",
    );
    expect(text.match(/directory:/g)).toHaveLength(1);
    await ivrctlProcess(["init", "-C", "b", "--ci", "gitlab"], run);
    const variables = readFileSync(join(top, ".gitlab-ci.yml"), "utf8");
    expect(variables).toContain('\n  IVRCTL_DIRECTORY: "b" # where\n');
  });

  const real = join(import.meta.dirname, "../../templates");
  test.each(readdirSync(real).filter((name) => name !== "project"))(
    "have the folder filled in: %s",
    async (ci) => {
      const top = folder(pinned);
      repository(top);
      const { exit, stdout } = await ivrctl(["init", "-C", "phones", "--ci", ci], { cwd: top });
      expect(exit).toBe(0);
      const { created } = madeIn(stdout);
      const texts = created
        .filter((file) => file.startsWith("../"))
        .map((file) => readFileSync(join(top, "phones", file), "utf8"));
      expect(texts).not.toEqual([]);
      expect(texts.join("\n")).toMatch(/DIRECTORY: "phones"|^ +directory: phones$/m);
      expect(texts.join("\n")).not.toMatch(/(?<!\$)\{\{/);
    },
  );

  test("of another project in the same repository are kept and reported", async () => {
    const mine = "steps:\n  - uses: ./node_modules/ivrctl\n";
    const top = folder({ ...pinned, ".github/workflows/ivrctl.yml": mine });
    repository(top);
    const args = ["init", "-C", "b", "--ci", "github"];
    const { exit, stderr } = await ivrctl(args, { cwd: top });
    expect(exit).toBe(0);
    expect(stderr).toContain("../.github/workflows/ivrctl.yml already exists. Check that it also");
    expect(readFileSync(join(top, ".github/workflows/ivrctl.yml"), "utf8")).toBe(mine);
  });

  test("that do not run ivrctl are kept and reported, every time", async () => {
    const github = folder({
      ...pinned,
      ".github/workflows/ivrctl.yml": "name: x # node_modules/ivrctl\n",
    });
    const gitlab = folder({ ...pinned, ".gitlab-ci.yml": "stages: [mine]\n" });
    for (let run = 0; run < 2; run += 1) {
      const one = await ivrctl(["init", "--ci", "github"], { cwd: github });
      expect(one.stderr.replaceAll("\n", " ")).toContain(
        ".github/workflows/ivrctl.yml already exists and does not run ivrctl. Rename it, then run:   ivrctl init --ci github",
      );
      const other = await ivrctl(["init", "--ci", "gitlab"], { cwd: gitlab });
      expect(other.stderr).toContain(".gitlab-ci.yml already exists. Add these lines to it:");
    }
    writeFileSync(join(gitlab, ".gitlab-ci.yml"), "include:\n  - local: .gitlab/ivrctl.yml\n");
    const { stderr } = await ivrctl(["init", "--ci", "gitlab"], { cwd: gitlab });
    expect(stderr).not.toContain("Add these lines");
  });

  test("are refused if their folder is a link", async () => {
    const cwd = folder({ ...pinned, "hub/workflows/ivrctl.yml": "uses: ./node_modules/ivrctl\n" });
    symlinkSync("hub", join(cwd, ".github"));
    const { exit, stderr } = await ivrctl(["init", "--ci", "github"], { cwd });
    expect([exit, stderr]).toEqual([1, expect.stringContaining(".github is a symbolic link")]);
  });

  test("are left out without --ci if they cannot refer to the folder", async () => {
    const top = folder(pinned);
    repository(top, { origin: "git@gitlab.com:a/b" });
    const made = await ivrctl(["init", "-C", "sub dir/ph"], { cwd: top });
    expect(made.exit).toBe(0);
    expect(made.stdout).toContain("created  ivrctl.yaml\n");
    expect(made.stderr).toContain("No pipeline files written. Pipeline files cannot refer to");
    expect(Object.keys(contents(top)).filter((name) => name.includes("gitlab"))).toEqual([]);
  });

  test.each(["a b", "${{ secrets.X }}", "x:\ny", "-rf", "it's", "पुणे"])(
    "are refused for a folder called %j, and nothing is written",
    async (name) => {
      const top = folder(pinned);
      repository(top);
      const run = (ci: string) => ivrctl(["init", `--directory=${name}`, "--ci", ci], { cwd: top });
      const { exit, stderr } = await run("github");
      expect([exit, stderr]).toEqual([1, expect.stringContaining("IVR660")]);
      expect(contents(top)).toEqual(pinned);
      expect((await run("none")).exit).toBe(0);
    },
  );

  test.each<[string, Record<string, string>, Record<string, string>, string]>([
    ["no remote and no files", {}, {}, "none"],
    ["https", { origin: "https://github.com/a/b.git" }, {}, "github"],
    ["a user and a port", { origin: "ssh://git@gitlab.example.org:2222/a/b.git" }, {}, "gitlab"],
    ["the short form", { origin: "git@github.example.org:a/b.git" }, {}, "github"],
    ["only the host counts", { origin: "https://git.example.org/github/gitlab.git" }, {}, "none"],
    ["a path", { origin: "/srv/github/a.git" }, {}, "none"],
    ["two platforms", { a: "git@github.com:a/b", b: "git@gitlab.com:a/b" }, {}, "none"],
    ["a folder", {}, { ".github/CODEOWNERS": "" }, "github"],
    [
      "the remote before the files",
      { origin: "git@gitlab.com:a/b" },
      { ".github/x": "" },
      "gitlab",
    ],
    ["files of both platforms", {}, { ".github/x": "", ".gitlab/x": "" }, "none"],
  ])("without --ci, are those of the likely platform: %s", async (_, remotes, files, expected) => {
    const cwd = folder({ ...pinned, ...files });
    repository(cwd, remotes);
    expect(await guessed(cwd)).toBe(expected);
  });

  test("without --ci, are written next to an existing pipeline", async () => {
    const cwd = folder({ ...pinned, ".gitlab-ci.yml": "" });
    const { stdout } = await ivrctl(["init"], { cwd });
    expect(stdout).toContain("created  .gitlab/ivrctl.yml");
  });
});

describe("the branch that is applied", () => {
  const branches = (cwd: string) =>
    /branches: .*?\]/.exec(readFileSync(join(cwd, ".github/workflows/ivrctl.yml"), "utf8"))?.[0];

  test("is the current branch", async () => {
    const cwd = folder(pinned);
    git(cwd, "init", "-q", "-b", "trunk");
    await ivrctl(["init", "--ci", "github"], { cwd });
    expect(branches(cwd)).toBe('branches: ["trunk"]');
  });

  test("is the default branch of the remote, also from another branch", async () => {
    const cwd = folder(pinned);
    git(cwd, "init", "-q", "-b", "change");
    git(cwd, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop");
    await ivrctl(["init", "--ci", "github"], { cwd });
    expect(branches(cwd)).toBe('branches: ["develop"]');
  });

  test("is main if git knows no branch, or if the name of the branch would be a pattern", async () => {
    const cwd = folder(pinned);
    await ivrctl(["init", "--ci", "github"], { cwd });
    expect(branches(cwd)).toBe('branches: ["main"]');
    const odd = folder(pinned);
    git(odd, "init", "-q", "-b", "a+b");
    await ivrctl(["init", "--ci", "github"], { cwd: odd });
    expect(branches(odd)).toBe('branches: ["main"]');
  });
});

describe("the environment that is applied", () => {
  const service = (url: string, token: string) =>
    `{ service: { base_url: "${url}", token: ${token} }, state: { backend: git } }`;
  const configOf = (environments: Readonly<Record<string, string>>) =>
    `version: 1\nenvironments:\n${Object.entries(environments)
      .map(([name, text]) => `  ${name}: ${text}\n`)
      .join("")}`;
  const one = {
    test: "{ service: sandbox }",
    prod: service("https://x.example", '"${T}"'),
  };

  async function made(environments: Readonly<Record<string, string>>, ...args: string[]) {
    const lock = lockFile("ivrctl", "pg", "@aws-sdk/client-s3");
    const cwd = folder({ "ivrctl.yaml": configOf(environments), "package-lock.json": lock });
    const ran = await ivrctl(["init", ...args], { cwd });
    return { ...ran, stderr: ran.stderr.replaceAll(/\s+/g, " "), files: contents(cwd) };
  }

  test("is that of the project, with its variables: GitHub", async () => {
    const { exit, stderr, files } = await made(one, "--ci", "github");
    expect(exit).toBe(0);
    expect(stderr).toContain(
      "The pipeline applies to the environment prod. On GitHub, set the secret T.",
    );
    const text = files[".github/workflows/ivrctl.yml"] ?? "";
    expect(text).not.toMatch(/TELEPHONY|production/);
    expect(text.match(/^ +env:\n +T: \$\{\{ secrets\.T \}\}\n/gm)).toHaveLength(3);
    expect(text.match(/^ +environment: prod\b/gm)).toHaveLength(4);
    expect(await workflowErrors(text)).toEqual([]);
  });

  test("is that of the project: GitLab", async () => {
    const { exit, stderr, files } = await made(one, "--ci", "gitlab");
    expect(exit).toBe(0);
    expect(stderr).toContain(
      "The pipeline applies to the environment prod. On GitLab, set the secret T.",
    );
    expect(files[".gitlab-ci.yml"]).toContain("IVRCTL_ENVIRONMENT: prod\n");
    expect(files[".gitlab/ivrctl.yml"]).toContain("project: T, and IVRCTL_GITLAB_TOKEN");
  });

  test("gets exactly the variables that it reads", async () => {
    const environments = {
      a: `{ service: { base_url: "https://\${HOST}/\${T}", token: "\${T}", timeout: "\${WAIT}" }, state: { backend: git }, recordings: { r: "\${R}" } }`,
      b: service("https://b.example", '{ command: [vault, "read"] }'),
      "1.0": service("${GITHUB_SERVER_URL}", '{ command: [vault, "${ROLE}"] }'),
    };
    const first = await made(environments, "--ci", "github", "--env", "a");
    expect(first.stderr).toContain("On GitHub, set the variables HOST, WAIT, R and the secret T.");
    const second = await made(environments, "--ci", "github", "--env", "b");
    expect(second.stderr).toContain("The pipeline applies to the environment b. ");
    const text = second.files[".github/workflows/ivrctl.yml"] ?? "";
    expect(text).not.toMatch(/^ +env:/m);
    expect(await workflowErrors(text)).toEqual([]);
    const third = await made(environments, "--ci", "github", "--env", "1.0");
    const odd = third.files[".github/workflows/ivrctl.yml"] ?? "";
    expect(odd).toContain('environment: "1.0"\n');
    expect(odd).toMatch(/^ +env:\n +ROLE: \$\{\{ secrets\.ROLE \}\}\n/m);
    expect(odd).not.toContain("GITHUB_SERVER_URL");
  });

  const shared = {
    prod: `{ service: { base_url: "https://x.example", token: "\${T}" }, state: { backend: postgres, url: "\${STATE_URL}", schema: "\${S}" } }`,
  };

  test("uses its shared state store: GitHub", async () => {
    const { exit, stderr, files } = await made(shared, "--ci", "github");
    expect(exit).toBe(0);
    expect(stderr).toContain("On GitHub, set the variable S and the secrets T, STATE_URL.");
    const text = files[".github/workflows/ivrctl.yml"] ?? "";
    expect(text.match(/^ +STATE_URL: \$\{\{ secrets\.STATE_URL \}\}\n/gm)).toHaveLength(3);
    expect(text.match(/^ +S: \$\{\{ vars\.S \}\}\n/gm)).toHaveLength(3);
    // The job cannot push to the repository.
    expect(text).not.toContain("contents: write");
    expect(await workflowErrors(text)).toEqual([]);
  });

  test("uses its shared state store: GitLab", async () => {
    const { exit, stderr, files } = await made(shared, "--ci", "gitlab");
    expect(exit).toBe(0);
    expect(stderr).toContain("On GitLab, set the variable S and the secrets T, STATE_URL.");
    const jobs = files[".gitlab/ivrctl.yml"] ?? "";
    expect(jobs).toContain("project: T, STATE_URL, and IVRCTL_GITLAB_TOKEN, a project");
    expect(jobs).toContain("with the scope api and the role Developer");
  });

  test("gets the AWS keys as secrets if its state is in S3", async () => {
    const bucket = {
      prod: `{ service: { base_url: "https://x.example", token: "\${T}" }, state: { backend: s3, bucket: "\${B}", region: eu-west-1 } }`,
    };
    const { exit, stderr, files } = await made(bucket, "--ci", "github");
    expect(exit).toBe(0);
    expect(stderr).toContain("AWS_ACCESS_KEY_ID");
    const text = files[".github/workflows/ivrctl.yml"] ?? "";
    expect(text.match(/^ +B: \$\{\{ vars\.B \}\}\n/gm)).toHaveLength(3);
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) {
      const lines = text.match(
        new RegExp(`^ +${name}: \\$\\{\\{ secrets\\.${name} \\}\\}\\n`, "gm"),
      );
      expect(lines).toHaveLength(3);
    }
    expect(await workflowErrors(text)).toEqual([]);
  });

  test("can push to the repository if a variable sets the backend", async () => {
    const state = 'state: { backend: "${WHERE}" }';
    const own = {
      prod: `{ service: { base_url: "https://x.example", token: "\${T}" }, ${state} }`,
    };
    const { files } = await made(own, "--ci", "github");
    expect(files[".github/workflows/ivrctl.yml"]).toContain("contents: write");
  });

  test("is refused if its state is a file", async () => {
    const own = { prod: '{ service: { base_url: "https://x.example", token: "${T}" } }' };
    const { exit, stderr, files } = await made(own, "--ci", "github");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("IVR683")]);
    expect(stderr).toContain("Write `state: { backend: git }` under `prod`.");
    expect(files).not.toHaveProperty(".github/workflows/ivrctl.yml");
  });

  const two = {
    a: service("https://a.example", '"${A}"'),
    b: service("https://b.example", '"${B}"'),
  };
  test.each<[string, Readonly<Record<string, string>>, readonly string[], string]>([
    ["several", two, [], "ivrctl.yaml has several: a, b."],
    [
      "none with a real service",
      { a: "{ service: sandbox }" },
      [],
      "ivrctl.yaml has no environment with a real service",
    ],
    [
      "a missing one",
      two,
      ["--env", "c"],
      "cannot apply to c: it is not an environment with a real service. ",
    ],
    [
      "the sandbox",
      one,
      ["--env", "test"],
      "cannot apply to test: it is not an environment with a real service. ",
    ],
  ])("%s: --ci github writes nothing", async (_, environments, args, words) => {
    const asked = await made(environments, "--ci", "github", ...args);
    expect(asked.exit).toBe(1);
    expect(asked.stderr).toContain("IVR660");
    expect(asked.stderr).toContain(words);
    expect(Object.keys(asked.files)).toEqual(["ivrctl.yaml", "package-lock.json"]);
    const unasked = await made(environments, ...args);
    expect([unasked.exit, unasked.stderr]).toEqual([0, expect.stringContaining(words)]);
  });
});

describe("the packages that a pipeline installs", () => {
  const outside = {
    "node_modules/ivrctl": { resolved: "file:../ivrctl.tgz", integrity: "sha512-A" },
  };
  test.each<[string, Readonly<Record<string, string>>]>([
    ["there is no lock file", {}],
    ["the lock file is invalid", { "package-lock.json": "{" }],
    ["ivrctl is not in it", { "package-lock.json": lockFile("pg") }],
    [
      "it is outside the repository",
      { "package-lock.json": JSON.stringify({ packages: outside }) },
    ],
  ])("must be pinned: %s", async (_, files) => {
    const cwd = folder(files);
    const asked = await ivrctl(["init", "--ci", "github"], { cwd });
    expect([asked.exit, asked.stderr]).toEqual([1, expect.stringContaining("IVR663")]);
    expect(contents(cwd)).toEqual(files);
    repository(cwd, { origin: "https://github.com/a/b.git" });
    const unasked = await ivrctl(["init"], { cwd });
    expect(unasked.exit).toBe(0);
    expect(unasked.stderr).toContain("No pipeline files written.");
    expect(contents(cwd)).not.toHaveProperty(".github/workflows/ivrctl.yml");
  });

  test("include the driver of the store", async () => {
    const state = 'state: { backend: postgres, url: "${STATE_URL}" }';
    const config = `version: 1\nenvironments:\n  prod: { service: { base_url: "https://x.example", token: "\${T}" }, ${state} }\n`;
    const cwd = folder({ ...pinned, "ivrctl.yaml": config });
    const { exit, stderr } = await ivrctl(["init", "--ci", "github"], { cwd });
    expect([exit, stderr]).toEqual([1, expect.stringContaining("npm install --save-dev pg")]);
  });

  test("can be those of a project in a folder", async () => {
    const top = folder({ "phones/package-lock.json": lockFile("ivrctl") });
    repository(top);
    await ivrctl(["init", "-C", "phones", "--ci", "github"], { cwd: top });
    await ivrctl(["init", "-C", "phones", "--ci", "gitlab"], { cwd: top });
    const files = contents(top);
    const workflow = files[".github/workflows/ivrctl.yml"] ?? "";
    expect(workflow.match(/run: npm ci --prefix phones\n/g)).toHaveLength(3);
    expect(workflow.match(/uses: \.\/phones\/node_modules\/ivrctl\n/g)).toHaveLength(3);
    expect(await workflowErrors(workflow)).toEqual([]);
    expect(files[".gitlab-ci.yml"]).toContain('IVRCTL_INSTALL: "phones"');
  });
});

test("a new project with a pipeline keeps its state on a branch", async () => {
  const cwd = folder(pinned);
  await ivrctl(["init", "--ci", "gitlab"], { cwd });
  const { environments } = parse(readFileSync(join(cwd, "ivrctl.yaml"), "utf8"));
  expect(environments.production.state).toEqual({ backend: "git" });
  const without = folder(pinned);
  await ivrctl(["init", "--ci", "none"], { cwd: without });
  expect(
    parse(readFileSync(join(without, "ivrctl.yaml"), "utf8")).environments.production,
  ).not.toHaveProperty("state");
});

describe("at a terminal", () => {
  const ask = (cwd: string, answers: readonly string[], ...args: string[]) =>
    atTerminal({ cwd, args: ["init", ...args], answers, prompt: "]: " });

  test("asks for the platform; Enter accepts the default, and a wrong answer repeats the question", async () => {
    const cwd = folder({});
    repository(cwd);
    const { exit, screen } = await ask(cwd, ["svn\n", "\n"]);
    expect(exit).toBe(0);
    expect(screen).toContain("Which platform runs your pipeline? github, gitlab, none [none]: ");
    expect(screen).toContain("Type one of github, gitlab, none [none]: ");
    expect(Object.keys(contents(cwd))).toEqual([...projectFiles].sort());
  });

  test.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("%s at the question exits with 130 and writes nothing", async (_, key) => {
    const cwd = folder({});
    const { exit, screen } = await ask(cwd, [key]);
    expect(exit).toBe(130);
    expect(screen).toContain("Nothing was written.");
    expect(contents(cwd)).toEqual({});
  });

  test("does not ask with --ci or --quiet", async () => {
    for (const args of [["--ci", "none"], ["--quiet"]]) {
      const { exit, screen } = await ask(folder({}), [], ...args);
      expect([exit, screen]).toEqual([0, expect.not.stringContaining("Which platform")]);
    }
  });

  test("fits 40 columns", async () => {
    const { screen } = await atTerminal({
      cwd: folder({}),
      args: ["init", "--ci", "none"],
      columns: 40,
    });
    const plain = screen.replace(/\u001B\[\d+m/g, "").split("\r\n");
    expect(Math.max(...plain.map(({ length }) => length))).toBeLessThanOrEqual(40);
  });
});
