import { describe, expect, test } from "vitest";
import { createServer } from "node:http";
import { forward } from "../support/forward.ts";
import { heldService } from "../support/held-service.ts";
import { listen } from "../support/listen.ts";
import { hasEvents, menu, namesOf, project, service, until } from "../support/project.ts";

describe("a running apply", () => {
  test("sends no more requests at the same time than concurrency", async () => {
    const menus = Object.fromEntries(["a", "b", "c", "d", "e"].map((key) => [key, menu(key)]));
    const held = await heldService();
    const { run, journal } = project(held.url, menus, { service: "concurrency: 3" });
    const finished = run("apply", "--auto-approve");
    await until(() => held.held >= 3);
    held.release();
    expect(await finished).toMatchObject({ exit: 0 });
    // Intents are recorded before requests leave, and no answer came before the third request. A
    // fourth request that did not wait would have its intent before the first answer.
    const kinds: string[] = journal().map(({ event }) => event.kind);
    const open = kinds.map((_, at) => {
      const before = kinds.slice(0, at + 1);
      const count = (kind: string) => before.filter((one) => one === kind).length;
      return count("intent") - count("outcome");
    });
    expect(Math.max(...open)).toBe(3);
    expect(namesOf(held.records)).toEqual(Object.keys(menus));
  });

  test("does not block plan", async () => {
    const { url } = await service({ faults: ["silence"] });
    const { run, start, path } = project(url, { desk: menu("Desk") });
    const { child, finished } = start("apply", "--auto-approve");
    await until(() => hasEvents(path, "intent"));
    const { exit, stdout } = await run("plan");
    child.kill("SIGKILL");
    await finished;
    expect(exit).toBe(0);
    expect(stdout).toContain("Plan: 1 unknown; 0 unchanged.");
  });
});

test("an apply plans again under the lock if a different run was faster", async () => {
  const { url, records } = await service();
  let faster: (() => Promise<unknown>) | undefined;
  const door = createServer((asked, response) =>
    forward(asked, response, url, (handOn) => {
      const act = faster ?? (() => Promise.resolve());
      faster = undefined;
      void act().then(handOn);
    }),
  );
  const { run, start } = project(`http://127.0.0.1:${await listen(door)}`, { a: menu("A") });
  await run("state", "init");
  faster = () => start("apply", "--auto-approve").finished;
  const { exit, stdout } = await run("apply", "--auto-approve");
  expect([exit, stdout]).toEqual([0, "test: nothing to do.\n"]);
  expect(namesOf(records)).toEqual(["A"]);
});
