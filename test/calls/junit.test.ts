import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import { exampleProject } from "../support/cli.ts";
import { ivrctl } from "../support/commands.ts";

// The golden case calls/junit shows the whole document.
test.each(["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])(
  "JUnit names files from the root of the repository in %s",
  async (name) => {
    const cwd = exampleProject();
    const env = { [name]: dirname(cwd) };
    const { stdout } = await ivrctl(["test", "--format", "junit"], { cwd, env });
    expect(stdout).toContain(` file="${basename(cwd)}/ivrs/example.yaml"`);
  },
);
