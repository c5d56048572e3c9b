import { type Diagnostic, Diagnostics, type Severity } from "../diagnostics/diagnostic.ts";
import type { Hint } from "../util/suggest.ts";

/** One step of what plan and apply do before they send anything, or a probe of the service. */
export interface DoctorStep {
  readonly name: string;
  readonly status: "ok" | "skipped" | "warning" | "error";
  /** What the step found, or why it was skipped. */
  readonly message: string;
  readonly problems: readonly Diagnostic[];
}

/** A step that ran. `message` says what it found if there are no problems. */
export function doctorStep(name: string, diagnostics: Diagnostics, message: string): DoctorStep {
  const problems = (["error", "warning"] as const).flatMap((level) =>
    diagnostics.sorted().filter(({ severity }) => severity === level),
  );
  const status = diagnostics.hasErrors ? "error" : problems.length > 0 ? "warning" : "ok";
  return { name, status, message, problems };
}

export function ok(name: string, message: string): DoctorStep {
  return { name, status: "ok", message, problems: [] };
}

/** A step that has nothing to do, or that depends on one that failed. */
export function skipped(name: string, message: string): DoctorStep {
  return { name, status: "skipped", message, problems: [] };
}

/** A step that found one problem with this machine or its network. */
export function failed(name: string, severity: Severity, message: string, hint: Hint): DoctorStep {
  const diagnostics = new Diagnostics();
  diagnostics.addAt("IVR505", { file: "this machine" }, message, hint, severity);
  return doctorStep(name, diagnostics, "");
}
