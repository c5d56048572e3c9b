import { describe, expect, test } from "vitest";
import { isLocked } from "../support/file-log.ts";
import { heldService } from "../support/held-service.ts";
import { menu, project, service } from "../support/project.ts";
import { atTerminal } from "../support/terminal.ts";

/** A project whose state has begun. */
async function begun(...args: Parameters<typeof project>) {
  const newProject = project(...args);
  expect((await newProject.run("state", "init")).exit).toBe(0);
  return newProject;
}

const prompt = 'Type "yes" to continue: ';
/** The end of each question of apply. */
const questions = /(?:continue|skip): /;

describe("apply at a terminal", () => {
  const typed = (cwd: string, env: Record<string, string>, answer: string) =>
    atTerminal({ cwd, env, args: ["apply"], answers: [answer], prompt });

  test("shows the plan, asks, and accepts only yes", async () => {
    const { url, records } = await service();
    const { path, env } = await begun(url, { a: menu("A") });
    const refused = await typed(path, env, "y\n");
    expect(refused.exit).toBe(1);
    expect(refused.screen).toContain("1 to create");
    expect(refused.screen).toContain(`Apply to test (${url})?`);
    expect(refused.screen).toContain("Nothing was applied.");
    expect(records).toHaveLength(0);
    const { exit, screen } = await typed(path, env, "yes\n");
    expect(exit).toBe(0);
    expect(screen).toContain("1 created.");
    expect(records).toHaveLength(1);
  });

  test("exits with 130 after Ctrl-C at the question, and leaves no lock", async () => {
    const { url, records } = await service();
    const { path, env } = await begun(url, { a: menu("A") });
    const { exit } = await typed(path, env, "\u0003");
    expect(exit).toBe(130);
    expect(records).toHaveLength(0);
    expect(isLocked(path)).toBe(false);
  });

  test("asks for the ids that menus wait for, and records each before the next question", async () => {
    const { url, records } = await service();
    const menus = { a: menu("A", "{ menu: b }"), b: menu("B", "{ menu: c }"), c: menu("C") };
    const { path: cwd, env, journal } = await begun(url, menus);
    const apply = (...answers: string[]) =>
      atTerminal({ cwd, env, args: ["apply"], answers, prompt: questions });
    const first = await apply("yes\n", "1\n", "\u0003");
    expect([first.exit, records.length]).toEqual([130, 2]);
    expect(first.screen).toMatch(/Id of “C” \(c, created .* UTC\) on the console/);
    expect(journal().map(({ event }) => event)).toContainEqual(
      expect.objectContaining({ kind: "identified", key: "c", id: "1" }),
    );
    expect(isLocked(cwd)).toBe(false);
    const second = await apply("yes\n", "2\n");
    expect([second.exit, records.length]).toEqual([0, 3]);
  });

  test("asks for many ids without a warning of Node", async () => {
    const { url } = await service();
    const count = 11;
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    const menus = numbers.map((n) => [`s${n}`, menu(`S${n}`)]);
    const links = numbers.map((n) => [`m${n}`, menu(`M${n}`, `{ menu: s${n} }`)]);
    const { path, env } = await begun(url, Object.fromEntries([...menus, ...links]));
    const answers = ["yes\n", ...numbers.map((n) => `${n}\n`)];
    const asked = { cwd: path, env, args: ["apply"], answers, prompt: questions };
    const { exit, screen } = await atTerminal(asked);
    expect([exit, screen.match(/Id of /g)?.length]).toEqual([0, count]);
    expect(screen).not.toContain("Warning");
  });

  test("shows the progress in color", async () => {
    const { url, release } = await heldService();
    const { path: cwd, env } = await begun(url, { a: menu("A"), b: menu("B") });
    const { screen } = await atTerminal({
      cwd,
      env,
      args: ["apply"],
      answers: ["yes\n"],
      prompt,
      // The service answers when both requests are shown.
      seen: (screen) => screen.includes("2 in flight") && release(),
    });
    expect(screen).toContain("\u001B[32mcreated\u001B[39m");
  });
});
