import {
  NoOperationTraceWriter,
  convertWorkflowTemplate,
  parseWorkflow,
} from "@actions/workflow-parser";
import { convertActionTemplate, parseAction } from "@actions/workflow-parser/actions/index";

const trace = new NoOperationTraceWriter();

/** Returns the errors that the parser of GitHub finds in a workflow. */
export async function workflowErrors(content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name: "ivrctl.yml", content }, trace);
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

/** Returns the errors that the parser of GitHub finds in an action. */
export function actionErrors(content: string): string[] {
  const { context, value } = parseAction({ name: "action.yml", content }, trace);
  if (value !== undefined) convertActionTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}
