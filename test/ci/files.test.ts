import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  NoOperationTraceWriter,
  convertWorkflowTemplate,
  parseWorkflow,
} from "@actions/workflow-parser";
import { convertActionTemplate, parseAction } from "@actions/workflow-parser/actions/index";
import { describe, expect, test } from "vitest";
import { root, workflowPath } from "../support/ci/workflow.ts";

const trace = new NoOperationTraceWriter();

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

async function faultsOfWorkflow(content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name: "ivrctl.yml", content }, trace);
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

function faultsOfAction(content: string): string[] {
  const { context, value } = parseAction({ name: "action.yml", content }, trace);
  if (value !== undefined) convertActionTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}
