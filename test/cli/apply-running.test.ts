import { describe, expect, test } from "vitest";
import { hasEvents, menu, project, service, until } from "../support/project.ts";

describe("while an apply is running", () => {
  test("keeps to the concurrency that is set", async () => {
    const menus = Object.fromEntries(["a", "b", "c", "d", "e"].map((key) => [key, menu(key)]));
    const { url, requests } = await service({ faults: ["silence"] });
    const { start, run } = project(url, menus, "timeout: 300, concurrency: 3");
    const { child, finished } = start("apply", "--auto-approve");
    // No create is answered, so a fourth one would have left with these.
    await until(() => requests.filter(({ fault }) => fault === "silence").length === 3);
    child.kill("SIGKILL");
    await finished;
    const { stdout } = await run("plan");
    expect(stdout).toContain("Plan: 2 to create, 3 unknown; 0 unchanged.");
  });

  test("plan takes no lock, and reads beside a run that holds it", async () => {
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
