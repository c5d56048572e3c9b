import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { command } from "../support/cli.ts";
import { menu, project, service } from "../support/project.ts";

describe("at a terminal", () => {
  /** What a person sees who types this. */
  function typed(cwd: string, env: Record<string, string>, answer: string, ...args: string[]) {
    const words = [process.execPath, command, ...args].map((word) => `'${word}'`).join(" ");
    return spawnTerminal(words, cwd, env, answer);
  }

  test("shows the plan, asks, and takes only yes for one", async () => {
    const { url, records } = await service();
    const { path, env } = project(url, { a: menu("A") });
    for (const answer of ["no\n", "y\n", "\n"]) {
      const { exit, screen } = await typed(path, env, answer, "apply");
      expect(exit).toBe(1);
      expect(screen).toContain("1 to create");
      expect(screen).toContain(`Apply this to test (${url})?`);
      expect(screen).toContain("Nothing was applied.");
    }
    expect(records).toHaveLength(0);
    const { exit, screen } = await typed(path, env, "yes\n", "apply");
    expect(exit).toBe(0);
    expect(screen).toContain("1 created.");
    expect(records).toHaveLength(1);
  });

  test("Ctrl-C at the question is 130, and leaves no lock", async () => {
    const { url, records } = await service();
    const { path, env } = project(url, { a: menu("A") });
    const { exit } = await typed(path, env, "\u0003", "apply");
    expect(exit).toBe(130);
    expect(records).toHaveLength(0);
    expect(existsSync(join(path, ".ivrctl/state/test.lock"))).toBe(false);
  });

  test("draws how far it is, in colour", async () => {
    const { url } = await service({ faults: ["latency=100"] });
    const { path, env } = project(url, { a: menu("A"), b: menu("B") });
    const { screen } = await typed(path, env, "yes\n", "apply");
    expect(screen).toContain("in flight: a, b");
    expect(screen).toContain("\u001B[32mcreated\u001B[39m");
  });
});

async function spawnTerminal(
  words: string,
  cwd: string,
  env: Record<string, string>,
  answer: string,
) {
  const child = spawn("script", ["-qec", words, "/dev/null"], {
    cwd,
    env: { PATH: process.env["PATH"], TERM: "xterm", ...env },
  });
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    screen += chunk;
    if (screen.includes("Only yes is taken as one: ") && !child.stdin.writableEnded) {
      child.stdin.end(answer);
    }
  });
  const exit = await new Promise((resolve) => child.on("close", resolve));
  return { exit, screen };
}
