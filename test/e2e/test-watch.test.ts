import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { exampleProject, ivrctl, startIvrctl } from "../support/cli.ts";
import { until } from "../support/project.ts";

/** `test --watch` in the example project: what it has said so far, run by run. */
function watching(...args: string[]) {
  const cwd = exampleProject();
  const { child, finished } = startIvrctl(["test", "--watch", ...args], { cwd });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.on("data", (chunk: string) => (said += chunk));
  let out = "";
  child.stdout.on("data", (chunk: string) => (out += chunk));
  const runs = () => said.split("Waiting for a change").length - 1;
  return {
    cwd,
    child,
    finished,
    menu: join(cwd, "ivrs/example.yaml"),
    /** What a change leads to. */
    after: async (change: () => void) => {
      const [before, from, fromOut] = [runs(), said.length, out.length];
      change();
      await until(() => runs() > before);
      return { said: said.slice(from), out: out.slice(fromOut) };
    },
    ready: () => until(() => runs() > 0),
  };
}

describe("test --watch", () => {
  test("runs again after every change, also after a broken file and a save by rename", async () => {
    const { menu, after, ready, child, finished, cwd } = watching();
    await ready();
    const text = readFileSync(menu, "utf8");
    const failed = await after(() => writeFileSync(menu, text.replace("press: 2", "press: 1")));
    expect(failed.out).toContain("2 passed, 1 failed");
    const broken = await after(() => writeFileSync(menu, "name: ["));
    expect(broken.said).toContain("error[IVR101]");
    const saved = await after(() => {
      writeFileSync(`${menu}.new`, text);
      renameSync(`${menu}.new`, menu);
    });
    expect(saved.out).toContain("3 passed, 0 failed");
    const config = join(cwd, "ivrctl.yaml");
    const invariant = await after(() =>
      writeFileSync(config, `${readFileSync(config, "utf8")}\ninvariants: [{ max_steps: 1 }]\n`),
    );
    expect(invariant.out).toContain("1 of 1 invariant broken");
    child.kill("SIGINT");
    expect((await finished).exit).toBe(0);
  });

  test("sees folders that are made, removed and made again", async () => {
    const { cwd, menu, after, ready, child, finished } = watching();
    await ready();
    const text = readFileSync(menu, "utf8");
    const deep = join(cwd, "ivrs/a/b");
    const tests = "menu: example\ntests: [{ press: 1, via: option }]\n";
    await after(() => mkdirSync(deep, { recursive: true }));
    expect((await after(() => writeFileSync(join(deep, "x.test.yaml"), tests))).out).toContain(
      "4 passed",
    );
    await after(() => rmSync(join(cwd, "ivrs"), { recursive: true }));
    await after(() => mkdirSync(join(cwd, "ivrs")));
    expect((await after(() => writeFileSync(menu, text))).out).toContain("3 passed");
    child.kill("SIGTERM");
    expect((await finished).exit).toBe(0);
  });

  test("is for people", async () => {
    const { exit, stderr } = await ivrctl(["test", "--watch", "--format", "json"]);
    expect(exit).toBe(1);
    expect(stderr).toContain("--watch is for people: it goes with --format text alone.");
  });
});
