import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { quietPort } from "../../scripts/quiet-port.mjs";
import { agent } from "../support/ci/agent.ts";
import { config, stage } from "../support/ci/stage.ts";
import { folder } from "../support/cli.ts";
import { menu, service, token } from "../support/project.ts";

const desk = agent(104, "Front Desk", 0);
const day = { "ivrs/day.yaml": menu("Day") };

/** The log of the scheduled job in one line, with its exit code. */
async function check(place: Awaited<ReturnType<typeof stage>>) {
  const { exit, log } = await place.check();
  return { exit, log: log.replaceAll(/\s+/g, " ") };
}

function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

test("the scheduled job fails for agents, but not for changes that wait for an apply", async () => {
  const place = await stage("gitlab", { files: day });
  await place.person()("apply", "--auto-approve");
  expect(await check(place)).toMatchObject({ exit: 0 });
  for (const [agents, words] of [
    // One has left, is blocked, or has another extension.
    [[desk], "IVR314"],
    [[agent(101, "Asha Rao", 1), desk], "IVR304"],
    [
      [agent(177, "Asha Rao", 0), desk],
      "Asha Rao (extension 500101) → Asha Rao (extension 500177)",
    ],
  ] as const) {
    await place.withAgents(agents);
    const { exit, log } = await check(place);
    expect([exit, log]).toEqual([1, expect.stringContaining(words)]);
  }
  await place.withAgents([agent(101, "Asha Rao", 0), desk]);
  place.commit("main", { "ivrs/day.yaml": menu("Day", "Front Desk"), "ivrs/new.yaml": menu("N") });
  const { exit, log } = await check(place);
  expect([exit, log]).toEqual([0, expect.stringContaining("1 to create, 1 to replace")]);
});

describe.each(["github", "gitlab"] as const)("a merged change on %s", (kind) => {
  test("that no job has sent is red after an hour, and a person can apply it", async () => {
    const place = await stage(kind);
    await place.ship("day", day);
    const pull = place.propose("night", { "ivrs/night.yaml": menu("Night") });
    await place.review(pull);
    // The pipeline does not run, for example because of [skip ci].
    place.merge(pull);
    expect(await check(place)).toMatchObject({ exit: 0 });
    const args = ["--apply-within", "0"];
    expect(await place.check({ args })).toMatchObject({ exit: 1 });
    pull.mergedAt = hoursAgo(2);
    expect(await place.check({ args: ["--apply-within", "9000"] })).toMatchObject({ exit: 0 });
    const late = await place.check();
    expect(late).toMatchObject({ exit: 1 });
    const at = pull.mergedAt.slice(0, 16).replace("T", " ");
    expect(late.log.replaceAll(/\s+/g, " ")).toMatch(
      new RegExp(`IVR686.*(Pull|Merge) request 2 \\(merged ${at} UTC\\) is not applied: night\\.`),
    );
    const body = place.world.issues.find(({ isOpen }) => isOpen)?.body ?? "";
    const text = body
      .replaceAll(/<\/?(?:code|span)>/g, "")
      .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    expect(text).toContain(
      kind === "github"
        ? `gh workflow run ivrctl.yml -f run=${late.id}`
        : `/acme/phone/-/pipelines/new?ref=main&var[IVRCTL_RUN]=${late.id}`,
    );
    expect(await place.applyRun(late.id)).toMatchObject({ exit: 0 });
    expect(place.created()).toEqual(["Day", "Night"]);
    expect(place.result(pull)).toContain("### Applied (production)");
    expect(await place.check({ args })).toMatchObject({ exit: 0 });
    expect(place.world.issues.every(({ isOpen }) => !isOpen)).toBe(true);
  });

  test("that the service refused is red at once", async () => {
    const place = await stage(kind, { faults: ["status=400 success=false message=No times=1"] });
    const { pull, applied } = await place.ship("night", { "ivrs/night.yaml": menu("Night") });
    expect(applied).toMatchObject({ exit: 1 });
    const checked = await check(place);
    expect([checked.exit, checked.log]).toEqual([
      1,
      expect.stringMatching(
        /request 1 \(merged .* UTC\) is not applied: night\. The service refused it: No/,
      ),
    ]);
    expect(await place.apply({ before: pull.base })).toMatchObject({ exit: 0 });
    expect(await check(place)).toMatchObject({ exit: 0 });
  });

  test("is named after what changed it, which may be a default", async () => {
    const place = await stage(kind);
    await place.ship("hall", { "ivrs/hall/day.yaml": menu("Day") });
    const pull = place.propose("keys", {
      "ivrs/hall/_defaults.yaml": "options:\n  9: Front Desk\n",
    });
    await place.review(pull);
    place.merge(pull);
    place.commit("main", { "ivrs/night.yaml": menu("Night") });
    const { exit, log } = await place.check({ args: ["--apply-within", "0"] });
    expect(exit).toBe(1);
    const line = log.replaceAll(/\s+/g, " ");
    expect(line).toMatch(/request 2 \(merged .* UTC\) is not applied: hall\/day\./);
    // A push without a pull request, for example a main that somebody has rewritten.
    const commit = place.repository.head("main").slice(0, 12);
    expect(line).toMatch(new RegExp(`Commit ${commit} \\(.* UTC\\) is not applied: night\\.`));
  });
});

