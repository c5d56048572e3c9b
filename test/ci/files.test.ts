import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { faultsOfAction, faultsOfWorkflow } from "../support/ci/parser.ts";
import { root, workflowPath } from "../support/ci/workflow.ts";

describe("GitHub's own parser", () => {
  test("finds nothing wrong with the workflow", async () => {
    expect(await faultsOfWorkflow(read(`templates/github/${workflowPath}`))).toEqual([]);
  });

  test("finds nothing wrong with the action", () => {
    expect(faultsOfAction(read("action.yml"))).toEqual([]);
  });

  test("would find it", async () => {
    const workflow = read(`templates/github/${workflowPath}`);
    const wrong = [
      workflow.replace("permissions:\n      contents: read", "permissions:\n      content: read"),
      workflow.replace("github.event_name ==", "github.event_name ="),
      workflow.replace("vars.TELEPHONY_BASE_URL", "var.TELEPHONY_BASE_URL"),
    ];
    for (const text of wrong) expect(await faultsOfWorkflow(text)).not.toEqual([]);
    const action = read("action.yml");
    expect(faultsOfAction(action.replace("using: composite", "using: compost"))).not.toEqual([]);
    expect(faultsOfAction(action.replace("steps.find.outputs", "step.find.outputs"))).not.toEqual(
      [],
    );
  });
});

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
