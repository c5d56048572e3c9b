import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";
import { terminalPicture } from "../support/terminal-picture.ts";

/** The pictures of the README show what the command prints. */
test("draws the plan in the README", async () => {
  const { stdout } = await ivrctl(["plan"], { cwd: await changed(), env: { FORCE_COLOR: "1" } });
  const picture = terminalPicture("ivrctl plan", stdout);
  await expect(picture).toMatchFileSnapshot(docs("plan.svg"));
});

/** `npm run pictures` draws docs/comment.png from this file. */
test("writes the comment that the README shows", async () => {
  const args = ["plan", "--format", "markdown", "--target", "front-desk", "--target", "support"];
  const { stdout } = await ivrctl(args, { cwd: await changed() });
  await expect(stdout).toMatchFileSnapshot(join(import.meta.dirname, "../support/comment.md"));
});

function docs(name: string): string {
  return join(import.meta.dirname, "../../docs", name);
}

/** A project that was applied, with a change of each kind since. */
async function changed(): Promise<string> {
  const read = (name: string) => readFileSync(join(import.meta.dirname, "../..", name), "utf8");
  const example = read("ivrs/example.yaml");
  const named = (name: string) => example.replace("name: Front desk", `name: ${name}`);
  const frontDesk = example.replace(/^name: .*/m, '$&\nnumbers: ["+91 22 4123 4567"]');
  const cwd = exampleProject({
    "ivrctl.yaml": read("ivrctl.yaml").replace("recordings:\n", '$&  night: "19560"\n'),
    "ivrs/front-desk.yaml": frontDesk,
    "ivrs/fax.yaml": named("Fax line"),
    "ivrs/help.yaml": named("Help"),
  });
  rmSync(join(cwd, "ivrs/example.yaml"));
  expect(await ivrctl(["apply", "--auto-approve"], { cwd })).toMatchObject({ exit: 0 });
  const write = (name: string, text: string) => writeFileSync(join(cwd, "ivrs", name), text);
  rmSync(join(cwd, "ivrs/fax.yaml"));
  rmSync(join(cwd, "ivrs/help.yaml"));
  write("support.yaml", `moved_from: help\n${named("Help")}`);
  write(
    "night.yaml",
    named("Night line")
      .replace(/^ {2}[12]:.*\n/gm, "")
      .replace("recording: welcome", "recording: night"),
  );
  write(
    "front-desk.yaml",
    frontDesk
      .replace("agent: Ravi Kumar, team: Billing", "agent: Asha Rao")
      .replace("timeout:\n", "timeout:\n  wait: 7\n"),
  );
  return cwd;
}
