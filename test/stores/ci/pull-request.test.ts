import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { menu, token } from "../../support/project.ts";
import { forgeToken } from "../../support/ci/github.ts";
import { stage } from "../../support/ci/stage.ts";
import { commandsOf } from "../../support/ci/steps.ts";

describe("a pull request", () => {
  test("with a mistake runs every check, marks the line, and removes the old plan", async () => {
    const { github, ...place } = await stage();
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const pull = place.open("night");
    await place.pullRequest(pull, "night");
    expect(github.comments[0]?.body).toContain("### Plan for production: 1 to create");

    place.commit("night", { "ivrs/night.yaml": menu("Night", "Nobody   At All") });
    const run = await place.pullRequest(pull, "night");
    expect(run).toMatchObject({ ok: false, exits: { "pull-request": 1 } });
    expect(commandsOf(run.log)).toContainEqual(
      expect.stringMatching(/^::error file=ivrs\/night\.yaml,line=4,.*title=IVR301::/),
    );
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain("### No plan for production: 1 error");
    expect(github.comments[0]?.body).toMatch(/Failed: .*ivrctl validate, .*ivrctl plan\./);
    for (const name of ["fmt", "validate", "test", "plan"]) {
      expect(commandsOf(run.log)).toContain(`::group::ivrctl ${name}`);
    }
    expect(github.artifacts.map(({ run }) => run)).toEqual([run.run - 1]);
  });

  test("with a failing test reports it", async () => {
    const { github, ...place } = await stage();
    const tests = "tests:\n  - { press: 1, reaches: Front Desk }\n";
    place.commit("night", { "ivrs/night.yaml": menu("Night", "Asha Rao", tests) });
    const run = await place.pullRequest(place.open("night"), "night");
    expect(run.ok).toBe(false);
    expect(commandsOf(run.log)).toContainEqual(
      expect.stringMatching(/^::error file=ivrs\/night\.yaml,line=8,title=A menu test failed::/),
    );
    expect(github.comments[0]?.body).toContain("<b>Failed: ivrctl test.</b>");
  });

  test("from a fork shows the changes in the files, and no plan", async () => {
    const { github, sandbox, ...place } = await stage({ files: { "ivrs/day.yaml": menu("Day") } });
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const pull = place.open("night", "stranger/phone");
    // Changes on main are not part of the fork's changes.
    place.commit("main", { "ivrs/noon.yaml": menu("Noon") });
    const run = await place.pullRequest(pull, "night", { secrets: {} });
    expect(run.ok).toBe(true);
    expect(run.summary).toMatch(/### Changes since .*: 1 new/);
    expect(run.summary).toContain("because it comes from a fork");
    expect(run.summary).not.toContain("Noon");
    expect(run.log).not.toContain("ivrctl plan");
    expect([github.asked, github.artifacts, sandbox.requests]).toEqual([[], [], []]);
  });

  test("from a deleted fork works", async () => {
    const { github, ...place } = await stage();
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const run = await place.pullRequest(place.open("night", null), "night", { secrets: {} });
    expect([run.ok, github.asked]).toEqual([true, []]);
  });

  test("by Dependabot works without secrets", async () => {
    const { github, ...place } = await stage();
    place.commit("bump", { "package.json": "{}\n" });
    const pull = place.open("bump");
    const run = await place.pullRequest(pull, "bump", { secrets: {}, actor: "dependabot[bot]" });
    expect(run.ok).toBe(true);
    expect(run.summary).toContain("because Dependabot opened it");
    expect(github.asked).toEqual([]);
  });

  test("updates only its own comment", async () => {
    const { github, ...place } = await stage();
    const marker = "<!-- ivrctl:plan:production -->";
    const others = [
      { id: 1, user: { login: "stranger" }, body: `${marker}\n\nAll is well` },
      { id: 2, user: { login: "github-actions[bot]" }, body: "<!-- another bot -->\n" },
      { id: 3, user: { login: "github-actions[bot]" }, body: `Quoted: ${marker}` },
    ];
    github.comments.push(...structuredClone(others));
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const pull = place.open("night");
    await place.pullRequest(pull, "night");
    await place.pullRequest(pull, "night");
    expect(github.comments.slice(0, 3)).toEqual(others);
    expect(github.comments).toHaveLength(4);
    expect(github.asked.filter(({ method }) => method !== "GET")).toMatchObject([
      { method: "POST" },
      { method: "PATCH" },
    ]);
  });

  test("whose token may not write comments names the missing permission", async () => {
    const { github, ...place } = await stage();
    github.writable = false;
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const run = await place.pullRequest(place.open("night"), "night");
    expect(run.ok).toBe(false);
    expect(run.log).toContain("The token needs: pull-requests: write.");
    expect(run.summary).toContain("Failed: the comment with the plan.");
    expect(run.log + run.summary).not.toContain(forgeToken);
    expect(run.log + run.summary).not.toContain(token);
  });

  test("repeats requests if the forge fails, and does not write a comment twice", async () => {
    const { github, ...place } = await stage();
    github.troubles.push(502, 429);
    place.commit("night", { "ivrs/night.yaml": menu("Night") });
    const run = await place.pullRequest(place.open("night"), "night");
    expect(run.ok).toBe(true);
    expect(github.comments).toHaveLength(1);
  });

  test("with names that look like commands does not run them", async () => {
    const { github, ...place } = await stage();
    const names = ["::error::owned", "::stop-commands::x", "##[set-env name=A;]b", "::add-mask::e"];
    const files = names.map((name, index) => [
      `ivrs/m${index}.yaml`,
      menu(`"${name}\\n::warning::second line"`),
    ]);
    const { planned, applied } = await place.ship("night", Object.fromEntries(files));
    expect([planned.ok, applied.ok]).toEqual([true, true]);
    expect(applied.log).toContain("##[set-env");
    for (const { log } of [planned, applied]) {
      expect(commandsOf(log).filter((line) => !/^::(?:group|endgroup)::/.test(line))).toEqual([]);
    }
    expect(github.comments[0]?.body).not.toContain("\n::");
  });

  test("hides the forge's token from commands in the configuration", async () => {
    const { place: folder, ...place } = await stage();
    const seen = join(folder, "seen");
    const config = `version: 1
environments:
  production:
    service:
      base_url: \${TELEPHONY_BASE_URL}
      token: { command: [sh, -c, "env > ${seen}; echo ${token}"] }
`;
    place.commit("night", { "ivrs/night.yaml": menu("Night"), "ivrctl.yaml": config });
    const run = await place.pullRequest(place.open("night"), "night");
    expect([run.ok, existsSync(seen)]).toEqual([true, true]);
    expect(readFileSync(seen, "utf8")).not.toContain(forgeToken);
  });

  test("of a project in a folder has its own artifact, comment and state", async () => {
    const { github, repository, ...place } = await stage({ directory: "apps/phone" });
    const { planned, applied } = await place.ship("night", { "ivrs/night.yaml": menu("Night") });
    expect([planned.ok, applied.ok]).toEqual([true, true]);
    expect(github.comments[0]?.body).toMatch(/^<!-- ivrctl:plan:production:apps__phone -->\n/);
    expect(github.artifacts.map(({ name }) => name)).toEqual([
      "ivrctl-plan-production@apps__phone",
    ]);
    expect(repository.kept("apps/phone/state/production.journal.jsonl")).toContain("Night");
  });
});
