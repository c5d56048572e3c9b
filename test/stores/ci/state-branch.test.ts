import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { Problem } from "../../../ci/lib/problem.mjs";
import { settingsOf } from "../../../ci/lib/settings.mjs";
import { StateBranch } from "../../../ci/lib/state-branch.mjs";
import { goesOn } from "../../../ci/lib/journal.mjs";
import { folder } from "../../support/cli.ts";
import { menu, namesOf } from "../../support/project.ts";
import { Repository, git } from "../../support/ci/repository.ts";
import { stage } from "../../support/ci/stage.ts";
import { runState } from "../../support/ci/state.ts";

function branchOf({ bare }: Repository, environment = "production") {
  const project = folder({});
  const place = { url: bare, header: undefined, branch: "ivrctl-state", directory: "." };
  return { project, branch: new StateBranch({ ...place, environment, project }) };
}

describe("the state branch", () => {
  test("gives the lock of an environment to one of many runs", async () => {
    const repository = new Repository(folder({}), "acme/phone");
    const racers = Array.from({ length: 6 }, (_, index) =>
      branchOf(repository).branch.lock(`racer-${index}`, {}),
    );
    const ended = await Promise.allSettled(racers);
    expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const one of ended) {
      if (one.status === "rejected") expect(one.reason).toMatchObject({ exit: 4 });
    }
    expect(repository.kept("locks/production.json")).toMatch(/"id": "racer-\d"/);
  });

  test("gives the locks of several environments at once: a refused push is repeated", async () => {
    const repository = new Repository(folder({}), "acme/phone");
    const names = ["one", "two", "three"];
    await Promise.all(names.map((name) => branchOf(repository, name).branch.lock(name, {})));
    for (const name of names) expect(repository.kept(`locks/${name}.json`)).toContain(name);
  });

  test("keeps every byte, whatever git does with line endings", async () => {
    const repository = new Repository(folder({}), "acme/phone");
    git(repository.bare, "config", "core.autocrlf", "true");
    const { project, branch } = branchOf(repository);
    const bytes = Buffer.from([0x7b, 0x0d, 0x0a, 0x00, 0xff, 0x0a, 0x0d]);
    branch.restore(await branch.lock("mine", {}));
    writeFileSync(join(project, ".ivrctl/state/production.journal.jsonl"), bytes);
    await branch.store({ lock: "mine", words: "State" });
    const other = branchOf(repository);
    other.branch.restore(await other.branch.look());
    const path = join(other.project, ".ivrctl/state/production.journal.jsonl");
    expect(readFileSync(path)).toEqual(bytes);
    expect(repository.kept(".gitattributes")).toContain("*.jsonl -text");
  });

  test("does nothing for the same state, and refuses an older one", async () => {
    const repository = new Repository(folder({}), "acme/phone");
    const [mine, theirs] = [branchOf(repository), branchOf(repository)];
    for (const { branch } of [mine, theirs]) branch.restore(await branch.look());
    const file = ".ivrctl/state/production.journal.jsonl";
    writeFileSync(join(mine.project, file), line(1) + line(2));
    writeFileSync(join(theirs.project, file), line(1));
    const words = { lock: undefined, words: "State" };
    expect(await mine.branch.store(words)).toBe("stored");
    expect(await mine.branch.store(words)).toBe("there already");
    await expect(theirs.branch.store(words)).rejects.toThrow("has changed");
    expect(repository.kept("state/production.journal.jsonl")).toBe(line(1) + line(2));
  });

  test("shows the text of a lock on one line", async () => {
    const repository = new Repository(folder({}), "acme/phone");
    const menus = [{ key: "a", action: "create", name: "x\u001B[2J\n::error::y" }];
    await branchOf(repository).branch.lock("left", { menus });
    const { stdout } = await runState(repository.clone, "pull", "--env", "production");
    expect(stdout).toContain("  create a “x\\u001b[2J\\n::error::y”\n");
  });

  test("does not overwrite a newer state in the folder", async () => {
    const repository = new Repository(folder({}), "acme/phone");
    const { project, branch } = branchOf(repository);
    mkdirSync(join(project, ".ivrctl/state"), { recursive: true });
    writeFileSync(join(project, ".ivrctl/state/production.journal.jsonl"), line(1));
    expect(() =>
      branch.restore({
        commit: undefined,
        journal: undefined,
        checkpoint: undefined,
        lock: undefined,
      }),
    ).toThrow(Problem);
  });

  test("reports a missing server after a few attempts", async () => {
    const nowhere = { bare: join(folder({}), "nowhere.git") };
    const branch = new StateBranch({
      url: nowhere.bare,
      header: undefined,
      branch: "ivrctl-state",
      directory: ".",
      environment: "a",
      project: folder({}),
    });
    await expect(branch.look()).rejects.toThrow("git ls-remote failed");
  });
});

