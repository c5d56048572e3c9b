import type { ChildProcess } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { heldService } from "../../support/held-service.ts";
import { menu, namesOf, token, until } from "../../support/project.ts";
import { git } from "../../support/ci/repository.ts";
import { runState } from "../../support/ci/state.ts";
import { stage } from "../../support/ci/stage.ts";
import { putFiles } from "../../support/ci/steps.ts";

const three = Object.fromEntries(["a", "b", "c"].map((key) => [`ivrs/${key}.yaml`, menu(key)]));
const oneByOne = {
  "ivrctl.yaml": `version: 1
environments:
  production:
    service: { base_url: "\${TELEPHONY_BASE_URL}", token: "\${TELEPHONY_TOKEN}", concurrency: 1, timeout: 300 }
`,
};

interface Amid {
  readonly child: ChildProcess;
  readonly ivrctl: number;
  /** Waits until the step has printed this. */
  readonly says: (words: string) => Promise<void>;
  /** Lets the service answer requests in flight. */
  readonly release: () => void;
}

/** Merges a change, and calls `act` during its apply. */
async function amidApply(
  act: (amid: Amid) => void | Promise<void>,
  {
    answered = 0,
    afterwards,
    last,
  }: {
    /** The number of creates before that. */
    readonly answered?: number;
    /** Called during the cleanup step. */
    readonly afterwards?: typeof act;
    readonly last?: string;
  } = {},
) {
  const sandbox = await heldService({ token });
  sandbox.release(answered);
  const place = await stage({ sandbox, files: oneByOne });
  place.commit("all", three);
  const pull = place.open("all");
  await place.pullRequest(pull, "all");
  place.merge(pull, "all");
  const acting: Promise<void>[] = [];
  const applied = await place.push({
    ...(last === undefined ? {} : { last }),
    started: (step, child) => {
      const deed = step === "apply" ? act : step === "keep" ? afterwards : undefined;
      if (deed !== undefined) acting.push(amid(child, deed));
    },
  });
  await Promise.all(acting);
  return { ...place, sandbox, applied };

  async function amid(child: ChildProcess, deed: typeof act): Promise<void> {
    let printed = "";
    child.stdout?.on("data", (chunk: string | Buffer) => (printed += chunk.toString()));
    await until(() => sandbox.records.length === answered + 1);
    const held = join(place.place, "run-1002/workspace/ivrctl-ci/ivrctl-plan-production.held.json");
    await deed({
      child,
      ivrctl: JSON.parse(readFileSync(held, "utf8")).pid,
      says: (words) => until(() => printed.includes(words)),
      release: sandbox.release,
    });
  }
}

describe("an apply that is stopped from outside", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "by %s: requests in flight finish, and the state is saved",
    async (signal) => {
      const { sandbox, applied, repository } = await amidApply(async ({ child, says, release }) => {
        child.kill(signal);
        await says("Interrupted");
        release();
      });
      expect(applied).toMatchObject({ ok: false, exits: { apply: 130, keep: 0 } });
      expect(applied.summary).toContain("### Interrupted");
      expect(namesOf(sandbox.records)).toEqual(["a"]);
      const journal = repository.kept("state/production.journal.jsonl");
      expect(journal).toContain('"kind":"created"');
      expect(repository.kept("locks/production.json")).toBeUndefined();
    },
  );

  test("by kill -9: the next step stops the rest, and saves the state", async () => {
    const ended = await amidApply(({ child }) => void child.kill("SIGKILL"), {
      afterwards: async ({ says, release }) => {
        await says("ivrctl is still running. Asked it to stop.");
        release();
      },
    });
    const { sandbox, applied, repository } = ended;
    expect(applied).toMatchObject({ ok: false, exits: { apply: null, keep: 0 } });
    expect(namesOf(sandbox.records)).toEqual(["a"]);
    expect(repository.kept("state/production.journal.jsonl")).toContain('"kind":"created"');
    expect(repository.kept("locks/production.json")).toBeUndefined();
    const next = await ended.push();
    expect(next.summary).toContain("### Plan for production: 2 to create");
  });

  test("by kill -9 of all processes: unknown outcomes are reported at once, and by the next run", async () => {
    const ended = await amidApply(({ child, ivrctl }) => {
      // First the script, which would otherwise report the end of ivrctl itself.
      child.kill("SIGKILL");
      process.kill(ivrctl, "SIGKILL");
    });
    const expectReported = (summary: string) => {
      expect(summary).toContain("a  “a”, unknown");
      expect(summary).toContain("ivrctl state resolve a --created --env production");
      expect(summary).toContain("ci/state.mjs pull --env production\n");
    };
    expect(ended.applied).toMatchObject({ ok: false, exits: { apply: null, keep: 0 } });
    expectReported(ended.applied.summary);
    const next = await ended.push();
    expect(next).toMatchObject({ ok: false, exits: { apply: 1, keep: 0 } });
    expect(next.summary).toContain("Nothing was sent: the plan is stale");
    expect(next.summary).toContain("### Plan for production: 2 to create, 1 unknown");
    expect(next.summary).toContain(`\`plan-run: ${next.run}\``);
    expectReported(next.summary);
  });

  test("by kill -9 of ivrctl alone: the job reports unknown outcomes", async () => {
    const { applied, repository } = await amidApply(
      ({ ivrctl }) => void process.kill(ivrctl, "SIGKILL"),
    );
    expect(applied).toMatchObject({ ok: false, exits: { apply: 1, keep: 0 } });
    expect(applied.summary).toContain("### Apply failed");
    expect(applied.summary).toContain("ivrctl state resolve a --created --env production");
    expect(repository.kept("locks/production.json")).toBeUndefined();
  });

  test("with its runner: no run applies until a person has checked", async () => {
    const ended = await amidApply(
      ({ child, ivrctl }) => {
        child.kill("SIGKILL");
        process.kill(ivrctl, "SIGKILL");
      },
      { last: "apply", answered: 1 },
    );
    const { repository, sandbox } = ended;
    const asked = { "plan-run": "1001", "new-state": false };
    const next = await ended.byHand(asked);
    expect(next).toMatchObject({ ok: false, exits: { apply: 4, keep: 0 } });
    expect(next.summary).toContain("The state of production is locked on the branch ivrctl-state.");
    expect(next.summary).toContain("actions/runs/1002");
    expect(next.summary).toContain("create b “b”");
    expect(sandbox.records).toHaveLength(2);

    // The next scheduled check reports it too.
    expect((await ended.schedule()).summary).toContain("The state is locked.");

    // A person finds two of the three menus on the console, and resolves the outcomes.
    const { clone } = repository;
    const pulled = await runState(clone, "pull", "--env", "production");
    expect(pulled.stdout).toContain("The state is locked.");
    const [, id = ""] = /Lock (\S+)/.exec(pulled.stdout) ?? [];
    for (const key of ["a", "b"]) {
      await ended.ivrctl("state", "adopt", key, "--evidence", "seen on the console");
    }
    const refused = await runState(clone, "push", "--env", "production");
    expect([refused.exit, refused.stderr]).toEqual([4, expect.stringContaining("is locked")]);
    const pushed = await runState(clone, "push", "--env", "production", "--unlock", id);
    expect(pushed).toMatchObject({ exit: 0, stdout: "Pushed.\n" });
    const fresh = await ended.push();
    expect(fresh.summary).toContain("### Plan for production: 1 to create");
  });
});

