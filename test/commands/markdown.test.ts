import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { describe, expect, test } from "vitest";
import { playAgents } from "../../src/sandbox/agents.ts";
import { ivrctl } from "../support/commands.ts";
import { menu, project, service } from "../support/project.ts";
import { textOf } from "../support/rendered.ts";

const plan = ["plan", "--format", "markdown"];

describe("plan --format markdown", () => {
  test("is a comment: marker, counts, table, each menu with its picture, follow-ups", async () => {
    const { url } = await service();
    const { run, write, remove } = project(url, { desk: menu("Desk"), fax: menu("Fax") });
    await run("apply", "--auto-approve");
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    await run("apply", "--auto-approve");
    write("ivrs/desk.yaml", menu("Desk").replace("wait: 5", "wait: 7"));
    write("ivrs/night.yaml", menu("Night"));
    remove("ivrs/fax.yaml");
    const { exit, stdout } = await run(...plan);
    expect(exit).toBe(0);
    expect(stdout.split("\n").slice(0, 9)).toEqual([
      "<!-- ivrctl:plan:test -->",
      "",
      "### Plan for test: 1 to create, 1 to replace, 1 to forget; 0 unchanged",
      "",
      "| | key | name |",
      "|---|---|---|",
      "| replace | <code>desk</code> | Desk |",
      "| forget | <code>fax</code> | Fax |",
      "| create | <code>night</code> | Night |",
    ]);
    expect(stdout).toContain("- <b>key 1</b>: Front Desk → Asha Rao\n- <b>timeout.wait</b>: 5 → 7");
    expect(stdout).toContain("Its record stays on the service and becomes a follow");
    expect(stdout.match(/^```mermaid\nflowchart LR$/gm)).toHaveLength(3);
    expect(stdout).toContain("changed#58; Front Desk → Asha Rao");
    expect(stdout).toMatch(
      /<summary>on the wire<\/summary>\n\n```diff\n[^`]*-   "timeout": "5",\n/,
    );
    expect(stdout).toContain("#### Follow-ups, old records for a person to take out of service");
    expect(stdout).toMatch(
      /Strike one that is done: <code>ivrctl state done \S+ .*env test<\/code>/,
    );
  });

  test("says the same as the text, line by line", async () => {
    const { url } = await service();
    const { run, write } = project(url, { desk: menu("Desk") });
    await run("apply", "--auto-approve");
    write("ivrs/desk.yaml", menu("Desk", "Front Desk"));
    write("ivrs/new.yaml", menu("New"));
    const [text, comment] = [(await run("plan")).stdout, (await run(...plan)).stdout];
    const shown = textOf(marked.parse(comment, { async: false }));
    const lines = text.replace(/\n {10,}/g, " ").matchAll(/^ {4}(\S[^:]*): +(.*)$/gm);
    for (const [, label, words] of lines) expect(shown).toContain(`${label}: ${words}`);
  });

  test("tells of what is unknown, what to look for, and the commands that settle it", async () => {
    const { url } = await service({ faults: ["cut"] });
    const { run } = project(url, { desk: menu("Desk") });
    await run("apply", "--auto-approve");
    const { stdout } = await run(...plan);
    expect(stdout).toContain("### Plan for test: 1 unknown; 0 unchanged");
    expect(stdout).toContain("- <b>look for</b>: “Desk”: key 1 Asha Rao, ");
    for (const fate of ["--created", "--absent"]) {
      expect(stdout).toContain(`<code>ivrctl state resolve desk ${fate} --env test</code>`);
    }
    expect(stdout).toContain("unknown whether it exists#58; “Desk”");
  });

  test("says loudly what has to be seen first", async () => {
    const { path } = project("", { a: menu("A"), b: menu("B") });
    writeFileSync(join(path, "agents.json"), JSON.stringify(playAgents()));
    const env = { BASE_URL: "https://telephony.example" };
    const args = [...plan, "--agents", "agents.json", "--max-creates", "1"];
    const { exit, stdout } = await ivrctl(args, { cwd: path, env });
    expect(exit).toBe(1);
    expect(stdout).toContain(
      "> [!CAUTION]\n> <b>NO STATE: all 2 menus would be created</b>\n\n> [!CAUTION]\n> <b>REFUSED: this plan cannot be applied, see the errors</b>\n\n",
    );
    expect(stdout).toMatch(/#### Problems\n\n- <b>error<\/b> IVR612 .*\n- <b>warning<\/b> IVR608 /);
    expect(stdout.indexOf("#### Problems")).toBeLessThan(stdout.indexOf("<details"));
  });

  test("is a comment as well where the files are at fault, under the same marker", async () => {
    const { url } = await service();
    const { run, write } = project(url, { desk: menu("Desk", '"@octocat | `x`"') });
    const faulty = await run(...plan);
    expect(faulty.exit).toBe(1);
    expect(faulty.stdout).toMatch(/^<!-- ivrctl:plan:test -->\n\n### No plan for test: 1 error\n/);
    expect(faulty.stdout).toContain("IVR301 at <code>ivrs/desk.yaml<span>&#58;</span>4");
    expect(faulty.stdout).toContain("<span>&#64;</span>octocat &#124; ");
    expect(faulty.stderr).toContain("ivrs/desk.yaml:4:15");
    write("ivrctl.yaml", "version: [");
    const broken = await run(...plan, "--env", "test");
    expect(broken.stdout).toMatch(/^<!-- ivrctl:plan:test -->\n\n### No plan for test: \d error/);
  });

  test("stands alone on stdout, beside the plan file and quietly", async () => {
    const { url } = await service();
    const { run, path } = project(url, { desk: menu("Desk") });
    const { exit, stdout, stderr } = await run(...plan, "--out", "plan.json");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^<!-- ivrctl/);
    expect(stderr).toContain("The plan is kept in plan.json");
    expect(JSON.parse(readFileSync(join(path, "plan.json"), "utf8")).plan.environment).toBe("test");
    expect((await run(...plan, "--quiet")).stdout).toBe(stdout);
    const both = await run(...plan, "--out", "-");
    expect(both).toMatchObject({ exit: 1, stdout: "" });
    expect(both.stderr).toContain("--out - and --format markdown both print to stdout");
  });

  test("fits a comment with many menus", async () => {
    const { url } = await service();
    const menus = Array.from({ length: 400 }, (_, at) => [`m${at}`, menu(`Menu ${at}`)]);
    const { run } = project(url, Object.fromEntries(menus));
    const { stdout } = await run(...plan);
    expect(stdout.length).toBeLessThanOrEqual(65_536);
    expect(stdout.match(/^\| create \|/gm)).toHaveLength(400);
    expect(stdout).toMatch(/The details of \d+ of 400 menus have no room here/);
  });
});
