import type { FailureOutput } from "../schema/output/common.ts";
import { version } from "../util/version.ts";
import { formatVersion, toJson } from "./json.ts";
import { message as inMarkdown } from "./markdown.ts";
import { sarifLog, sarifMessage } from "./sarif.ts";
import { workflowCommand } from "./workflow-command.ts";
import { markupText } from "../util/html.ts";
import { element, xmlDocument } from "./xml.ts";

/**
 * Returns what to print on stdout if the command line is wrong: an error in the format that was asked
 * for. It is empty for text, which goes to stderr, and for pictures.
 */
export function failureIn(format: string, message: string): string {
  switch (format) {
    case "json": {
      const failure: FailureOutput = {
        format_version: formatVersion,
        diagnostics: [],
        error: message,
      };
      return toJson(failure);
    }
    case "junit":
      return failureJunit(message);
    case "sarif":
      return failureSarif(message);
    case "github":
      return workflowCommand("error", { title: "ivrctl" }, message);
    case "markdown":
      return `> [!CAUTION]\n> ${inMarkdown(message)}\n`;
    default:
      return "";
  }
}

function failureSarif(message: string): string {
  const problem = { level: "error", message: sarifMessage(message) };
  const invocation = { executionSuccessful: false, toolConfigurationNotifications: [problem] };
  return sarifLog({ version, rules: [], results: [], invocations: [invocation] });
}

function failureJunit(message: string): string {
  const counts = { tests: 1, failures: 0, errors: 1 };
  const error = element("error", { message, type: "ivrctl" }, `${markupText(message)}\n`);
  const testCase = element(
    "testcase",
    { classname: "ivrctl", name: "ivrctl test", time: 0 },
    error,
  );
  const suite = element("testsuite", { name: "ivrctl", ...counts, skipped: 0 }, testCase);
  return xmlDocument(element("testsuites", { name: "ivrctl test", ...counts }, suite));
}