test("of two applies at once, one sends nothing and exits with 4", async () => {
  const sandbox = await heldService({ token });
  const place = await stage({ sandbox });
  place.commit("night", { "ivrs/night.yaml": menu("Night") });
  const pull = place.open("night");
  await place.pullRequest(pull, "night");
  place.merge(pull, "night");
  const both = [place.push(), place.push()];
  // The first apply gets no answer until the other one has seen the lock.
  await Promise.race(both);
  sandbox.release();
  const runs = await Promise.all(both);
  expect(new Set(runs.map(({ exits }) => exits["apply"]))).toEqual(new Set([0, 4]));
  expect(namesOf(sandbox.records)).toEqual(["Night"]);
});

test("a state branch that is deleted during an apply is created again with the state of that apply", async () => {
  const sandbox = await heldService({ token });
  sandbox.release(1);
  const { repository, ...place } = await stage({ sandbox });
  await place.ship("day", { "ivrs/day.yaml": menu("Day") });
  const { applied } = await place.ship(
    "night",
    { "ivrs/night.yaml": menu("Night") },
    {
      started: (step) => {
        if (step !== "apply") return;
        void until(() => sandbox.records.length === 2).then(() => {
          git(repository.bare, "update-ref", "-d", "refs/heads/ivrctl-state");
          sandbox.release();
        });
      },
    },
  );
  expect(applied).toMatchObject({ ok: true, exits: { apply: 0, keep: 0 } });
  expect(applied.summary).toContain("The branch ivrctl-state was deleted during this run");
  const journal = repository.kept("state/production.journal.jsonl");
  expect(journal).toContain("Day");
  expect(journal).toContain("Night");
  expect(namesOf(sandbox.records)).toEqual(["Day", "Night"]);
});

test("a state that cannot be pushed is saved with the run, stays locked, and can be restored by hand", async () => {
  const { sandbox, repository, github, ...place } = await stage();
  place.commit("night", { "ivrs/night.yaml": menu("Night") });
  const pull = place.open("night");
  await place.pullRequest(pull, "night");
  place.merge(pull, "night");
  // The server accepts the lock, and then no other push.
  const hook = join(repository.bare, "hooks/update");
  writeFileSync(hook, '#!/bin/sh\ntest "$2" = 0000000000000000000000000000000000000000\n');
  chmodSync(hook, 0o755);
  const run = await place.push();
  expect(run).toMatchObject({ ok: false, exits: { apply: 1, keep: 1 } });
  expect(namesOf(sandbox.records)).toEqual(["Night"]);
  expect(run.log).toContain("hook declined");
  expect(run.summary).toContain("The state of this run is not on its branch yet");
  const saved = github.artifacts.find(({ name }) => name === "ivrctl-state-production");
  expect([...(saved?.files.keys() ?? [])].toSorted()).toEqual([
    "production.journal.jsonl",
    "production.json",
  ]);
  writeFileSync(hook, "#!/bin/sh\n");

  const second = await place.push();
  expect(second.exits["apply"]).toBe(4);
  expect(sandbox.records).toHaveLength(1);

  // The commands in the summary.
  const lines = [...run.summary.matchAll(/^ {2}node node_modules\/ivrctl\/ci\/state\.mjs (.*)$/gm)];
  const [pullLine = "", pushLine = ""] = lines.map(([, args = ""]) => args);
  const pulled = await runState(repository.clone, ...pullLine.split(" "));
  expect(pulled.exit).toBe(0);
  putFiles(join(repository.clone, ".ivrctl/state"), saved?.files ?? new Map());
  const pushed = await runState(repository.clone, ...pushLine.split(" "));
  expect(pushed).toMatchObject({ exit: 0, stdout: "Pushed.\n" });
  const third = await place.push();
  expect(third).toMatchObject({ ok: true });
  expect(third.summary).toContain("There is nothing to do.");
  expect(git(repository.bare, "log", "--format=%s", "ivrctl-state")).toContain(
    "State of production, by hand [skip ci]\nLock production [skip ci]",
  );
});
