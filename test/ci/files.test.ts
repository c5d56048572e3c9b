import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { actionErrors, workflowErrors } from "../support/ci/parser.ts";

const root = join(import.meta.dirname, "../..");
const workflowFile = "templates/github/.github/workflows/ivrctl.yml";

describe("the parser of GitHub", () => {
  test("accepts the workflow", async () => {
    expect(await workflowErrors(read(workflowFile))).toEqual([]);
  });

  test("accepts the action", () => {
    expect(actionErrors(read("action.yml"))).toEqual([]);
  });

  test("rejects misspelled keys, operators and contexts", async () => {
    const workflow = read(workflowFile);
    const wrong = [
      workflow.replace("permissions:\n      contents: read", "permissions:\n      content: read"),
      workflow.replace("github.event_name ==", "github.event_name ="),
      workflow.replace("vars.TELEPHONY_BASE_URL", "var.TELEPHONY_BASE_URL"),
    ];
    for (const text of wrong) expect(await workflowErrors(text)).not.toEqual([]);
    const action = read("action.yml");
    expect(actionErrors(action.replace("using: composite", "using: compost"))).not.toEqual([]);
    expect(actionErrors(action.replace("steps.job.outputs", "step.job.outputs"))).not.toEqual([]);
  });
});

test.each([workflowFile, "action.yml"])("%s pins every action to a commit", (file) => {
  const uses = [...read(file).matchAll(/uses: (\S+)(.*)/g)].filter(
    ([, name]) => !name?.startsWith("./"),
  );
  expect(uses.length).toBeGreaterThan(1);
  for (const [, name, comment] of uses) {
    expect(name).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    expect(comment).toMatch(/^ # v\d+\.\d+\.\d+$/);
  }
});

test.each([workflowFile, "action.yml", "templates/gitlab/.gitlab/ivrctl.yml"])(
  "%s installs no package by its name",
  (file) => {
    expect(read(file)).not.toMatch(/npm (?:install|i|exec)|npx/);
  },
);

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
