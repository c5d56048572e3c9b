import { formatVersion, toJson } from "./json.ts";
import { element, xmlDocument, xmlText } from "./xml.ts";

/** Returns what to print on stdout if the command line is wrong: an error in the format that a program asked for. */
export function failureIn(format: string | undefined, message: string): string {
  switch (format) {
    case "json":
      return toJson({ format_version: formatVersion, diagnostics: [], error: message });
    case "junit":
      return failureJunit(message);
    default:
      return "";
  }
}

function failureJunit(message: string): string {
  const counts = { tests: 1, failures: 0, errors: 1 };
  const error = element("error", { message, type: "ivrctl" }, `${xmlText(message)}\n`);
  const testCase = element(
    "testcase",
    { classname: "ivrctl", name: "ivrctl test", time: 0 },
    error,
  );
  const suite = element("testsuite", { name: "ivrctl", ...counts, skipped: 0 }, testCase);
  return xmlDocument(element("testsuites", { name: "ivrctl test", ...counts }, suite));
}
