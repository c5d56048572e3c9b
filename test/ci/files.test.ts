import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { actionErrors, workflowErrors } from "../support/ci/parser.ts";
import { root } from "../support/cli.ts";

const workflowPath = ".github/workflows/ivrctl.yml";

describe("the parser of GitHub", () => {
  test("accepts the workflow", async () => {
    expect(await workflowErrors(read(`templates/github/${workflowPath}`))).toEqual([]);
  });

  test("accepts the action", () => {
    expect(actionErrors(read("action.yml"))).toEqual([]);
  });

  test("rejects misspelled keys, operators and contexts", async () => {
    const workflow = read(`templates/github/${workflowPath}`);
    const wrong = [
      workflow.replace("permissions:\n      contents: read", "permissions:\n      content: read"),
      workflow.replace("github.event_name ==", "github.event_name ="),
      workflow.replace("vars.TELEPHONY_BASE_URL", "var.TELEPHONY_BASE_URL"),
    ];
    for (const text of wrong) expect(await workflowErrors(text)).not.toEqual([]);
    const action = read("action.yml");
    expect(actionErrors(action.replace("using: composite", "using: compost"))).not.toEqual([]);
    expect(actionErrors(action.replace("steps.find.outputs", "step.find.outputs"))).not.toEqual([]);
  });
});

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
