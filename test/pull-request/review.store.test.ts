import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { agent } from "../support/ci/agent.ts";
import { config, configFor, stage } from "../support/ci/stage.ts";
import { menu, token } from "../support/project.ts";
import { listen } from "../support/listen.ts";

const both = ["github", "gitlab"] as const;
const night = { "ivrs/night.yaml": menu("Night") };
const marker = {
  github: "<!-- ivrctl:plan:.github_workflows_ivrctl.yml -->",
  gitlab: "<!-- ivrctl:plan:pipeline -->",
};

/** The lines that GitHub reads as commands, except those around sections. */
function commandsIn(log: string): string[] {
  return log
    .split(/\r\n|\n|\r/)
    .filter((line) => /^\s*(?:::|##\[)/.test(line) && !/^::(?:end)?group::/.test(line));
}

describe.each(both)("a pull request on %s", (kind) => {
  test("from a fork shows the changes in the files, without a request to any server", async () => {
    const place = await stage(kind, { isInGit: true });
    place.commit("night", night);
    const pull = place.open("night", { isFork: true });
    // Changes on main are not part of the changes of the fork.
    place.commit("main", { "ivrs/noon.yaml": menu("Noon") });
    const secrets = { TELEPHONY_TOKEN: "", TELEPHONY_BASE_URL: "", IVRCTL_GITLAB_TOKEN: "" };
    const run = await place.review(pull, { env: secrets });
    expect(run).toMatchObject({ exit: 0 });
    expect(run.summary).toMatch(/### Changes since .*: 1 new/);
    expect(run.summary).toContain("because it comes from a fork");
    expect(run.summary).not.toContain("Noon");
    expect([place.api.asked, place.sandbox.requests, place.server.requests]).toEqual([[], [], 0]);

    place.merge(pull);
    const applied = await place.apply();
    expect(applied).toMatchObject({ exit: 1 });
    expect(applied.summary).toMatch(
      /(?:Pull|Merge) request 1 comes from a fork, so it has no plan\./,
    );
    expect(applied.summary).toContain("### Plan for production: 2 to create");
    expect(place.created()).toEqual([]);
    // Nobody can apply what the job of the fork left.
    const asked = await place.applyRun(run.id);
    expect([asked.exit, asked.log]).toEqual([1, expect.stringContaining("IVR682")]);
    expect(place.created()).toEqual([]);
  });

  test("with mistakes runs every check, and its plan does not count", async () => {
    const place = await stage(kind, { files: { "ivrs/day.yaml": menu("Day") } });
    const tests = "tests:\n  - { press: 1, reaches: Front Desk }\n";
    const pull = place.propose("night", {
      "ivrs/night.yaml": menu("Night", "Nobody").replace("name: ", "name:   "),
      "ivrs/day.yaml": menu("Day", "Asha Rao", tests),
    });
    const run = await place.review(pull);
    expect(run).toMatchObject({ exit: 1 });
    for (const name of ["fmt --check", "validate", "test", "plan"]) {
      expect(run.log).toMatch(new RegExp(`ivrctl ${name}`));
    }
    const body = place.comments(pull)[0]?.body ?? "";
    expect(body).toContain("### No plan for production: 1 error");
    expect(body.split("\n")[2]).toMatch(
      /^### Failed: ivrctl fmt --check, test of day “.*” \(ivrs\/day\.yaml.*8\), ivrctl validate --env production, ivrctl plan --env production$/,
    );
    if (kind === "github") {
      expect(commandsIn(run.log)).toEqual([
        expect.stringMatching(/^::error file=ivrs\/night\.yaml,line=4,.*title=.*IVR301/),
        expect.stringMatching(/^::error file=ivrs\/day\.yaml,line=8,title=A menu test failed::/),
      ]);
    } else {
      const quality = JSON.parse(String(run.files.get("codequality.json")));
      expect(quality).toMatchObject([
        {
          check_name: "IVR301",
          severity: "major",
          location: { path: "ivrs/night.yaml", lines: { begin: 4 } },
        },
      ]);
      expect(String(run.files.get("junit.xml"))).toContain("<failure");
    }
    place.merge(pull);
    const applied = await place.apply();
    expect(applied).toMatchObject({ exit: 1 });
    expect(place.result(pull)).toMatch(
      /It was merged although these failed in run \d+: ivrctl fmt .*test of day/,
    );
    expect(place.created()).toEqual([]);
  });

  test("with names that look like commands or Markdown shows them as text", async () => {
    const place = await stage(kind);
    const names = [
      "::error::owned",
      "::stop-commands::x",
      "##[set-env name=A;]b",
      "\\e[0Ksection_end:1:ivrctl_1\\r",
      "\\r::add-mask::e",
      "<!-- ivrctl:plan:pipeline -->",
      "</details># @all [x](http://evil.invalid) `a` <img src=x>",
    ];
    const files = names.map((name, at) => [
      `ivrs/m${at}.yaml`,
      menu(`"${name}\\n::warning::second line"`),
    ]);
    const { pull, planned, applied } = await place.ship("odd", Object.fromEntries(files));
    expect([planned.exit, applied.exit]).toEqual([0, 0]);
    expect(place.created()).toHaveLength(names.length);
    for (const { log } of [planned, applied]) {
      expect(commandsIn(log)).toEqual([]);
      const sections = log.match(/\u001B\[0Ksection_\w+:\d+:ivrctl_[\w-]+\r/g) ?? [];
      expect(sections).toHaveLength(kind === "gitlab" ? (log === planned.log ? 8 : 2) : 0);
    }
    expect(place.comments(pull)).toHaveLength(2);
    for (const { body } of place.comments(pull)) {
      const text = body.replaceAll(/^ *(`{3,})[^]*?^ *\1$/gm, "");
      expect(text).not.toMatch(/^::|<img|@all|\]\(http|^# /m);
      const isResult = text.includes("<!-- ivrctl:memory ");
      expect(text.match(/<!--/g)).toHaveLength(isResult ? 2 : 1);
    }
  });

  test("needs no token, and updates its own comment only", async () => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    const strange = [`${marker[kind]}\n\nAll is well`, "First!", "Second!"].map((body, at) => ({
      id: 100 + at,
      pull: 1,
      by: "a stranger" as const,
      body,
    }));
    const quote = { id: 200, pull: 1, by: "the pipeline" as const, body: `> ${marker[kind]}` };
    place.world.comments.push(...structuredClone([...strange, quote]));
    // The jobs have no token of the service.
    expect(await place.review(pull)).toMatchObject({ exit: 0 });
    expect(await place.review(pull)).toMatchObject({ exit: 0 });
    expect(place.sandbox.requests).toEqual([]);
    expect(place.world.comments.slice(0, 4)).toEqual([...strange, quote]);
    expect(place.world.comments).toHaveLength(5);
    const writes = place.api.asked.filter(({ method }) => method !== "GET");
    expect(
      writes.filter(({ path }) => !path.includes("statuses")).map((one) => one.method),
    ).toEqual(["POST", kind === "github" ? "PATCH" : "PUT"]);
  });
});

describe("a pull request", () => {
  test("that touches nothing of ivrctl asks no server, and corrects an old comment", async () => {
    const place = await stage("github", { isInGit: true });
    const pull = place.propose("night", { "README.md": "Phone menus\n" });
    expect(await place.review(pull)).toMatchObject({ exit: 0 });
    expect([place.sandbox.requests, place.server.requests]).toEqual([[], 0]);
    expect(place.comments(pull)).toEqual([]);

    place.commit("night", night);
    const { files } = await place.review(pull);
    expect(place.comments(pull)[0]?.body).toContain("1 to create");
    expect(place.comments(pull)[0]?.body).toContain(">preview</a>");
    // The page compares the menus with the target branch.
    expect(files.get("preview.production.html")?.toString()).toContain('"change":{"kind":"new"');
    place.commit("night", { "ivrs/night.yaml": null });
    const asked = place.sandbox.requests.length;
    const last = await place.review(pull);
    expect(last).toMatchObject({ exit: 0 });
    expect(last.log).toContain("This change touches no menu, configuration or agent file.");
    expect(place.sandbox.requests).toHaveLength(asked);
    expect(place.comments(pull)).toHaveLength(1);
    expect(place.comments(pull)[0]?.body).toContain("### No changes");
    expect(place.comments(pull)[0]?.body).toContain(pull.head);
  });

  test("that changes nothing for callers gets no comment", async () => {
    const place = await stage("gitlab");
    const changes = { "ivrctl.yaml": `# The phone menus\n${config}` };
    const { pull, planned, applied } = await place.ship("words", changes);
    expect([planned.exit, applied.exit]).toEqual([0, 0]);
    expect(applied.summary).toContain("Nothing to apply to production.");
    expect(place.comments(pull)).toEqual([]);
  });
});

describe.each(both)("the comment with the plan on %s", (kind) => {
  test("is not overwritten by an older run, nor after the merge", async () => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    await place.review(pull);
    const first = pull.head;
    place.commit("night", { "ivrs/late.yaml": menu("Late") });
    await place.review(pull);
    const newest = place.comments(pull)[0]?.body;
    const old = await place.review(pull, { head: first });
    expect(old).toMatchObject({ exit: 0 });
    expect(old.log).toContain(`This run is old: it checked commit ${first}`);
    expect(place.comments(pull).map(({ body }) => body)).toEqual([newest]);

    place.merge(pull);
    expect(await place.apply()).toMatchObject({ exit: 0 });
    const late = await place.review(pull);
    expect(late).toMatchObject({ exit: 0 });
    expect(late.log).toContain("The plan that was reviewed stays as it is.");
    expect([...late.files.keys()].filter((name) => name.startsWith("plan."))).toEqual([]);
    expect(place.comments(pull)[0]?.body).toBe(newest);
    // Nor is the plan itself.
    expect(await place.apply({ before: pull.base })).toMatchObject({ exit: 0 });
    expect(place.result(pull)).toContain("### Applied (production)");
  });

  test("is outdated from the start of the next job, which may be lost, and after its failure", async () => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    await place.review(pull);
    place.commit("night", { "ivrs/late.yaml": menu("Late") });
    let writes = 0;
    place.api.fault = ({ method }) =>
      method !== "GET" && (writes += 1) > 1 ? { status: 403 } : undefined;
    expect(await place.review(pull)).toMatchObject({ exit: 1 });
    const outdated = "This plan is outdated: a newer commit is being checked.";
    expect(place.comments(pull)[0]?.body).toContain(outdated);
    expect(place.comments(pull)[0]?.body).toContain("### Plan for production: 1 to create");
    place.api.fault = () => undefined;
    expect(await place.review(pull)).toMatchObject({ exit: 0 });
    expect(place.comments(pull)[0]?.body).not.toContain("outdated");
    // After the merge, nothing marks or replaces it, even if a job of it fails.
    place.merge(pull);
    const reviewed = place.comments(pull)[0]?.body;
    place.commit("night", { "ivrctl.yaml": null });
    expect(await place.review(pull)).toMatchObject({ exit: 1 });
    expect(place.comments(pull)[0]?.body).toBe(reviewed);
  });

  test("names the rows of merged pull requests that are not applied yet", async () => {
    const place = await stage(kind);
    const merged = place.propose("night", night);
    await place.review(merged);
    place.merge(merged);
    const pull = place.propose("noon", { "ivrs/noon.yaml": menu("Noon") });
    await place.review(pull);
    const body = place.comments(pull)[0]?.body ?? "";
    expect(body).toMatch(
      /Not from this change: night \(from \w+ request 1, merged, not applied yet\)\./,
    );
    // Below the rows of this pull request.
    const rows = body.split("\n").filter((line) => line.startsWith("| N"));
    expect(rows).toEqual([
      expect.not.stringContaining("merged"),
      expect.stringMatching(/^\| Night .* <b>from \w+ request 1, merged, not applied yet<\/b>/),
    ]);
    expect(place.comments(merged)[0]?.body).not.toContain("Not from this change");
  });

  test("says why there is no plan, whatever the reason", async () => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    await place.review(pull);
    place.commit("night", {
      "ivrctl.yaml": config.replace(/state: .*/, "state: { backend: file }"),
    });
    expect(await place.review(pull)).toMatchObject({ exit: 1 });
    const [comment, ...more] = place.comments(pull);
    expect(more).toEqual([]);
    expect(comment?.body).toContain("### Failed: there is no plan");
    expect(comment?.body).toContain("The state of production is a file");
    expect(comment?.body).toContain("no older plan counts");
    expect(comment?.body).toContain(pull.head);
    place.commit("night", { "ivrctl.yaml": null });
    expect(await place.review(pull)).toMatchObject({ exit: 1 });
    expect(comment?.body).toContain("The folder . of the repository has no ivrctl.yaml.");
  });
});

test("a name that no environment can have is named in the comment", async () => {
  const place = await stage("github", { environments: "../production", begins: false });
  const pull = place.propose("night", night);
  const run = await place.review(pull);
  expect([run.exit, run.log]).toEqual([1, expect.stringContaining("IVR680")]);
  const body = place.comments(pull)[0]?.body.replaceAll(/<[^>]*>/g, "");
  expect(body).toContain("../production cannot be the name of an environment.");
});

test("several environments share a comment, and each is applied", async () => {
  const place = await stage("github", {
    environments: "staging,production",
    files: { "ivrctl.yaml": configFor("staging", "production") },
  });
  const { pull, applied } = await place.ship("night", night);
  expect(applied).toMatchObject({ exit: 0 });
  const [plan, ...results] = place.comments(pull).map(({ body }) => body);
  expect(plan).toMatch(/### Plan for staging: 1 to create[^]*### Plan for production: 1 to create/);
  expect(plan?.match(/<!--/g)).toHaveLength(1);
  expect(results).toEqual([
    expect.stringContaining("### Applied (staging)"),
    expect.stringContaining("### Applied (production)"),
  ]);
  expect(place.created()).toEqual(["Night", "Night"]);
  for (const name of ["staging", "production"]) {
    expect(place.events(name)).toContain("Night");
  }
  // One of the environments may have no state.
  const later = place.propose("later", { "ivrs/later.yaml": menu("Later") });
  await place.review(later);
  place.merge(later);
  expect(await place.apply()).toMatchObject({ exit: 0 });
  // If one fails, the environments after it are named.
  const other = place.propose("other", { "ivrs/other.yaml": menu("Other") });
  await place.review(other);
  place.merge(other);
  place.server.isDown = true;
  const failed = await place.apply();
  expect(failed.summary).toContain("Not applied yet, because staging failed: production.");
});

test.each(both)("a changed address gets no token on %s", async (kind) => {
  const headers: unknown[] = [];
  const other = createServer(({ headers: { authorization } }, response) => {
    headers.push(authorization);
    response.end("[]");
  });
  const port = await listen(other);
  const place = await stage(kind);
  expect((await place.ship("night", night)).applied).toMatchObject({ exit: 0 });
  const url = `http://127.0.0.1:${port}`;
  const pull = place.propose("steal", {
    "ivrctl.yaml": config.replace(/"\$\{TELEPHONY_BASE_URL\}"/, JSON.stringify(url)),
    "ivrs/day.yaml": menu("Day"),
  });
  const run = await place.review(pull);
  expect(run.log).toContain("IVR606");
  place.merge(pull);
  expect([run.exit, (await place.apply()).exit, (await place.check()).exit]).toEqual([1, 1, 1]);
  expect(headers).toEqual([]);
});

test("a pull request of Dependabot works without secrets", async () => {
  const place = await stage("github", { isInGit: true });
  const pull = place.propose("bump", { "package.json": "{}\n" });
  const env = { TELEPHONY_TOKEN: "", TELEPHONY_BASE_URL: "" };
  const run = await place.review(pull, { actor: "dependabot[bot]", env });
  expect(run).toMatchObject({ exit: 0 });
  expect(run.summary).toContain("because Dependabot opened it");
  expect([place.api.asked, place.sandbox.requests, place.server.requests]).toEqual([[], [], 0]);
});

test("the job of a merge queue checks and plans, but comments on nothing", async () => {
  const place = await stage("github");
  const pull = place.propose("night", night);
  const run = await place.queue(pull);
  expect(run).toMatchObject({ exit: 0 });
  expect(run.summary).toContain("### Plan for production: 1 to create");
  expect(place.api.asked.map(({ path }) => path)).toEqual([
    expect.stringMatching(/^\/repos\/acme\/phone\/statuses\/[0-9a-f]{40}$/),
  ]);
});

test("a pipeline of GitLab without merged results plans for the branch", async () => {
  const place = await stage("gitlab", { mergedResults: false, isInGit: true });
  const { applied } = await place.ship("night", night);
  expect(applied).toMatchObject({ exit: 0 });
  expect(place.created()).toEqual(["Night"]);
});

test("a branch without a change that was applied names its merge request", async () => {
  const place = await stage("gitlab", { mergedResults: false, isInGit: true });
  const late = place.propose("noon", { "ivrs/noon.yaml": menu("Noon") });
  await place.ship("night", night);
  await place.review(late);
  const body = place.comments(late)[0]?.body ?? "";
  expect(body).toContain("This checkout does not contain merge request 2, which was applied");
});

test("a command in the configuration does not get the token of the platform", async () => {
  const place = await stage("github");
  const seen = join(place.place, "seen");
  const service = `service:
      base_url: "\${TELEPHONY_BASE_URL}"
      token: "\${TELEPHONY_TOKEN}"
      read_token:
        command: [sh, -c, "env > ${seen}; echo ${token}"]`;
  const pull = place.propose("night", {
    ...night,
    "ivrctl.yaml": config.replace(/service: .*/, () => service),
  });
  expect(await place.review(pull, { isLeaky: true })).toMatchObject({ exit: 0 });
  expect(existsSync(seen)).toBe(true);
  for (const secret of place.secrets) expect(readFileSync(seen, "utf8")).not.toContain(secret);
});

test("a project in a folder has its own artifact, comment and state", async () => {
  const place = await stage("github", { directory: "apps/phone", checkout: "repo", isInGit: true });
  const { pull, planned, applied } = await place.ship("night", night);
  expect([planned.exit, applied.exit]).toEqual([0, 0]);
  // An apply without a reviewed plan leaves one.
  place.commit("main", { "ivrs/noon.yaml": menu("Noon") });
  const offered = await place.apply();
  expect(offered.exit).toBe(1);
  expect(await place.applyRun(offered.id)).toMatchObject({ exit: 0 });
  const names = place.world.jobs.map(({ artifact }) => artifact?.name);
  expect(names).toEqual([
    "ivrctl-plan@apps%2Fphone",
    undefined,
    "ivrctl-plan-production@apps%2Fphone",
    undefined,
  ]);
  expect(place.comments(pull)[0]?.body).toMatch(
    /^<!-- ivrctl:plan:.github_workflows_ivrctl.yml:apps_phone_ -->\n/,
  );
  expect(place.events()).toContain("Night");
  expect(place.events()).toContain("Noon");
  // Comments and issues of several projects are not confused.
  expect(place.comments(pull)[0]?.body).toContain("### Plan for production (apps/phone): ");
  expect(place.result(pull)).toContain("### Applied (production, apps/phone)");
  await place.withAgents([agent(104, "Front Desk", 0)]);
  expect(await place.check()).toMatchObject({ exit: 1 });
  expect(place.world.issues[0]?.title).toBe("production (apps/phone) needs attention");
});

test("a state in a file is refused", async () => {
  const files = { "ivrctl.yaml": config.replace(/state: .*/, "state: { backend: file }") };
  const place = await stage("gitlab", { files });
  const { pull, planned, applied } = await place.ship("night", night);
  for (const run of [planned, applied, await place.check()]) {
    expect(run).toMatchObject({ exit: 1 });
    expect(run.log).toContain("IVR683");
  }
  expect(place.result(pull)).toContain("IVR683");
  expect(place.created()).toEqual([]);
});