test("a workflow that does not listen to the default branch fails the check", async () => {
  const workflow = (branch: string) => ({
    ".github/workflows/ivrctl.yml": `on: { push: { branches: ["${branch}"] } }\n`,
  });
  const place = await stage("github", { files: workflow("master") });
  await place.ship("day", day);
  const { exit, log } = await check(place);
  expect([exit, log]).toEqual([
    1,
    expect.stringContaining("No job runs after a merge: .github/workflows/ivrctl.yml has"),
  ]);
  expect(log).toContain("`branches: [master]`, but the default branch is main.");
  for (const branch of ["main", "m*"]) {
    place.commit("main", workflow(branch));
    expect(await check(place)).toMatchObject({ exit: 0 });
  }
});

test.each(["github", "gitlab"] as const)(
  "a check that fails before it has a plan writes its issue, too, on %s",
  async (kind) => {
    const place = await stage(kind, { files: day });
    const lost = config.replace(/state: .*/, "state: { backend: file }");
    place.commit("main", { "ivrctl.yaml": lost });
    expect(await check(place)).toMatchObject({ exit: 1 });
    expect(place.world.issues[0]?.body).toContain("The state of production is a file");
    place.commit("main", { "ivrctl.yaml": null });
    expect(await check(place)).toMatchObject({ exit: 1 });
    expect(place.world.issues).toHaveLength(1);
    expect(place.world.issues[0]?.body).toContain("has no ivrctl.yaml");
  },
);

test.each(["github", "gitlab"] as const)(
  "the check keeps one issue while an environment needs attention, on %s",
  async (kind) => {
    const place = await stage(kind, { files: day });
    await place.person()("apply", "--auto-approve");
    expect(await check(place)).toMatchObject({ exit: 0 });
    expect(place.world.issues).toEqual([]);
    await place.withAgents([agent(101, "Asha Rao", 1), desk]);
    expect(await check(place)).toMatchObject({ exit: 1 });
    const [issue, ...more] = place.world.issues;
    expect(more).toEqual([]);
    expect(issue?.title).toBe("production needs attention");
    expect(issue?.body).toContain("Asha Rao");
    expect(issue?.labels).toEqual(["ivrctl"]);
    // The check reads only the issues with its label.
    const lists = place.api.asked.filter(
      ({ method, path }) => method === "GET" && path.endsWith("/issues"),
    );
    expect(lists.map(({ query }) => query.get("labels"))).toEqual(["ivrctl", "ivrctl"]);
    const first = issue?.body;
    await place.withAgents([desk]);
    expect(await check(place)).toMatchObject({ exit: 1 });
    expect(place.world.issues).toHaveLength(1);
    expect(issue?.body).not.toBe(first);
    await place.withAgents([agent(101, "Asha Rao", 0), desk]);
    expect(await check(place)).toMatchObject({ exit: 0 });
    expect(issue?.isOpen).toBe(false);
    // An issue that a stranger wrote is left alone, and without the permission there is none.
    place.world.issues.push({ ...issue, number: 2, isOpen: true, by: "a stranger" } as never);
    place.api.fault = ({ path }) => (path.includes("issues") ? { status: 403 } : undefined);
    const fine = await place.check();
    expect(fine).toMatchObject({ exit: 0 });
    expect(fine.summary).not.toContain("not written");
    place.api.fault = ({ method }) => (method === "POST" ? { status: 403 } : undefined);
    await place.withAgents([desk]);
    const refused = await check(place);
    expect([refused.exit, refused.log]).toEqual([
      1,
      expect.stringContaining("The issue about production was not written"),
    ]);
    expect(place.world.issues[1]?.body).toBe(issue?.body);
  },
);