test.each([
  ["nothing", undefined, true],
  ["the same", line(1) + line(2), true],
  ["its beginning", line(1), true],
  ["a last batch that a crash left", `${line(1)}${line(2, 2, "torn")}${line(3, 2, "torn")}`, true],
  ["half a line that a crash left", `${line(1)}{"su`, true],
  ["another history", line(1, 1, "other") + line(2), false],
])("checks whether a journal continues %s", (_, earlier, expected) => {
  const later = Buffer.from(line(1) + line(2) + line(3));
  expect(goesOn(later, earlier === undefined ? undefined : Buffer.from(earlier))).toBe(expected);
});

test("projects of one repository have different names on the forge", () => {
  const folders = ["a/b", "a_b", "a__b", "a-b", "b"];
  const top = folder(Object.fromEntries(folders.map((name) => [`${name}/x`, ""])));
  const names = ["production", "production-b", "production-a-b"].flatMap((environment) =>
    [...folders, "."].map((directory) => {
      const env = { IVRCTL_CI_ENVIRONMENT: environment, IVRCTL_CI_DIRECTORY: directory };
      return settingsOf(env, top).artifact;
    }),
  );
  expect(new Set(names).size).toBe(names.length);
  // Characters that GitHub allows in the name of an artifact.
  for (const name of names) expect(name).toMatch(/^[^":<>|*?\r\n\\/]+$/);
});

test("a missing journal continues only a missing one", () => {
  expect(goesOn(undefined, Buffer.from(line(1)))).toBe(false);
  expect(goesOn(undefined, undefined)).toBe(true);
});

describe("ci/state.mjs", () => {
  test("resolves an unknown outcome in a clone, and pushes it", async () => {
    const { repository, sandbox, ...place } = await stage({ faults: ["reset=after times=1"] });
    await place.ship("night", { "ivrs/night.yaml": menu("Night") });
    const { clone } = repository;
    const pulled = await runState(clone, "pull", "--env", "production");
    expect(pulled.stdout).toContain("Copied the state of production to .ivrctl/state/");
    await place.ivrctl("state", "resolve", "night", "--absent");
    // A second pull does not lose the resolved outcome.
    const again = await runState(clone, "pull", "--env", "production");
    expect([again.exit, again.stderr]).toEqual([
      1,
      expect.stringContaining("has entries that the branch"),
    ]);
    const pushed = await runState(clone, "push", "--env", "production");
    expect(pushed).toMatchObject({ exit: 0, stdout: "Pushed.\n" });
    // The menu does not exist, so its reviewed plan can be applied again.
    expect(await place.push()).toMatchObject({ ok: true, exits: { apply: 0 } });
    expect(namesOf(sandbox.records)).toEqual(["Night"]);
  });

  test("starts the branch with an existing state if asked", async () => {
    const repository = new Repository(folder({}), "acme/phone");
    const { clone } = repository;
    const push = (...more: string[]) => runState(clone, "push", "--env", "production", ...more);
    mkdirSync(join(clone, ".ivrctl/state"), { recursive: true });
    const journal = join(clone, ".ivrctl/state/production.journal.jsonl");
    writeFileSync(journal, "one\n");
    const refused = await push();
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining("add --first")]);
    expect(await push("--first")).toMatchObject({ exit: 0, stdout: "Pushed.\n" });
    expect(repository.kept("state/production.journal.jsonl")).toBe("one\n");
    writeFileSync(journal, "another\n");
    const { exit, stderr } = await push("--first");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("does not continue it")]);
  });

  test("refuses to push if the branch has changed since", async () => {
    const { repository, ...place } = await stage();
    await place.ship("night", { "ivrs/night.yaml": menu("Night") });
    await runState(repository.clone, "pull", "--env", "production");
    await place.ship("day", { "ivrs/day.yaml": menu("Day") });
    await place.ivrctl("state", "forget", "night", "--yes");
    const pushed = await runState(repository.clone, "push", "--env", "production");
    expect([pushed.exit, pushed.stderr]).toEqual([1, expect.stringContaining("has changed")]);
  });

  test("unlocks only by id", async () => {
    const { repository, ...place } = await stage();
    await place.ship("night", { "ivrs/night.yaml": menu("Night") });
    await branchOf(repository).branch.lock("left", { run: "https://forge.invalid/1" });
    const wrong = await runState(repository.clone, "unlock", "other", "--env", "production");
    expect([wrong.exit, wrong.stderr]).toEqual([4, expect.stringContaining("Lock left")]);
    const right = await runState(repository.clone, "unlock", "left", "--env", "production");
    expect(right.exit).toBe(0);
    expect(repository.kept("locks/production.json")).toBeUndefined();
    expect(repository.kept("state/production.journal.jsonl")).toContain("Night");
  });

  test("reports what is not on the branch", async () => {
    const { repository, ...place } = await stage({ directory: "phones" });
    await place.ship("night", { "ivrs/night.yaml": menu("Night") });
    const { clone } = repository;
    const there = "It has: production (-C phones).";
    for (const args of [
      ["pull", "--env", "production"],
      ["pull", "--env", "prodution", "-C", "phones"],
      ["unlock", "abc", "--env", "prodution", "-C", "phones"],
    ]) {
      const { exit, stderr } = await runState(clone, ...args);
      expect([exit, stderr]).toEqual([1, expect.stringContaining(there)]);
    }
    const pushed = await runState(clone, "push", "--env", "production");
    expect([pushed.exit, pushed.stderr]).toEqual([
      1,
      expect.stringContaining("There is no state of production in"),
    ]);
    expect(existsSync(join(clone, ".ivrctl"))).toBe(false);
    const right = await runState(clone, "pull", "--env", "production", "-C", "phones");
    expect(right.stdout).toContain("Copied the state of production to .ivrctl/state/");
  });

  test("pulls and reports a lock before there is a state", async () => {
    const repository = new Repository(folder({}), "acme/phone");
    await branchOf(repository).branch.lock("left", {});
    const { exit, stdout } = await runState(repository.clone, "pull", "--env", "production");
    expect(exit).toBe(0);
    expect(stdout).toContain("There is no state of production on ivrctl-state yet.");
    expect(stdout).toContain("Lock left");
  });

  test("accepts a remote as a path relative to the top of the clone", async () => {
    const { repository, ...place } = await stage({ directory: "phones" });
    await place.ship("night", { "ivrs/night.yaml": menu("Night") });
    const { clone, bare } = repository;
    git(clone, "remote", "set-url", "origin", relative(clone, bare));
    const { exit, stderr } = await runState(join(clone, "phones"), "pull", "--env", "production");
    expect([exit, stderr]).toEqual([0, ""]);
  });

  test.each([
    [["pull"], "No environment is given"],
    [["pull", "--env", "../x"], "The name of the environment is invalid"],
    [["dance", "--env", "production"], "COMMAND --env NAME"],
    [["pull", "--env", "production", "--force"], "Unknown option '--force'"],
    [["pull", "--env", "production"], "There is no branch ivrctl-state."],
    [["pull", "--env", "production", "--branch=--upload-pack=x"], "name of the state branch"],
  ])("%j", async (args, words) => {
    const repository = new Repository(folder({}), "acme/phone");
    const ran = await runState(repository.clone, ...args);
    expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining(words)]);
  });
});

function line(number: number, batch = number, words = ""): string {
  return `{"sum":"s${number}${words}","batch":${batch},"n":${number}}\n`;
}
