import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { agent } from "../support/ci/agent.ts";
import { git } from "../support/ci/repository.ts";
import { config, configFor, stage } from "../support/ci/stage.ts";
import { menu, token } from "../support/project.ts";
import { listen } from "../support/listen.ts";

const both = ["github", "gitlab"] as const;
const night = { "ivrs/night.yaml": menu("Night") };
const marker = {
  github: "<!-- ivrctl:plan:.github_workflows_ivrctl.yml -->",
  gitlab: "<!-- ivrctl:plan:pipeline -->",
};

/** The lines that GitHub reads as commands. */
function commandsIn(log: string): string[] {
  return log.split(/\r\n|\n|\r/).filter((line) => /^\s*(?:::|##\[)/.test(line));
}

describe.each(both)("a pull request on %s", (kind) => {
  test("from a fork is checked without a request to any server", async () => {
    const place = await stage(kind, { isInGit: true });
    place.commit("night", night);
    const pull = place.open("night", { isFork: true });
    // Changes on main are not part of the changes of the fork.
    place.commit("main", { "ivrs/noon.yaml": menu("Noon") });
    const secrets = { TELEPHONY_TOKEN: "", TELEPHONY_BASE_URL: "", IVRCTL_GITLAB_TOKEN: "" };
    const run = await place.review(pull, { env: secrets });
    expect(run).toMatchObject({ exit: 0 });
    expect(run.summary).toContain("There is no plan for this change, because it comes from a fork");
    expect(run.log).toMatch(/ivrctl validate[^]*ivrctl test/);
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
      expect(log).not.toMatch(/\u001B\[0Ksection_/);
    }
    expect(place.comments(pull)).toHaveLength(2);
    for (const { body } of place.comments(pull)) {
      const text = body.replaceAll(/^ *(`{3,})[^]*?^ *\1$/gm, "");
      expect(text).not.toMatch(/^::|<img|@all|\]\(http|^# /m);
      expect(text.match(/<!--/g)).toHaveLength(1);
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
    expect(place.result(pull)).toMatch(/### (?:Applied|Nothing to do) \(production\)/);
  });

  test("is not replaced after the merge, even if a job of it fails", async () => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    await place.review(pull);
    place.merge(pull);
    const reviewed = place.comments(pull)[0]?.body;
    place.commit("night", { "ivrctl.yaml": null });
    expect(await place.review(pull)).toMatchObject({ exit: 1 });
    expect(place.comments(pull)[0]?.body).toBe(reviewed);
  });

  test("names other open pull requests that change the same menu, on both", async () => {
    const desk = (wait: number) =>
      menu("Day").replace("wait: 5", `wait: ${wait}`).replace("A menu", `Menu ${wait}`);
    const place = await stage(kind, {
      files: { "ivrs/day.yaml": menu("Day"), "ivrs/hall/dusk.yaml": menu("Dusk") },
    });
    await place.person()("apply", "--auto-approve");
    const first = place.propose("first", { "ivrs/day.yaml": desk(6) });
    const other = place.propose("other", night);
    for (const pull of [first, other]) await place.review(pull);
    const second = place.propose("second", {
      "ivrs/day.yaml": menu("Day", "Front Desk"),
      "ivrs/hall/_defaults.yaml": "options:\n  9: Front Desk\n",
    });
    // A second run says it once.
    for (const run of [await place.review(second), await place.review(second)]) {
      expect(run).toMatchObject({ exit: 0 });
    }
    const shown = (pull: typeof first) =>
      (place.comments(pull)[0]?.body ?? "").replaceAll(/<[^>]*>/g, "");
    expect(shown(second)).toMatch(
      /> (?:Pull|Merge) request 1 also changes Day \(.+\) in production\. Whichever is merged last needs a new plan\./,
    );
    const note = /> (?:Pull|Merge) request 3 also changes Day \(key 1.*\) in production\./g;
    expect(shown(first).match(note)).toHaveLength(1);
    expect(shown(first)).toContain("### Plan for production: 1 to replace");
    expect(shown(other)).not.toContain("also changes");
    // A shared default changes the menus below it, and their files stay as they are.
    const third = place.propose("third", {
      "ivrs/hall/dusk.yaml": menu("Dusk", "Front Desk"),
    });
    await place.review(third);
    expect(shown(third)).toMatch(/request 3 also changes Dusk \(key 9.*\) in production/);
    expect(shown(second)).toMatch(/request 4 also changes Dusk \(key 1.*\) in production/);
    // Both jobs have found it, and it is said once.
    await place.review(second);
    await place.review(third);
    for (const [pull, other] of [
      [second, 4],
      [third, 3],
    ] as const) {
      expect(shown(pull).match(new RegExp(`request ${other} also changes`, "g"))).toHaveLength(1);
    }
    // After its next job, the first one shows what it finds now.
    place.world.pulls.splice(2, 1);
    await place.review(first);
    expect(shown(first)).not.toContain("also changes");
  });

  test("is made although other pull requests cannot be listed or read", async () => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    place.api.fault = ({ path }) =>
      /\/(?:pulls|merge_requests)$/.test(path) ? { status: 403 } : undefined;
    const run = await place.review(pull);
    expect([run.exit, run.summary]).toEqual([
      0,
      expect.stringContaining("requests were not all compared: "),
    ]);
    place.api.fault = () => undefined;
    const gone = place.propose("gone", night);
    gone.head = "1".repeat(40);
    const again = await place.review(pull);
    expect(again).toMatchObject({ exit: 0 });
    expect(again.summary).toContain("requests were not all compared: 2 cannot be read.");
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

describe.each(both)("the job of a merge queue or train on %s", (kind) => {
  test("checks and plans, and leaves the reviewed plan and its comment alone", async () => {
    const place = await stage(kind);
    const pull = place.propose("night", night);
    await place.review(pull);
    const comments = structuredClone(place.comments(pull));
    const run = await place.queue(pull);
    expect(run).toMatchObject({ exit: 0 });
    expect(run.summary).toContain("### Plan for production: 1 to create");
    expect(place.comments(pull)).toEqual(comments);
    // The plan of the queue was made before the merge, too, but nobody has read it.
    place.merge(pull);
    expect(await place.apply()).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Night"]);
  });

  test("says on the pull request why it failed", async () => {
    const place = await stage(kind);
    const tests = "tests:\n  - { press: 1, reaches: Front Desk }\n";
    const pull = place.propose("night", { "ivrs/night.yaml": menu("Night", "Asha Rao", tests) });
    expect(await place.queue(pull)).toMatchObject({ exit: 1 });
    expect(await place.queue(pull)).toMatchObject({ exit: 1 });
    const [comment, ...more] = place.comments(pull);
    expect(more).toEqual([]);
    expect(comment?.body).toContain("### The merge queue did not merge this");
    expect(comment?.body.replaceAll(/<\/?span>/g, "")).toContain("Failed: test of night");
  });
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

test.each(both)(
  "a project that is moved to a folder keeps its state on the branch, on %s",
  async (kind) => {
    const place = await stage(kind, { isInGit: true });
    await place.ship("night", night);
    const read = (file: string) => `${git(place.repository.bare, "show", `main:${file}`)}\n`;
    const files = ["ivrctl.yaml", "agents.lock.json", "ivrs/night.yaml"];
    const moved = (folder: string) =>
      Object.fromEntries(files.map((file) => [`${folder}/${file}`, read(file)]));
    // A copy does not share the state of the original.
    const copy = place.propose("copy", moved("copy"));
    const refused = await place.review(copy, { movedTo: "copy" });
    expect([refused.exit, refused.summary]).toEqual([1, expect.stringContaining("IVR629")]);
    const pull = place.propose("move", {
      ...Object.fromEntries(files.map((file) => [file, null])),
      ...moved("phone"),
      "phone/ivrs/day.yaml": menu("Day"),
    });
    const planned = await place.review(pull, { movedTo: "phone" });
    expect([planned.exit, planned.summary]).toEqual([0, expect.stringContaining(": 1 to create")]);
    place.merge(pull);
    expect(await place.apply({ movedTo: "phone" })).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Day", "Night"]);
    expect(place.events()).toContain("Day");
    expect(await place.check({ movedTo: "phone" })).toMatchObject({ exit: 0 });
  },
);

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
