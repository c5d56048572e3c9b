import { formatVersion, toJson } from "./json.ts";
import { element, xmlDocument, xmlText } from "./xml.ts";

/** What stdout holds if the command line is wrong: the format that was asked for, if a machine reads it. */
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
  const fault = element("error", { message, type: "ivrctl" }, `${xmlText(message)}\n`);
  const own = element("testcase", { classname: "ivrctl", name: "ivrctl test", time: 0 }, fault);
  const suite = element("testsuite", { name: "ivrctl", ...counts, skipped: 0 }, own);
  return xmlDocument(element("testsuites", { name: "ivrctl test", ...counts }, suite));
}
