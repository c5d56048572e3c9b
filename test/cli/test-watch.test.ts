import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleProject, startIvrctl } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { until } from "../support/project.ts";

/** Starts `test --watch` in the example project, and waits until it watches. */
async function watching(...args: string[]) {
  const cwd = exampleProject();
  const { child, finished, said, printed } = startIvrctl(["test", "--watch", ...args], { cwd });
  await until(() => said().includes("Waiting for changes"));
  return {
    cwd,
    child,
    finished,
    menu: join(cwd, "ivrs/example.yaml"),
    /**
     * Makes a change and waits for its result. One change may cause several runs: a file is empty
     * before it is written, and a folder is removed file by file.
     */
    after: async (change: () => void, shown: { said?: string; printed?: string }) => {
      const [saidBefore, printedBefore] = [said().length, printed().length];
      change();
      // stderr and stdout are separate pipes, and either may arrive first.
      await until(() =>
        said()
          .slice(saidBefore)
          .includes(shown.said ?? ""),
      );
      await until(() =>
        printed()
          .slice(printedBefore)
          .includes(shown.printed ?? ""),
      );
    },
  };
}

describe("test --watch", () => {
  test("runs again after every change, also after a broken file and a save by rename", async () => {
    const { menu, after, child, finished, cwd } = await watching();
    const text = readFileSync(menu, "utf8");
    await after(() => writeFileSync(menu, text.replace("press: 2", "press: 1")), {
      printed: "2 passed, 1 failed",
    });
    await after(() => writeFileSync(menu, "name: ["), { printed: "error[IVR101]" });
    await after(
      () => {
        writeFileSync(`${menu}.new`, text);
        renameSync(`${menu}.new`, menu);
      },
      { printed: "3 passed, 0 failed" },
    );
    const own = join(cwd, "agents.sandbox.lock.json");
    await after(() => writeFileSync(own, "{"), { printed: "error[IVR501]" });
    await after(() => rmSync(own), { printed: "3 passed, 0 failed" });
    const config = join(cwd, "ivrctl.yaml");
    await after(
      () =>
        writeFileSync(config, `${readFileSync(config, "utf8")}\ninvariants: [{ max_steps: 1 }]\n`),
      { printed: "1 of 1 invariant broken" },
    );
    child.kill("SIGINT");
    expect((await finished).exit).toBe(0);
  });

  test("notices folders that are created, removed and created again", async () => {
    const { cwd, menu, after, child, finished } = await watching();
    const text = readFileSync(menu, "utf8");
    const deep = join(cwd, "ivrs/a/b");
    const tests = "menu: example\ntests: [{ press: 1, via: option }]\n";
    const waits = { said: "Waiting for changes" };
    await after(() => mkdirSync(deep, { recursive: true }), waits);
    await after(() => writeFileSync(join(deep, "x.test.yaml"), tests), { printed: "4 passed" });
    await after(() => rmSync(join(cwd, "ivrs"), { recursive: true }), { printed: "IVR125" });
    await after(() => mkdirSync(join(cwd, "ivrs")), waits);
    await after(() => writeFileSync(menu, text), { printed: "3 passed" });
    child.kill("SIGTERM");
    expect((await finished).exit).toBe(0);
  });

  test("stops if its output is closed", async () => {
    const { menu, child, finished } = await watching();
    child.stdout.destroy();
    writeFileSync(menu, readFileSync(menu, "utf8"));
    expect((await finished).exit).toBe(0);
  });

  test("refuses --format json", async () => {
    const { exit, stderr } = await ivrctl(["test", "--watch", "--format", "json"]);
    expect(exit).toBe(1);
    expect(stderr).toContain("`--watch` works only with `--format text`.");
  });
});