test.each(["github", "gitlab"] as const)(
  "an old check that is run again reports what the default branch has now, on %s",
  async (kind) => {
    const place = await stage(kind);
    await place.ship("day", day);
    const commit = place.repository.head("main");
    await place.withAgents([desk]);
    expect(await place.check()).toMatchObject({ exit: 1 });
    await place.ship("desk", { "ivrs/day.yaml": menu("Day", "Front Desk") });
    // Nothing proves that callers still reach the old menu, whose agent has left.
    expect(await place.check({ commit })).toMatchObject({ exit: 0 });
    expect(place.world.issues.map(({ isOpen }) => isOpen)).toEqual([false]);
  },
);

test("the scheduled job fails for menus that were changed or deleted on the console", async () => {
  const dataFile = join(folder({}), "service.jsonl");
  const operations = ["list", "update"] as const;
  const sandbox = await service({ token, dataFile, operations, port: await quietPort() });
  const place = await stage("github", {
    sandbox,
    files: {
      ...day,
      "ivrs/night.yaml": menu("Night"),
      "ivrctl.yaml": `${config}    operations: [list, update]\n`,
    },
  });
  await place.person()("apply", "--auto-approve");
  expect(await check(place)).toMatchObject({ exit: 0 });
  const [first] = sandbox.records;
  const payload = { ...first?.payload, timeout_destination: "extension||599999" };
  for (const change of [{ update: 1, payload }, { delete: 2 }]) {
    appendFileSync(dataFile, `${JSON.stringify({ at: "2026-01-01T00:00:00.000Z", ...change })}\n`);
  }
  const { exit, log } = await check(place);
  expect(exit).toBe(1);
  expect(log).toMatch(/(?:Day|Night) silence: extension 599999 \(set on the console\)/);
  expect(log).toMatch(
    /Callers who press no key in (?:Day|Night) reach nobody\. Extension 599999 is not on the agent list\./,
  );
  expect(log).toMatch(/(?:day|night) \(id \d+\): the service no longer lists this menu/);
});

test("a menu with the name of a new one on the service fails the review, the apply and the check", async () => {
  const dataFile = join(folder({}), "service.jsonl");
  const operations = ["list", "update"] as const;
  const sandbox = await service({ token, dataFile, operations, port: await quietPort() });
  const withReader = config.replace(
    /service: .*\n/,
    `service:
      base_url: "\${TELEPHONY_BASE_URL}"
      token: "\${TELEPHONY_TOKEN}"
      read_token: "\${TELEPHONY_READ_TOKEN}"
`,
  );
  const place = await stage("github", {
    sandbox,
    env: { TELEPHONY_READ_TOKEN: token },
    files: { ...day, "ivrctl.yaml": `${withReader}    operations: [list, update]\n` },
  });
  await place.person()("apply", "--auto-approve");
  const onConsole = (name: string) => {
    const payload = { ...sandbox.records[0]?.payload, name, description: "By hand" };
    appendFileSync(dataFile, `${JSON.stringify({ at: "2026-01-01T00:00:00.000Z", payload })}\n`);
  };
  const pull = place.propose("night", {
    "ivrs/night.yaml": menu("Night"),
    "ivrs/noon.yaml": menu("Noon"),
  });
  expect(await place.review(pull)).toMatchObject({ exit: 0 });
  // Somebody creates one after the review, and the other one is created all the same.
  place.merge(pull);
  onConsole("Night");
  const applied = await place.apply();
  expect(applied).toMatchObject({ exit: 1 });
  const why = "the service already has a menu “Night” that is not recorded (id 2)";
  expect(applied.summary).toContain(why);
  expect(applied.summary).toMatch(/#### Next\n.*<code>ivrctl state resolve night=2 --created .*/);
  expect(place.created()).toEqual(["Day", "Night", "Noon"]);
  const checked = await check(place);
  expect([checked.exit, checked.log]).toEqual([1, expect.stringContaining("IVR639")]);
  const next = place.propose("late", { "ivrs/late.yaml": menu("Late") });
  expect(await place.review(next)).toMatchObject({ exit: 1 });
});
