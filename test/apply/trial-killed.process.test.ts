import { expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { clock } from "../support/host.ts";
import { menu, project } from "../support/project.ts";

const operations = ["list", "update", "delete", "numbers"] as const;
const trial = ["trial", "--auto-approve", "--agent", "Asha Rao", "--recording", "10"];

/** A service that calls `reached` at one request, before or after it does what the request asks for. */
async function serviceThat(at: number, isDone: boolean, reached: () => Promise<void>) {
  let count = 0;
  const sandbox = await startSandbox({
    clock,
    operations,
    faults: {
      words: [],
      async answer({ proceed, response }) {
        count += 1;
        if (count === at && !isDone) await reached();
        const isLost = count === at && !isDone;
        const answer = isLost ? undefined : proceed();
        if (count === at && isDone) await reached();
        if (answer === undefined) response.destroy();
        else response.writeHead(answer.status, answer.headers).end(answer.body);
        return { status: answer?.status ?? null, outcome: "" };
      },
    },
  });
  onTestFinished(() => sandbox.close());
  return { sandbox, count: () => count };
}

// What a trial of this service sends after the lists of agents and menus, by its place.
const requests = ["POST", "ivrs", "PUT", "ivrs", "ivrs", "numbers", "DELETE", "ivrs"];

// Of a request that only reads, the service keeps nothing, so it does not matter whether it was done.
test.each(
  requests.flatMap((name, at) =>
    (/^[A-Z]/.test(name) ? [false, true] : [false]).map(
      (isDone) => [name, at + 3, isDone] as const,
    ),
  ),
)("a trial that is killed at %s, request %i, leaves no key (done: %s)", async (_, at, isDone) => {
  let kill = async () => {};
  const { sandbox, count } = await serviceThat(at, isDone, () => kill());
  const { run, start, json } = project(
    sandbox.url,
    { a: menu("A") },
    { operations, allow: ["delete"] },
  );
  await run("state", "init");
  const { child, finished } = start(...trial);
  kill = async () => {
    child.kill("SIGKILL");
    await finished.catch(() => {});
  };
  await finished.catch(() => {});
  expect(count()).toBe(at);

  // The state has the menu if it can exist: as unknown, or as a follow-up.
  const { value: state } = await json("state", "list");
  const known = [
    ...state.menus.map(({ key, status }: Record<string, string>) => `${key} ${status}`),
    ...state.follow_ups.map(({ key, reason }: Record<string, string>) => `${key} ${reason}`),
  ];
  const exists = sandbox.records.length > 0;
  expect(known.every((one) => /^ivrctl-trial-\d{14} (?:unknown|trial)$/.test(one))).toBe(true);
  expect(known.length).toBeGreaterThanOrEqual(exists ? 1 : 0);

  // No plan takes it for a file that was deleted. The next apply knows from the list what became of it.
  const { stdout } = await run("unlock", "none");
  const lock = /ivrctl unlock (\S+)/.exec(stdout)?.[1];
  if (lock !== undefined) await run("unlock", lock);
  const { value: plan } = await json("plan");
  expect(plan.changes.filter(({ action }: { action: string }) => action === "forget")).toEqual([]);
  await run("apply", "--auto-approve");
  const { value: after } = await json("state", "list");
  for (const { id } of after.follow_ups) {
    await run("apply", "--auto-approve", "--allow", "delete", "--target", `old:${id}`);
  }
  expect(sandbox.records.map(({ payload }) => payload.name)).toEqual(["A"]);
  expect((await json("state", "list")).value.follow_ups).toEqual([]);
});
